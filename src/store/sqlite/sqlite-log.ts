import type { Database } from 'bun:sqlite';
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';

/** A log of so many pages, 8 MiB, is copied into the database file. */
const longPages = 2_000;
/** Its length is looked at at most this often, in ms: at each commit, that took 6 % of a mixed load. */
const lookMs = 20;

/**
 * The write-ahead log of a connection whose commits do not sync it (`synchronous = NORMAL`): `sync` does, off the event
 * loop. SQLite itself syncs the log before a checkpoint, and its header when it begins the log anew.
 */
export class WriteAheadLog implements Disposable {
  readonly #db: Database;
  readonly #fd: number;
  #isCheckpointing = false;
  #lookedAt = 0;
  /** The length from which on a checkpoint pays: more than `longPages` while readers hold the log up. */
  #longPages = longPages;

  constructor(db: Database, path: string) {
    this.#db = db;
    this.#fd = openSync(`${path}-wal`, 'r+');
    fdatasyncSync(this.#fd); // a killed service may have left commits that are not on disk
  }

  /** Resolves once all commits before the call are on disk. */
  sync(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    fdatasync(this.#fd, (error) => (error ? reject(error) : resolve()));
    return promise;
  }

  /** Whether a checkpoint is due. */
  isLong(): boolean {
    const now = performance.now();
    if (this.#isCheckpointing || now - this.#lookedAt < lookMs) return false;
    this.#lookedAt = now;
    return this.#waitingPages > this.#longPages;
  }

  /**
   * Copies the log into the database file by `copy`, on another thread: most of it beside commits, and the rest `alone`,
   * so that the log begins anew.
   */
  async checkpoint(
    copy: () => Promise<unknown>,
    alone: (work: () => Promise<unknown>) => Promise<unknown>,
  ): Promise<void> {
    this.#isCheckpointing = true;
    try {
      await copy();
      await alone(copy);
    } finally {
      this.#longPages = longPages + this.#waitingPages;
      this.#isCheckpointing = false;
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  /** Pages that no checkpoint has copied as yet. */
  get #waitingPages(): number {
    const [row] = this.#db.query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)').all();
    return (row?.log ?? 0) - (row?.checkpointed ?? 0);
  }
}
