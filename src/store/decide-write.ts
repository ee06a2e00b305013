/** What a write does to a note. It is decided here for all databases: they read rows, ask, and write rows. */
import { NoteError } from '../core/error.ts';
import * as message from '../core/message.ts';
import type { Note, NoteDraft, NotePatch } from '../core/note.ts';
import type { IfMatch } from '../core/store.ts';
import { hasSameFields } from '../core/versions.ts';
import { formatTime } from './note-fields.ts';

/** A write as data, so that several can be committed together. */
export type Write =
  | { readonly kind: 'create'; readonly draft: NoteDraft }
  | { readonly kind: 'change'; readonly id: number; readonly change: FieldChanges; readonly ifMatch?: IfMatch };
export type CreateWrite = Extract<Write, { kind: 'create' }>;
export type UpdateWrite = Extract<Write, { kind: 'change' }>;

/** Changes to a stored note. `updatedAt` increases in any case. */
export type FieldChanges = NotePatch & { readonly archived?: boolean };

/** The written note, or why it was not written. */
export type WriteOutcome = Note | NoteError;

/** What a change makes of a note, and its state before if that becomes a version in its history. */
export interface ChangeDecision {
  readonly note: Note;
  readonly version: Note | undefined;
}

/** Creates the note of a draft at `at`, in ms since 1970. */
export function createNoteFromDraft(
  id: number,
  { title, content, category, group, color }: NoteDraft,
  at: number,
): Note {
  const createdAt = formatTime(at);
  return { id, title, content, category, group, color, archived: false, createdAt, updatedAt: createdAt };
}

/** Decides a change at `now`, in ms since 1970: `updatedAt` rises by at least 1 ms, whatever the clock says. */
export function decideUpdate(
  stored: Note | undefined,
  { id, change, ifMatch }: UpdateWrite,
  now: number,
): ChangeDecision | NoteError {
  if (stored === undefined) return new NoteError('not_found', message.noSuchNote(id));
  if (ifMatch?.includes(stored.updatedAt) === false) return new NoteError('conflict', message.noteChanged(id));
  const updatedAt = formatTime(Math.max(now, Date.parse(stored.updatedAt) + 1));
  const note = { ...stored, ...change, updatedAt };
  return { note, version: hasSameFields(stored, note) ? undefined : stored };
}
