/**
 * Decides what a write does to a note, for all databases: they read the stored note, and store what is decided here.
 */
import { NoteError } from '../core/error.ts';
import * as message from '../core/error-messages.ts';
import type { Note, NoteDraft, NotePatch } from '../core/note.ts';
import type { IfMatch } from '../core/store.ts';
import { hasSameDraftFields } from '../core/versions.ts';
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
export type WriteResult = Note | NoteError;

/** The note after an update, and its state before if that becomes a version in its history. */
export interface ChangeDecision {
  readonly note: Note;
  readonly version: Note | undefined;
}

/** Creates the note, without storing it. `at` is the time of its creation in ms since 1970. */
export function createNoteFromDraft(
  id: number,
  { title, content, category, group, color }: NoteDraft,
  at: number,
): Note {
  const createdAt = formatTime(at);
  return { id, title, content, category, group, color, archived: false, createdAt, updatedAt: createdAt };
}

/** Decides an update at `now`, in ms since 1970. `updatedAt` rises by at least 1 ms, even if the clock was set back. */
export function decideUpdate(
  stored: Note | undefined,
  { id, change, ifMatch }: UpdateWrite,
  now: number,
): ChangeDecision | NoteError {
  if (stored === undefined) return new NoteError('not_found', message.noSuchNote(id));
  if (ifMatch?.includes(stored.updatedAt) === false) return new NoteError('conflict', message.noteChanged(id));
  const updatedAt = formatTime(Math.max(now, Date.parse(stored.updatedAt) + 1));
  const note = { ...stored, ...change, updatedAt };
  return { note, version: hasSameDraftFields(stored, note) ? undefined : stored };
}
