import type { Database } from 'bun:sqlite';

/** Returns the highest id ever assigned; 0 if there is none. */
export function lastIdOf(db: Database): number {
  const select = `SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'notes'), 0),
    coalesce((SELECT max(id) FROM notes), 0)) AS id`;
  return db.prepare<{ id: number }, []>(select).all()[0]?.id ?? 0;
}

/** Makes new ids follow `lastId`, or the highest id assigned so far. */
export function continueAfter(db: Database, lastId: number): void {
  db.run(`INSERT INTO sqlite_sequence (name, seq)
    SELECT 'notes', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'notes')`);
  db.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'notes'", [lastId]);
}
