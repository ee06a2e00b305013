import type { Database } from 'bun:sqlite';

/** A log of so many pages, 8 MiB, is copied into the database file. */
const longPages = 2_000;
/** Its length is looked at at most this often, in ms: at each commit, that took 6 % of a mixed load. */
const lookMs = 20;

/**
 * The length of the write-ahead log, and the checkpoints that shorten it. SQLite itself syncs the log before a
 * checkpoint, and its header within the commit that begins the log anew: both on the second thread.
 */
export class WriteAheadLog {
  readonly #db: Database;
  #isCheckpointing = false;
  #lookedAt = 0;
  /** The length from which on a checkpoint pays: more than `longPages` while readers hold the log up. */
  #longPages = longPages;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Whether a checkpoint is due. */
  isLong(): boolean {
    const now = performance.now();
    if (this.#isCheckpointing || now - this.#lookedAt < lookMs) return false;
    this.#lookedAt = now;
    return this.#waitingPages > this.#longPages;
  }

  /** Copies the log into the database file: most of it beside commits by `copy`, and the rest by `beginAnew`, alone. */
  async checkpoint({ copy, beginAnew }: Record<'copy' | 'beginAnew', () => Promise<unknown>>): Promise<void> {
    this.#isCheckpointing = true;
    try {
      await copy();
      await beginAnew();
    } finally {
      this.#longPages = longPages + this.#waitingPages;
      this.#isCheckpointing = false;
    }
  }

  /** Pages that no checkpoint has copied as yet. */
  get #waitingPages(): number {
    const [row] = this.#db.query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)').all();
    return (row?.log ?? 0) - (row?.checkpointed ?? 0);
  }
}
