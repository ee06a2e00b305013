import type { Database } from 'bun:sqlite';
import type { Labels } from '../../core/group-labels.ts';

/** Makes new ids follow `lastId`, unless a higher one has been assigned. */
export function raiseLastId(db: Database, lastId: number): void {
  db.run(`INSERT INTO sqlite_sequence (name, seq)
    SELECT 'notes', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'notes')`);
  db.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'notes'", [lastId]);
}

export function upsertLabels(db: Database, labels: Labels): void {
  const upsert = db.query('INSERT OR REPLACE INTO group_labels ("group", label) VALUES (?, ?)');
  for (const [group, label] of Object.entries(labels)) upsert.run(group, label);
}

/**
 * Inserts an ended session, and deletes those that would have expired before `deleteBefore`. Times in ms since 1970.
 */
export function insertEndedSessionAndDeleteExpired(
  db: Database,
  id: string,
  expiresAt: number,
  deleteBefore: number,
): void {
  db.query('DELETE FROM ended_sessions WHERE ends_at < ?').run(deleteBefore);
  db.query('INSERT OR IGNORE INTO ended_sessions (id, ends_at) VALUES (?, ?)').run(id, expiresAt);
}
