import type { NoteError } from '../domain/error.ts';
import type { Note, NoteDraft, NotePatch } from '../domain/note.ts';
import type { IfMatch } from '../domain/store.ts';

/** A write as data, so that several can be committed together. */
export type Write =
  | { readonly kind: 'create'; readonly draft: NoteDraft }
  | { readonly kind: 'change'; readonly id: number; readonly change: NoteChange; readonly ifMatch?: IfMatch };
export type Create = Extract<Write, { kind: 'create' }>;
export type Change = Extract<Write, { kind: 'change' }>;

/** Changes to a stored note. `updatedAt` increases in any case. */
export type NoteChange = NotePatch & { readonly archived?: boolean };

/**
 * The outcome of one write: the note, or why it was refused. With the code `busy`, another program holds the note, and
 * the write is retried.
 */
export type Outcome = Note | NoteError;

/** The part of an engine that the commit queue uses. */
export interface WriteEngine {
  /**
   * Applies the writes in order in one durable transaction and resolves with their outcomes. May return those of a
   * non-empty prefix only; the rest is submitted again. A promise as outcome means that the write had no effect here
   * and another transaction will commit it. A rejection fails all writes; a `NoteError` with the code `busy` promises
   * that none took effect.
   * @param since When each write was submitted, by `performance.now()`.
   */
  commit(writes: readonly Write[], since: readonly number[]): Promise<readonly (Outcome | Promise<Note>)[]>;
}
