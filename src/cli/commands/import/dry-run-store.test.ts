import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createPortableNote } from '../../../../test/support/sample-notes.ts';
import { listOutcomes } from '../../../../test/support/stores/stores.ts';
import type { Note } from '../../../core/note.ts';
import type { ImportTargetResult } from '../../../formats/importer.ts';
import { openSqlite } from '../../../store/open-sqlite.ts';
import { DryRunStore } from './dry-run-store.ts';

const time = (ms: number) => new Date(ms).toISOString();

/** Notes of which many have the same id, times or text. */
const anyNote = fc
  .record({
    id: fc.integer({ min: 1, max: 2 }),
    title: fc.constantFrom('a', 'b'),
    archived: fc.boolean(),
    createdAt: fc.constantFrom(0, 0, 0, 1),
    updatedAt: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ id, title, archived, createdAt, updatedAt }) =>
    createPortableNote(id, { title, archived, createdAt: time(createdAt), updatedAt: time(updatedAt) }),
  );
const anyBatches = fc.array(fc.array(anyNote, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 4 });

/** A version that an earlier batch has added is added once more: a dry run does not know the versions of batches. */
const inOneWord = ({ outcome }: ImportTargetResult) => (outcome === 'left' ? 'unchanged' : outcome);

test('the batches of a dry run have the outcomes that they have once they are merged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyNote, { maxLength: 4 }), anyBatches, async (stored, batches) => {
      await using store = await openSqlite({ path: ':memory:' });
      await store.merge(stored);

      const target = new DryRunStore(store);
      const tried = [];
      for (const batch of batches) tried.push(await target.merge(batch));

      const outcomes = [];
      for (const batch of batches) outcomes.push(await store.merge(batch));
      expect(tried.map((batch) => batch.map(inOneWord))).toEqual(outcomes.map((batch) => batch.map(inOneWord)));
    }),
    { numRuns: 50 },
  );
});

test('versions that the store has are not added again, also in a batch after that of their note', async () => {
  await using store = await openSqlite({ path: ':memory:' });
  const [first, second, third, fourth] = ['a', 'b', 'c', 'd'].map((title, ms) =>
    createPortableNote(1, { title, createdAt: time(0), updatedAt: time(ms) }),
  ) as [Note, Note, Note, Note];
  await store.merge([first]);
  await store.merge([second]);

  const target = new DryRunStore(store);

  expect(await target.merge([fourth])).toEqual([{ outcome: 'updated', id: 1 }]);
  expect(listOutcomes(await target.merge([third, second, first]))).toEqual(['left', 'unchanged', 'unchanged']);
});
