import type { NoteError } from '../domain/error.ts';
import type { Note, NoteDraft, NotePatch } from '../domain/note.ts';
import type { IfMatch } from '../domain/store.ts';

/** One write, as data, so that many can be committed together. */
export type Write =
  | { readonly kind: 'create'; readonly draft: NoteDraft }
  | { readonly kind: 'change'; readonly id: number; readonly change: NoteChange; readonly ifMatch?: IfMatch };

/** What a write changes of a stored note; `updatedAt` rises in any case. */
export type NoteChange = NotePatch & { readonly archived?: boolean };

/**
 * What became of one write: the note as it is now, or why this write alone was refused. With the code `busy` it was passed
 * over, as another program holds its note, and is offered again.
 */
export type Outcome = Note | NoteError;

/** The part of an engine that the commit queue drives. */
export interface WriteEngine {
  /**
   * Applies the writes in order within one durable transaction and resolves with their outcomes. It may stop early:
   * then these are the outcomes of a non-empty prefix, and the rest is offered again. A promise stands for a write that
   * took no effect in this transaction, and is committed by another one later.
   * Rejecting fails all of them; a `NoteError` with code `busy` promises that none took effect.
   * @param since When each of them was submitted, as `performance.now()` tells it.
   */
  commit(writes: readonly Write[], since: readonly number[]): Promise<readonly (Outcome | Promise<Note>)[]>;
}
