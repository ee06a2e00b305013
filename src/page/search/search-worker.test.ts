import { expect, test } from 'bun:test';
import { createCorpus } from '../../../test/support/data/corpus.ts';
import { createPortableNote } from '../../../test/support/sample-notes.ts';
import type { Note } from '../../core/note.ts';
import { compareNewestFirst } from '../../core/note-order.ts';
import { searchExactlyOrMistyped } from '../../core/search.ts';
import { WorkerClient } from '../../core/workers/worker-client.ts';
import type { NoteBatch, SearchMethods } from './search-worker.ts';

const createClient = () =>
  new WorkerClient<SearchMethods>({ startWorker: () => new Worker(new URL('./search-worker.ts', import.meta.url)) });

const notes = createCorpus(3_000).map((draft, index): Note => createPortableNote(index + 1, draft));

const createBatch = (some: readonly Note[]): NoteBatch => ({
  ids: Float64Array.from(some, ({ id }) => id),
  updatedAt: some.map(({ updatedAt }) => updatedAt),
  texts: some.flatMap(({ title, content }) => [title, content]).join('\0'),
});

test('a search returns all hits, the best ones first, and then all in the order of their ranks', async () => {
  using client = createClient();
  await client.request('addNotes', [createBatch(notes.slice(0, 1_000))]);
  await client.request('addNotes', [createBatch(notes.slice(1_000))]);

  for (const query of ['e', 'un', 'undo the', 'cafe', 'databse', 'nowhere at all']) {
    const expected = searchExactlyOrMistyped(notes.toSorted(compareNewestFirst), query).map(({ id }) => id - 1);
    const found = await client.request('search', [{ query }]);
    let ranked = await client.request('rankMoreHits', []);
    while (ranked === undefined) ranked = await client.request('rankMoreHits', []);

    expect([...found.places.subarray(0, found.rankedCount)], query).toEqual(expected.slice(0, found.rankedCount));
    expect(found.rankedCount, query).toBeGreaterThanOrEqual(Math.min(200, expected.length));
    expect(found.places.toSorted(), query).toEqual(Uint32Array.from(expected).sort());
    expect([...ranked.places], query).toEqual(expected);
    expect(ranked.rankedCount, query).toBe(expected.length);
  }
});

test('a note that is added again is found by its new text alone, at its new place', async () => {
  using client = createClient();
  await client.request('addNotes', [createBatch(notes.slice(0, 10))]);
  await client.request('addNotes', [createBatch([{ ...notes[3], title: 'Quagga' } as Note])]);

  const { places } = await client.request('search', [{ query: 'quagga' }]);
  const all = await client.request('search', [{ query: '' }]);

  expect([...places]).toEqual([10]);
  expect(all.places.toSorted()).toEqual(Uint32Array.of(0, 1, 2, 4, 5, 6, 7, 8, 9, 10));
});
