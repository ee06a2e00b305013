import { expect, test } from 'bun:test';
import { createCorpus } from '../../../test/support/data/corpus.ts';
import { createPortableNote } from '../../../test/support/sample-notes.ts';
import type { Note, NoteFilter } from '../../core/note.ts';
import { compareNewestFirst } from '../../core/note-order.ts';
import { searchExactlyOrMistyped } from '../../core/search.ts';
import { searchBatchesForBestNotes } from './best-notes.ts';

const note = (id: number, title: string, content = 'content') =>
  createPortableNote(id, { title, content, updatedAt: `2026-01-01T00:00:00.${String(id).padStart(3, '0')}Z` });

async function* inBatches(...batches: readonly (readonly Note[])[]) {
  yield* batches;
}

const findBestIds = async (notes: AsyncGenerator<readonly Note[]>, query: string, limit = 10) => {
  const found = await searchBatchesForBestNotes(notes, { query, filter: {}, limit });
  return [found.total, ...found.notes.map(({ id }) => id)];
};

test('notes added in parts are ranked as all at once', async () => {
  const notes = createCorpus(500).map(
    (draft, index): Note => ({
      ...note(index + 1, ''),
      ...draft,
      updatedAt: `2026-01-01T00:00:${10 + (index % 7)}.000Z`,
    }),
  );
  const parts = Array.from({ length: 10 }, (_, part) => notes.slice(50 * part, 50 * part + 50));

  for (const query of ['', 'the', 'git log', 'bergen', 'retreis', 'in the', 'a\u0301 e', '\u0301', 'nowhere at all']) {
    const all = searchExactlyOrMistyped(notes.toSorted(compareNewestFirst), query);
    const found = await searchBatchesForBestNotes(inBatches(...parts), { query, filter: {}, limit: 30 });

    expect(found.notes, query).toEqual(all.slice(0, 30));
    expect(found.total, query).toBe(all.length);
  }
});

test('only notes that match the filter count', async () => {
  const notes = [
    note(1, 'needle'),
    { ...note(2, 'needle'), category: 'css' as const },
    { ...note(3, 'needle'), archived: true },
  ];
  const ids = async (filter: NoteFilter) => {
    const found = await searchBatchesForBestNotes(inBatches(notes), { query: 'needle', filter, limit: 10 });
    return [found.total, ...found.notes.map(({ id }) => id)];
  };

  expect(await ids({ category: 'css' })).toEqual([1, 2]);
  expect(await ids({ archived: false })).toEqual([2, 2, 1]);
  expect(await ids({ archived: true, group: 'first' })).toEqual([1, 3]);
  expect(await ids({ group: 'second' })).toEqual([0]);
});

test('long notes are kept only while they fit, but always the best one', async () => {
  const long = (id: number) => note(id, 'needle', 'x'.repeat(384 * 1024));
  const huge = note(9, 'needle', 'x'.repeat(2 * 1024 * 1024));

  expect(await findBestIds(inBatches([long(1), long(2)], [long(3), long(4)]), 'needle')).toEqual([4, 4, 3]);
  expect(await findBestIds(inBatches([long(1), huge]), 'needle')).toEqual([2, 9]);
});
