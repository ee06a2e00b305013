import type { PortableStore } from '../../../core/store.ts';
import type { UseStore } from '../../../service/mcp/mcp-store.ts';

/** How long disposal waits for uses in progress, in ms. */
const maxDisposalMs = 5_000;

/**
 * Opens a store when it is needed and closes it after the last use, so that a long-running program does not lock the
 * file, and notices a service that has started or ended.
 */
export class LazyStore implements AsyncDisposable {
  readonly #open: () => Promise<PortableStore>;
  #opened: Promise<PortableStore> | undefined;
  #closed: Promise<unknown> = Promise.resolve();
  #users = 0;

  constructor(open: () => Promise<PortableStore>) {
    this.#open = open;
  }

  readonly use: UseStore = async (work) => {
    this.#users++;
    this.#opened ??= this.#closed.then(this.#open);
    try {
      return await work(await this.#opened);
    } finally {
      if (--this.#users === 0) this.#startClosing();
    }
  };

  async [Symbol.asyncDispose](): Promise<void> {
    const until = performance.now() + maxDisposalMs;
    while (this.#users > 0 && performance.now() < until) await Bun.sleep(10);
    this.#startClosing();
    await this.#closed;
  }

  /** Ignores errors of closing: all writes are durable by now. */
  #startClosing(): void {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened !== undefined) this.#closed = opened.then((store) => store[Symbol.asyncDispose]()).catch(() => {});
  }
}
