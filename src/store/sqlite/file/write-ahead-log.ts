import type { Database } from 'bun:sqlite';

/** The state of the write-ahead log, from SQLite. */
export interface LogState {
  readonly pages: number;
  /** How many of them are in the database file, too. */
  readonly checkpointed: number;
}

type CheckpointRow = { readonly busy: number; readonly log: number; readonly checkpointed: number };

/** Looks, and changes nothing (https://www.sqlite.org/pragma.html#pragma_wal_checkpoint). */
export function logStateOf(db: Database): LogState {
  const row = db.query<CheckpointRow, []>('PRAGMA wal_checkpoint(NOOP)').all()[0];
  return { pages: row?.log ?? 0, checkpointed: row?.checkpointed ?? 0 };
}

/**
 * Copies the log into the database as far as no reader needs the older pages; once all of it is copied, the next write begins
 * the log anew. By a call of our own: SQLite does not report errors of its automatic checkpoints.
 */
export function checkpoint(db: Database): void {
  db.run('PRAGMA wal_checkpoint(PASSIVE)');
}
