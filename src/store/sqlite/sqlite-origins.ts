import type { Database } from 'bun:sqlite';
import type { Origin, PortableNote } from '../../core/note.ts';
import { maxOrigins, type NoteOrigin } from '../../core/store.ts';
import type { Owners } from '../decide-merge.ts';

/** Returns the ids of stored notes that have the origins of these notes, by the keys of the origins. */
export function ownersAmong(db: Database, notes: readonly PortableNote[]): Owners {
  const select = db.query<{ id: number }, [string]>(
    'SELECT notes.id FROM note_origins JOIN notes ON notes.id = note_id WHERE key = ? LIMIT 1',
  );
  const owners: Owners = new Map();
  for (const { origin } of notes) {
    const [row] = origin === undefined ? [] : select.all(origin.key);
    if (origin !== undefined && row !== undefined) owners.set(origin.key, row.id);
  }
  return owners;
}

export function putOrigins(db: Database, origins: ReadonlyMap<number, Origin>): void {
  const put = db.query('INSERT OR REPLACE INTO note_origins (note_id, key, taken) VALUES (?, ?, ?)');
  for (const [noteId, { key, taken }] of origins) put.run(noteId, key, taken);
}

const select = `SELECT note_id AS id, key, taken FROM note_origins JOIN notes ON notes.id = note_id
  WHERE note_id > ? ORDER BY note_id LIMIT ?`;

export const readOrigins = (db: Database, after: number): readonly NoteOrigin[] =>
  db.query<NoteOrigin, [number, number]>(select).all(after, maxOrigins);
