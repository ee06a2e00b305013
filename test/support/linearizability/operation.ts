/** The operations of a history: requests of clients and their responses. */
import type { Note, NoteDraft, NoteFilter } from '../../../src/core/note.ts';

interface RequestTimes {
  readonly by: string;
  /** The times of request and response, in ms of a common clock. */
  readonly from: number;
  /** Infinite if unknown: the operation may take effect at any later moment. */
  readonly to: number;
}

/** A change of one note; without an id, a create. */
export interface Change {
  readonly id?: number;
  readonly fields: Partial<NoteDraft & Pick<Note, 'archived'>>;
}

/** Changes that take effect at one moment. */
export interface Write extends RequestTimes {
  readonly kind: 'write';
  readonly changes: readonly Change[];
  /** The resulting notes; undefined if unknown. */
  readonly notes: readonly Note[] | undefined;
}

/** The note with this id, or the notes that match a filter. */
export type Scope = NoteFilter & { readonly id?: number };

/** The notes of a scope at one moment; none for a note that was not found. */
export interface Read extends RequestTimes {
  readonly kind: 'read';
  readonly scope: Scope;
  readonly notes: readonly Note[];
}

export type Operation = Write | Read;

export const isNoteInScope = ({ id, archived, category, group }: Scope, note: Note): boolean =>
  (id === undefined || id === note.id) &&
  (archived === undefined || archived === note.archived) &&
  (category === undefined || category === note.category) &&
  (group === undefined || group === note.group);
