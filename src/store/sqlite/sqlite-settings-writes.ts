import type { Database } from 'bun:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { StoredLabels } from '../../core/value-labels.ts';
import { splitStoredLabels } from '../stored-labels.ts';
import { readPinnedIds } from './sqlite-reads.ts';

/** Makes new ids follow `lastId`, unless a higher one has been assigned. */
export function raiseIdSequence(db: Database, lastId: number): void {
  db.run(`INSERT INTO sqlite_sequence (name, seq)
    SELECT 'notes', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'notes')`);
  db.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'notes'", [lastId]);
}

export function upsertLabels(db: Database, labels: StoredLabels): void {
  const { rows, categoryLabels } = splitStoredLabels(labels);
  const upsert = db.query('INSERT OR REPLACE INTO group_labels ("group", label) VALUES (?, ?)');
  for (const { group, label } of rows) upsert.run(group, label);
  db.query('INSERT OR REPLACE INTO category_labels (only_row, labels) VALUES (1, ?)').run(categoryLabels);
}

/** Replaces the pinned ids. Changes nothing and returns false if they are not those of `expectedIds`. */
export function replacePinnedIdsIfExpected(
  db: Database,
  ids: readonly number[],
  expectedIds: readonly number[] | undefined,
): boolean {
  const isExpected = expectedIds === undefined || isDeepStrictEqual(readPinnedIds(db), expectedIds);
  if (isExpected) db.query('INSERT OR REPLACE INTO pins (only_row, ids) VALUES (1, ?)').run(JSON.stringify(ids));
  return isExpected;
}

/** Inserts an ended session, and deletes those that ended by themselves before `deleteBefore`, in ms since 1970. */
export function insertEndedSessionAndDeleteExpired(
  db: Database,
  id: string,
  endsAt: number,
  deleteBefore: number,
): void {
  db.query('DELETE FROM ended_sessions WHERE ends_at < ?').run(deleteBefore);
  db.query('INSERT OR IGNORE INTO ended_sessions (id, ends_at) VALUES (?, ?)').run(id, endsAt);
}
