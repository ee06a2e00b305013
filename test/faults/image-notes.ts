import { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import type { Note } from '../../src/domain/note.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { columns, type NoteRow, noteOf } from '../../src/store/sqlite/row.ts';

/** What a database holds. */
export interface Contents {
  readonly notes: readonly Note[];
  /** The last id that was given out. */
  readonly lastId: number;
  /** `ok`, or what SQLite finds wrong. */
  readonly integrity: string;
}

/** Opens a database as SQLite does after a power cut; one that is not there, or has no table yet, has no notes. */
export function notesInImage(path: string): Contents {
  if (!existsSync(path)) return { notes: [], lastId: 0, integrity: 'ok' };
  using db = new Database(path, { create: false, readwrite: true });
  const integrity = db.prepare<{ integrity_check: string }, []>('PRAGMA integrity_check').all();
  const isEmpty = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'notes'").all().length === 0;
  return {
    notes: isEmpty ? [] : db.prepare<NoteRow, []>(`SELECT ${columns} FROM notes ORDER BY id`).all().map(noteOf),
    lastId: isEmpty ? 0 : lastIdIn(db),
    integrity: integrity.map((row) => row.integrity_check).join('; '),
  };
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
