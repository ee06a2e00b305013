import { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import type { Note } from '../../../src/domain/note.ts';
import { columns, noteOf } from '../../../src/store/row.ts';
import { openSqlite } from '../../../src/store/sqlite/open.ts';
import type { NoteRow } from '../../../src/store/sqlite/row.ts';
import type { Versions } from '../../support/http/history.ts';

/** The contents of a database. */
export interface Contents {
  readonly notes: readonly Note[];
  readonly versions: Versions;
  /** The last assigned id. */
  readonly lastId: number;
  /** `ok`, or the errors that SQLite finds. */
  readonly integrity: string;
}

/** Opens a database as SQLite does after a power cut; a missing one, or one without a table, has no notes. */
export function notesInImage(path: string): Contents {
  if (!existsSync(path)) return { notes: [], versions: new Map(), lastId: 0, integrity: 'ok' };
  using db = new Database(path, { create: false, readwrite: true });
  const integrity = db.prepare<{ integrity_check: string }, []>('PRAGMA integrity_check').all();
  const has = (table: string) => db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').all(table).length > 0;
  return {
    notes: has('notes') ? db.prepare<NoteRow, []>(`SELECT ${columns} FROM notes ORDER BY id`).all().map(noteOf) : [],
    versions: has('note_versions') ? versionsIn(db) : new Map(),
    lastId: has('notes') ? lastIdIn(db) : 0,
    integrity: integrity.map((row) => row.integrity_check).join('; '),
  };
}

/** Contents of earlier versions by note id, oldest first. */
export function versionsIn(db: Database): Versions {
  const select = 'SELECT note_id, content FROM note_versions ORDER BY note_id, updated_at';
  const rows = db.prepare<{ note_id: number; content: string }, []>(select).all();
  const grouped = Map.groupBy(rows, ({ note_id }) => note_id);
  return new Map([...grouped].map(([id, versions]) => [id, versions.map(({ content }) => content)]));
}

function lastIdIn(db: Database): number {
  const rows = db.prepare<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'notes'").all();
  return rows[0]?.seq ?? 0;
}

/** The notes that the program finds when it opens a database. */
export async function openInProgram(path: string): Promise<readonly Note[]> {
  await using store = await openSqlite({ path });
  return await store.list();
}
