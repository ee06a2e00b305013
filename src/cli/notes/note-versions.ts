import { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import type { NoteStore } from '../../core/store.ts';
import type { NoteFlags } from '../flag-types.ts';
import type { Io } from '../io.ts';
import { type FindFlags, findOrPickNote } from './find-or-pick-note.ts';
import { openNoteStoreOrEmptyDefault } from './open-note-store.ts';

interface VersionFlags extends NoteFlags, FindFlags {
  readonly version?: number;
}

/** Returns the note that words find or a person picks, or its version that `--version` names. */
export async function findOrPickNoteVersion(words: readonly string[], flags: VersionFlags, io: Io): Promise<Note> {
  const note = await findOrPickNote(words, flags, { flags, io });
  if (flags.version === undefined) return note;
  await using store = await openNoteStoreOrEmptyDefault(io, flags);
  return await getEarlierVersion(store, note.id, flags.version);
}

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
