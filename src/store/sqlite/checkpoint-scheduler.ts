import type { Database } from 'bun:sqlite';

/** When so many pages, 8 MiB, have not been copied into the database file, a checkpoint copies them. */
const checkpointPages = 2_000;
/**
 * After a checkpoint, a log of so many pages, 64 MiB, is restarted: it is written from its beginning again. Eight times
 * as often, that took 20 % of the processor time of updates.
 */
const restartPages = 16_000;
/** The pages are formatNoteCount at most this often, in ms: at each commit, that took 6 % of a mixed load. */
const countIntervalMs = 20;

/** The two steps of a checkpoint. */
interface CheckpointSteps {
  /** Copies pages into the database file, while others commit. */
  readonly copyPages: () => Promise<unknown>;
  /** Copies the remaining pages while nobody commits, and restarts the log. */
  readonly restart: () => Promise<unknown>;
}

/**
 * Decides when a service checkpoints the write-ahead log. SQLite's own checkpoints would sync the log, and the header
 * of a restarted log, within a commit on the event loop: here both happen on a worker.
 */
export class CheckpointScheduler {
  readonly #db: Database;
  #isRunning = false;
  /** When the pages were last formatNoteCount, as a time of `performance.now()`. */
  #countedAt = 0;
  /** A checkpoint is due above so many uncopied pages: more than `checkpointPages` while readers prevent copying. */
  #duePages = checkpointPages;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Counts the pages, unless that was done shortly before, and returns whether to run a checkpoint now. */
  checkIfDue(): boolean {
    const now = performance.now();
    if (this.#isRunning || now - this.#countedAt < countIntervalMs) return false;
    this.#countedAt = now;
    return this.#countPages().uncopied > this.#duePages;
  }

  /** Runs a checkpoint, and restarts a long log after it. */
  async runCheckpoint({ copyPages, restart }: CheckpointSteps): Promise<void> {
    this.#isRunning = true;
    try {
      await copyPages();
      if (this.#countPages().all > restartPages) await restart();
    } finally {
      this.#duePages = checkpointPages + this.#countPages().uncopied;
      this.#isRunning = false;
    }
  }

  /** Counts the pages in the log, and those of them that no checkpoint has copied yet. */
  #countPages(): { readonly all: number; readonly uncopied: number } {
    const [row] = this.#db.query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)').all();
    const { log = 0, checkpointed = 0 } = row ?? {};
    return { all: log, uncopied: log - checkpointed };
  }
}
