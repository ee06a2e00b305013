import { expect, test } from 'bun:test';
import { createPortableNote } from '../../../test/support/sample-notes.ts';
import { createListSections } from './list-sections.ts';

const notes = [1, 2, 3, 4, 5].map((id) => createPortableNote(id));

const listIds = (pinned: readonly number[], copied: readonly number[], of = notes) =>
  createListSections(of, { pinned, copied }).map(({ name, notes }) => [name, ...notes.map(({ id }) => id)]);

test('pinned notes come first in the order of the pins, then those copied often, then the others in their order', () => {
  expect(listIds([4, 9, 2], [5])).toEqual([
    ['pinned', 4, 2],
    ['copied', 5],
    ['sorted', 1, 3],
  ]);
});

test('a note that is pinned and copied often is in one section only', () => {
  expect(listIds([4], [4, 3])).toEqual([
    ['pinned', 4],
    ['copied', 3],
    ['sorted', 1, 2, 5],
  ]);
});

test('a section without notes is left out', () => {
  expect(listIds([9], [3])).toEqual([
    ['copied', 3],
    ['sorted', 1, 2, 4, 5],
  ]);
  expect(listIds([3, 1, 2, 4, 5], [])).toEqual([['pinned', 3, 1, 2, 4, 5]]);
  expect(listIds([1], [2], [])).toEqual([]);
});

test('without pins and copies, the list itself is the only section', () => {
  const [section] = createListSections(notes, { pinned: [], copied: [] });

  expect(section?.notes).toBe(notes);
});
