import { expect, test } from 'bun:test';
import type { Note } from '../domain/note.ts';
import { findBest, offsetIn } from './search.ts';

const note = (id: number, title: string, content = 'content'): Note => ({
  ...{ id, title, content, category: 'notes', group: 'first', color: 'info', archived: false },
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: `2026-01-01T00:00:00.${String(id).padStart(3, '0')}Z`,
});

async function* inBatches(...batches: readonly (readonly Note[])[]) {
  yield* batches;
}

const idsOf = async (notes: AsyncGenerator<readonly Note[]>, query: string, limit = 10) => {
  const found = await findBest(notes, { query, limit });
  return [found.total, ...found.notes.map(({ id }) => id)];
};

test('the best of all batches are kept, the newest of equally good ones first', async () => {
  const first = [note(1, 'x', 'needle'), note(2, 'needle'), note(3, 'y')];
  const second = [note(4, 'needle'), note(5, 'x', 'a needle')];

  expect(await idsOf(inBatches(first, second), 'needle')).toEqual([4, 4, 2, 5, 1]);
  expect(await idsOf(inBatches(first, [], second), 'needle', 3)).toEqual([4, 4, 2, 5]);
  expect(await idsOf(inBatches(first, second), '', 2)).toEqual([5, 5, 4]);
});

test('notes with a typing mistake count only while no batch holds the words as they were typed', async () => {
  const mistyped = [note(1, 'nedle'), note(2, 'needel')];
  const exact = [note(3, 'needle')];

  expect(await idsOf(inBatches(mistyped, [note(4, 'neddle')]), 'needle')).toEqual([3, 4, 2, 1]);
  expect(await idsOf(inBatches(mistyped, exact, mistyped), 'needle')).toEqual([1, 3]);
  expect(await idsOf(inBatches(exact, mistyped), 'needle')).toEqual([1, 3]);
});

test('the place of a hit is where its first word stands in the content, mistyped or not', () => {
  expect(offsetIn(note(1, 'x', 'in the haystack a needle'), 'needle')).toBe(18);
  expect(offsetIn(note(1, 'x', 'in the haystack a neddle'), 'needle')).toBe(18);
  expect(offsetIn(note(1, 'needle', 'only there'), 'needle')).toBe(0);
});
