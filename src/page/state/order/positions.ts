/** List positions restored by Undo, whose writes raise `updatedAt`. */
import type { Note } from '../../../core/note.ts';
import { newestFirst } from '../../../core/sort.ts';

/** By id: the `updatedAt` of the restored note, and the time to sort it by. */
const positions = new Map<Note['id'], { readonly updatedAt: string; readonly sortTime: string }>();

/** Keeps a note at the position of a former state, until its next write. */
export function keepPosition({ id, updatedAt }: Note, before: Note): void {
  positions.set(id, { updatedAt, sortTime: sortTimeOf(before) });
}

/** The time to sort a note by. */
export function sortTimeOf({ id, updatedAt }: Pick<Note, 'id' | 'updatedAt'>): string {
  const position = positions.get(id);
  return position?.updatedAt === updatedAt ? position.sortTime : updatedAt;
}

const withSortTime = (note: Note) => ({ id: note.id, updatedAt: sortTimeOf(note) });

/** The order of the list. */
export const byPosition = (one: Note, other: Note): number =>
  positions.size === 0 ? newestFirst(one, other) : newestFirst(withSortTime(one), withSortTime(other));
