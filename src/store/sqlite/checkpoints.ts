import { CheckpointFailed, isUncertain } from './failure.ts';

/** What the worker is told, and what it answers to each order: nothing, or what went wrong. */
export type Order = { readonly kind: 'fold'; readonly path: string } | { readonly kind: 'close' };

export interface Folded {
  readonly message?: string;
  /** SQLite's. */
  readonly code?: string;
}

/**
 * Folds the write-ahead log of the database at `path` into it on another thread, so that requests go on. The log begins
 * anew only where no transaction has begun before all of it was folded.
 */
export class Checkpoints implements AsyncDisposable {
  readonly #path: string;
  #worker: Worker | undefined;
  #asked: PromiseWithResolvers<Folded> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Fails with `CheckpointFailed` when what is in the database is no longer certain, or the thread has ended. */
  async fold(): Promise<void> {
    const { message, code } = await this.#tell({ kind: 'fold', path: this.#path });
    if (code !== undefined && isUncertain(code)) throw new CheckpointFailed(message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last;
    if (this.#worker === undefined) return;
    await this.#tell({ kind: 'close' }).catch(() => {});
    this.#worker?.terminate();
  }

  #tell(order: Order): Promise<Folded> {
    const answer = this.#last.then(() => this.#ask(order));
    this.#last = answer.catch(() => {});
    return answer;
  }

  #ask(order: Order): Promise<Folded> {
    this.#asked = Promise.withResolvers();
    this.#worker ??= this.#start();
    this.#worker.postMessage(order);
    return this.#asked.promise;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url));
    const ended = (message: string) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined; // it will answer nothing more
      this.#asked?.reject(new CheckpointFailed(message));
    };
    worker.onmessage = ({ data }: MessageEvent<Folded>) => this.#asked?.resolve(data);
    worker.onerror = ({ message }) => ended(message);
    worker.addEventListener('close', () => ended('The thread for checkpoints has ended'));
    return worker;
  }
}
