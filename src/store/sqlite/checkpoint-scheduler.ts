import type { Database } from 'bun:sqlite';

/** When so many pages, 8 MiB, have not been copied into the database file, a checkpoint copies them. */
const checkpointPages = 2_000;
/**
 * After a checkpoint, a log of so many pages, 64 MiB, is restarted: it is written from its beginning again. Eight times
 * as often, that took 20 % of the processor time of updates.
 */
const restartPages = 16_000;
/** The pages are counted at most this often, in ms: at each commit, that took 6 % of a mixed load. */
const countIntervalMs = 20;

/** What SQLite says of the pages in the write-ahead log. */
export interface LogPageCounts {
  readonly log: number;
  /** How many of them a checkpoint has copied into the database file. */
  readonly checkpointed: number;
}

/** Counts the pages in the log of a database. Throws within a transaction of this connection. */
export const countLogPages = (db: Database): LogPageCounts =>
  db.query<LogPageCounts, []>('PRAGMA wal_checkpoint(NOOP)').get() ?? { log: 0, checkpointed: 0 };

/** The steps of a checkpoint. The second and the third follow only when the log is long. */
interface CheckpointSteps {
  /** Copies pages into the database file, while others commit. */
  readonly copyPages: () => Promise<LogPageCounts>;
  /**
   * Waits until the copied pages are on disk, while others commit. SQLite syncs the database file only when the whole
   * log has been copied: under load that happens at the restart, where the writes would wait for all of it.
   */
  readonly syncCopiedPages: () => Promise<void>;
  /** Copies the remaining pages while nobody commits, syncs these, and restarts the log. */
  readonly restart: () => Promise<unknown>;
}

/**
 * Decides when a service checkpoints the write-ahead log. SQLite's own checkpoints would sync the log, and the header
 * of a restarted log, within a commit on the event loop: here both happen on a worker.
 */
export class CheckpointScheduler {
  readonly #db: Database;
  #isRunning = false;
  /** When the pages were last counted, as a time of `performance.now()`. */
  #countedAt = 0;
  /** When they were counted last. */
  #uncopiedPages = 0;
  /** A checkpoint is due above so many uncopied pages: more than `checkpointPages` while readers prevent copying. */
  #duePages = checkpointPages;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Counts the pages, unless that was done shortly before, and returns whether to run a checkpoint now. */
  countPagesAndDecideIfDue(): boolean {
    const now = performance.now();
    if (this.#isRunning || now - this.#countedAt < countIntervalMs) return false;
    this.#countedAt = now;
    this.#uncopiedPages = countUncopiedPages(countLogPages(this.#db));
    return this.#uncopiedPages > this.#duePages;
  }

  /**
   * Runs a checkpoint, and restarts a long log after it. Other requests run meanwhile: at its end, a transaction may be
   * open, within which no pages can be counted.
   */
  async runCheckpointSteps({ copyPages, syncCopiedPages, restart }: CheckpointSteps): Promise<void> {
    this.#isRunning = true;
    try {
      const counts = await copyPages();
      this.#uncopiedPages = countUncopiedPages(counts);
      if (counts.log > restartPages) {
        await syncCopiedPages();
        await restart();
      }
    } finally {
      this.#duePages = checkpointPages + this.#uncopiedPages;
      this.#isRunning = false;
    }
  }
}

const countUncopiedPages = ({ log, checkpointed }: LogPageCounts): number => log - checkpointed;
