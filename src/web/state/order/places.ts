/** Notes that Undo has put back where they were in the list: writing them raised their time. */
import type { Note } from '../../../domain/note.ts';
import { newestFirst } from '../../../domain/sort.ts';

/** By id: the time of the note that was put back, and the time that its place has. */
const places = new Map<Note['id'], { readonly updatedAt: string; readonly place: string }>();

/** Has a note stand where another state of it stood, until it is written again. */
export function keepPlace({ id, updatedAt }: Note, before: Note): void {
  places.set(id, { updatedAt, place: placeOf(before) });
}

/** The time by which a note has its place. */
export function placeOf({ id, updatedAt }: Pick<Note, 'id' | 'updatedAt'>): string {
  const kept = places.get(id);
  return kept?.updatedAt === updatedAt ? kept.place : updatedAt;
}

const placed = (note: Note) => ({ id: note.id, updatedAt: placeOf(note) });

/** Sorts notes as the list shows them. */
export const byPlace = (one: Note, other: Note): number =>
  places.size === 0 ? newestFirst(one, other) : newestFirst(placed(one), placed(other));
