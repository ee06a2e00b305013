/** What clients did to the notes of a service, and what they were answered: the operations of a history. */
import type { Note, NoteDraft, NoteFilter } from '../../../src/domain/note.ts';

interface Asked {
  readonly by: string;
  /** When it was sent and when its answer had come, in ms of one clock for all. */
  readonly from: number;
  /** Infinite when it is not known whether it took effect: it may do so at any later moment. */
  readonly to: number;
}

/** What was sent for one note; without an id, a draft. */
export interface Change {
  readonly id?: number;
  readonly fields: Partial<NoteDraft & Pick<Note, 'archived'>>;
}

/** Changes that take effect at one moment. */
export interface Write extends Asked {
  readonly kind: 'write';
  readonly changes: readonly Change[];
  /** What became of each note; undefined when that is not known. */
  readonly notes: readonly Note[] | undefined;
}

/** The note with this id, or the notes that match a filter. */
export type Scope = NoteFilter & { readonly id?: number };

/** The notes of a scope at one moment; none for a note that was not found. */
export interface Read extends Asked {
  readonly kind: 'read';
  readonly scope: Scope;
  readonly notes: readonly Note[];
}

export type Operation = Write | Read;

export const isIn = ({ id, archived, category, group }: Scope, note: Note): boolean =>
  (id === undefined || id === note.id) &&
  (archived === undefined || archived === note.archived) &&
  (category === undefined || category === note.category) &&
  (group === undefined || group === note.group);
