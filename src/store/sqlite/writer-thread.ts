import * as message from '../../domain/message.ts';
import { type Message, type Order, type Reply, type Results, receivedError, type SentError } from './orders.ts';

/** What the thread tells besides results. */
export interface ThreadEvents {
  /** Another program has committed to the database. Called before the result that was read or written after it is passed on. */
  readonly onForeignCommit: () => void;
  /** What is on disk is no longer certain, or the thread has ended. */
  readonly onLost: (error: Error) => void;
}

/** The thread that writes. Orders are carried out one after the other, and their results come in the same order. */
export class WriterThread implements Disposable {
  readonly #worker: Worker;
  #events: ThreadEvents = { onForeignCommit() {}, onLost() {} };
  /** Those who wait for a reply, the first one first. */
  readonly #waiting: ((reply: Reply) => void)[] = [];
  #isDisposed = false;

  constructor() {
    this.#worker = new Worker(new URL('./writer-worker.ts', import.meta.url));
    this.#worker.onmessage = ({ data }: MessageEvent<string>) => {
      const sent: Message = JSON.parse(data); // ours
      if ('lost' in sent) this.#events.onLost(receivedError(sent.lost));
      else this.#take(sent);
    };
    this.#worker.onerror = ({ message: reason }) => this.#ended(reason);
    this.#worker.addEventListener('close', () => this.#ended('The thread that writes has ended'));
  }

  /** Tells of events from now on. */
  follow(events: ThreadEvents): void {
    this.#events = events;
  }

  /** Whether the thread has something to do. */
  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves with what `take` makes of the result, at the moment when it comes: before any later result. */
  ask<Kind extends Order['kind'], Taken = Results[Kind]>(
    order: Extract<Order, { kind: Kind }>,
    take?: (result: Results[Kind]) => Taken,
  ): Promise<Taken> {
    const { promise, resolve, reject } = Promise.withResolvers<Taken>();
    this.#waiting.push((reply) => {
      if ('failure' in reply) return reject(this.#failed(reply.failure));
      const result = reply.result as Results[Kind]; // replies come in the order of the orders
      resolve(take ? take(result) : (result as Taken));
    });
    this.#worker.postMessage(JSON.stringify(order)); // half the time of a structured clone of so many objects
    return promise;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#worker.terminate();
  }

  #take(reply: Reply): void {
    if (reply.isForeign) this.#events.onForeignCommit();
    this.#waiting.shift()?.(reply);
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
    const shown = { code: 'unavailable', outcome: 'unknown', retry: false } as const;
    const failure = { message: message.storeFailed, shown, isLost: false, cause: { message: reason, code: '' } };
    for (const reply of this.#waiting.splice(0)) reply({ isForeign: false, failure });
  }
}
