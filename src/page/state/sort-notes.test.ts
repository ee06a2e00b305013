import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createPortableNote } from '../../../test/support/sample-notes.ts';
import type { Note } from '../../core/note.ts';
import { type NoteSortOrder, sortNotes } from './sort-notes.ts';

const createNote = (id: number, title: string, createdAt: string): Note =>
  createPortableNote(id, {
    title,
    createdAt: `2026-01-${createdAt}T00:00:00.000Z`,
    updatedAt: '2026-02-01T00:00:00.000Z',
  });

const notes = [
  createNote(1, 'note 10', '03'),
  createNote(2, 'Écho', '01'),
  createNote(3, 'note 9', '03'),
  createNote(4, 'alpha', '05'),
];

const idsSortedBy = (sort: NoteSortOrder, mostCopied: readonly number[] = []) =>
  sortNotes(notes, sort, mostCopied).map(({ id }) => id);

test('each order has its rule, and notes that are equal by it stay as they come', () => {
  expect(idsSortedBy('changed')).toEqual([1, 2, 3, 4]);
  expect(idsSortedBy('created')).toEqual([4, 1, 3, 2]);
  expect(idsSortedBy('title')).toEqual([4, 2, 3, 1]); // accents and numbers as people read them
  expect(idsSortedBy('copied', [3, 99, 2])).toEqual([3, 2, 1, 4]);
});

test('beginning with the last result gives the same order, whichever notes have changed since', () => {
  const note = fc.record({ id: fc.nat(50), title: fc.constantFrom('a', 'b', 'c'), day: fc.constantFrom('01', '02') });
  const list = fc
    .uniqueArray(note, { selector: ({ id }) => id })
    .map((all) => all.map(({ id, title, day }) => createNote(id, title, day)));

  fc.assert(
    fc.property(list, list, fc.constantFrom<NoteSortOrder>('created', 'title', 'copied'), (some, others, sort) => {
      const kept = some.filter(({ id }) => id % 3 > 0);
      const next = [...others.filter(({ id }) => !kept.some((note) => note.id === id)), ...kept];
      const before = sortNotes(some, sort, [7, 3]);

      expect(sortNotes(next, sort, [7, 3], before)).toEqual(sortNotes(next, sort, [7, 3]));
    }),
  );
});
