import type { Database } from 'bun:sqlite';
import type { Origin } from '../../../domain/note.ts';
import { maxOrigins, type NoteOrigin } from '../../../domain/store.ts';

/** Statements on origins of notes. */
export interface PreparedOrigins {
  /** Returns the note with this key; undefined if there is none, or it was deleted. */
  ownerOf(key: string): number | undefined;
  /** Does nothing if either is undefined. */
  put(noteId: number | undefined, origin: Origin | undefined): void;
  read(after: number): NoteOrigin[];
}

export function prepareOrigins(db: Database): PreparedOrigins {
  const selectOwner = db.prepare<{ id: number }, [string]>(
    'SELECT notes.id FROM note_origins JOIN notes ON notes.id = note_id WHERE key = ? LIMIT 1',
  );
  const put = db.prepare('INSERT OR REPLACE INTO note_origins (note_id, key, taken) VALUES (?, ?, ?)');
  const select = db.prepare<NoteOrigin, [number, number]>(
    'SELECT note_id AS id, key, taken FROM note_origins JOIN notes ON notes.id = note_id WHERE note_id > ? ORDER BY note_id LIMIT ?',
  );
  return {
    ownerOf: (key) => selectOwner.all(key)[0]?.id,
    put: (noteId, origin) => {
      if (noteId !== undefined && origin !== undefined) put.run(noteId, origin.key, origin.taken);
    },
    read: (after) => select.all(after, maxOrigins),
  };
}
