/** List positions restored by Undo, whose writes raise `updatedAt`. */
import type { Note } from '../../../domain/note.ts';
import { newestFirst } from '../../../domain/sort.ts';

/** By id: the `updatedAt` of the restored note, and the time to sort it by. */
const places = new Map<Note['id'], { readonly updatedAt: string; readonly place: string }>();

/** Keeps a note at the position of a former state, until its next write. */
export function keepPlace({ id, updatedAt }: Note, before: Note): void {
  places.set(id, { updatedAt, place: placeOf(before) });
}

/** The time to sort a note by. */
export function placeOf({ id, updatedAt }: Pick<Note, 'id' | 'updatedAt'>): string {
  const kept = places.get(id);
  return kept?.updatedAt === updatedAt ? kept.place : updatedAt;
}

const placed = (note: Note) => ({ id: note.id, updatedAt: placeOf(note) });

/** The order of the list. */
export const byPlace = (one: Note, other: Note): number =>
  places.size === 0 ? newestFirst(one, other) : newestFirst(placed(one), placed(other));
