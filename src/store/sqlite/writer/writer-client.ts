import { NoteError } from '../../../domain/error.ts';
import * as message from '../../../domain/message.ts';
import { Executor, type Operations, type WriterRequest } from './executor.ts';
import { type Message, type Reply, receivedError, type SentError, sentError } from './messages.ts';

interface WriterEvents {
  /** Another program has committed to the database. Called before results that may depend on it are passed on. */
  readonly onForeignCommit: () => void;
  /** The state on disk has become uncertain, or the thread has ended. */
  readonly onLost: (error: Error) => void;
}

/** Sends requests for execution in order. */
interface Channel extends Disposable {
  send(request: WriterRequest): void;
}

/** Sends requests to the writer, which executes them and replies in order. */
export class WriterClient implements Disposable {
  readonly #channel: Channel;
  #events: WriterEvents = { onForeignCommit() {}, onLost() {} };
  /** Pending requests, in order. */
  readonly #waiting: ((reply: Reply) => void)[] = [];
  #isDisposed = false;

  /** `onThread` uses a separate thread, so that this one never waits for the disk. It takes about 30 ms to start. */
  constructor(onThread: boolean) {
    const receive = (sent: Message) => this.#receive(sent);
    this.#channel = onThread ? toThread(receive, (reason) => this.#ended(reason)) : toThisThread(receive);
  }

  /** Replaces the event handlers. */
  follow(events: WriterEvents): void {
    this.#events = events;
  }

  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves with `take(result)`, which is called as soon as the result arrives, before any later one. */
  ask<Name extends keyof Operations, Taken = ReturnType<Operations[Name]>>(
    name: Name,
    args: Parameters<Operations[Name]>,
    take?: (result: ReturnType<Operations[Name]>) => Taken,
  ): Promise<Taken> {
    const { promise, resolve, reject } = Promise.withResolvers<Taken>();
    this.#waiting.push((reply) => {
      if ('failure' in reply) return reject(this.#failed(reply.failure));
      const result = reply.result as ReturnType<Operations[Name]>; // replies are in the order of requests
      resolve(take ? take(result) : (result as Taken));
    });
    this.#channel.send({ name, args } as WriterRequest);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#channel[Symbol.dispose]();
  }

  #receive(sent: Message): void {
    if ('lost' in sent) this.#events.onLost(receivedError(sent.lost));
    else {
      if (sent.isForeign) this.#events.onForeignCommit();
      this.#waiting.shift()?.(sent);
    }
  }

  #failed(sent: SentError): Error {
    const error = receivedError(sent);
    if (sent.isLost) this.#events.onLost(error);
    return error;
  }

  #ended(reason: string): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#events.onLost(new Error(reason));
    const failure = sentError(new NoteError('unavailable', message.storeFailed, { cause: new Error(reason) }), 'write');
    for (const reply of this.#waiting.splice(0)) reply({ isForeign: false, failure });
  }
}

function toThread(receive: (sent: Message) => void, ended: (reason: string) => void): Channel {
  const worker = new Worker(new URL('./writer-worker.ts', import.meta.url));
  worker.onmessage = ({ data }: MessageEvent<Message>) => receive(data);
  worker.onerror = ({ message: reason }) => ended(reason);
  worker.addEventListener('close', () => ended('The thread that writes has ended'));
  return {
    send: (request) => worker.postMessage(request),
    [Symbol.dispose]: () => worker.terminate(),
  };
}

function toThisThread(receive: (sent: Message) => void): Channel {
  const executor = new Executor(receive);
  return { send: (request) => executor.execute([request]), [Symbol.dispose]() {} };
}
