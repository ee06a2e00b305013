/** What a write does to a note, decided here for all engines: they read rows, ask, and write rows. */
import { NoteError } from '../core/error.ts';
import * as message from '../core/message.ts';
import type { Note } from '../core/note.ts';
import { hasSameFields } from '../core/versions.ts';
import type { Change } from './engine.ts';
import { timestamp } from './row.ts';

/** A stored note, and its state before if that becomes a version in its history. */
export interface Decision {
  readonly note: Note;
  readonly version: Note | undefined;
}

/** Decides a change at `now`, in ms since 1970: `updatedAt` rises by at least 1 ms, whatever the clock says. */
export function decideChange(stored: Note | undefined, { id, change, ifMatch }: Change, now: number) {
  if (stored === undefined) return new NoteError('not_found', message.noSuchNote(id));
  if (ifMatch?.includes(stored.updatedAt) === false) return new NoteError('conflict', message.noteChanged(id));
  const updatedAt = timestamp(Math.max(now, Date.parse(stored.updatedAt) + 1));
  const note = { ...stored, ...change, updatedAt };
  return { note, version: hasSameFields(stored, note) ? undefined : stored } satisfies Decision;
}
