import { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import type { NoteStore } from '../../core/store.ts';

/** Returns an earlier version by its number in the history; 1 is the newest. Throws `not_found`. */
export async function getEarlierVersion(store: NoteStore, id: number, number: number): Promise<Note> {
  let before = 0;
  for await (const some of store.history(id, number)) {
    const version = some[number - 1 - before];
    if (version !== undefined) return version;
    before += some.length;
  }
  if (before === 0) throw new NoteError('not_found', `Note ${id} has no earlier version`);
  throw new NoteError('not_found', `Note ${id} has no version ${number}. "notes history ${id}" lists its versions`);
}
