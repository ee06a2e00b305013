import type { Note } from './note.ts';

type Dated = Pick<Note, 'id' | 'updatedAt'>;

/** Compares notes in display order: latest change first. */
export function compareNewestFirst(one: Dated, other: Dated): number {
  if (one.updatedAt === other.updatedAt) return other.id - one.id;
  return one.updatedAt < other.updatedAt ? 1 : -1;
}
