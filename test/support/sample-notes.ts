import type { Note, NoteDraft, PortableNote } from '../../src/core/note.ts';

/** A valid draft with the given changes. */
export const createDraft = (changes: Partial<NoteDraft> = {}): NoteDraft => ({
  title: 'A title',
  content: 'Some content',
  category: 'notes',
  group: 'first',
  color: 'primary',
  ...changes,
});

/** A note that has no id yet, from the beginning of 2020, with the given changes. */
export const createUnstoredNote = (changes: Partial<Omit<Note, 'id'>> = {}): Omit<Note, 'id'> => ({
  ...createDraft(),
  archived: false,
  createdAt: '2020-01-01T00:00:00.000Z',
  updatedAt: '2020-01-01T00:00:00.000Z',
  ...changes,
});

/** A note of another store, from the beginning of 2020, with the given changes. */
export const createPortableNote = (id: number, changes: Partial<Note> = {}): Note => ({
  ...createUnstoredNote(changes),
  id,
});

/** A note that a store gives an id. */
export function copyWithoutId({ id: _, ...note }: Note): PortableNote {
  return note;
}
