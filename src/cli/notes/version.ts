import { NoteError } from '../../domain/error.ts';
import type { Note } from '../../domain/note.ts';
import type { NoteStore } from '../../domain/store.ts';
import { versionNumber } from '../../domain/versions.ts';

/** An earlier version, by its number in the history. Throws `not_found` where there is no such version. */
export async function versionOf(store: NoteStore, id: number, number: number): Promise<Note> {
  const version = await versionNumber(store, id, number);
  if (version !== undefined) return version;
  throw new NoteError(
    'not_found',
    `Note ${id} has no version ${number}. "notes history ${id}" shows those that it has`,
  );
}
