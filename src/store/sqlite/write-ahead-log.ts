import type { Database } from 'bun:sqlite';

/** So many pages of the log, 8 MiB, are copied into the database file. */
const copiedPages = 2_000;
/** A log of so many pages, 64 MiB, is begun anew. Eight times as often, that took 20 % of the processor time of updates. */
const longPages = 16_000;
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
  /** So many waiting pages are worth a checkpoint: more than `copiedPages` while readers hold the log up. */
  #worthPages = copiedPages;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Whether a checkpoint is due. */
  isLong(): boolean {
    const now = performance.now();
    if (this.#isCheckpointing || now - this.#lookedAt < lookMs) return false;
    this.#lookedAt = now;
    return this.#countPages().waiting > this.#worthPages;
  }

  /**
   * Copies the log into the database file by `copy`, beside commits. A long log is then begun anew by `beginAnew`, alone,
   * which copies the rest.
   */
  async checkpoint({ copy, beginAnew }: Record<'copy' | 'beginAnew', () => Promise<unknown>>): Promise<void> {
    this.#isCheckpointing = true;
    try {
      await copy();
      if (this.#countPages().all > longPages) await beginAnew();
    } finally {
      this.#worthPages = copiedPages + this.#countPages().waiting;
      this.#isCheckpointing = false;
    }
  }

  /** The pages in the log, and those of them that no checkpoint has copied as yet. */
  #countPages(): { readonly all: number; readonly waiting: number } {
    const [row] = this.#db.query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)').all();
    const { log = 0, checkpointed = 0 } = row ?? {};
    return { all: log, waiting: log - checkpointed };
  }
}
