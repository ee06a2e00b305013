/** Every store keeps the pins, and never loses one of two concurrent writes that name the revision they have read. */
import { describe, expect, test } from 'bun:test';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { migrations } from '../../src/store/postgres/postgres-migrations.ts';
import { catchCodeAndMessage } from '../support/catch-code-and-message.ts';
import { createEmptyDatabase, createPostgresOptions } from '../support/postgres/databases.ts';
import { createDraft } from '../support/sample-notes.ts';
import { getErrorCodeOrNoError, type Open, stores } from '../support/stores/stores.ts';

/** Opens a store with notes 1 to `count`. */
async function openWithNotes(open: Open, count: number) {
  const store = await open();
  for (let n = 1; n <= count; n++) await store.create(createDraft());
  return store;
}

describe.each(stores)('%s', (_, open: Open) => {
  test('has no pins at first, and then the latest, in the order in which they were set', async () => {
    await using store = await openWithNotes(open, 3);

    const first = await store.readPins();
    const set = await store.replacePins([3, 1, 2]);
    const read = await store.readPins();
    await store.replacePins([2]);

    expect([first.ids, set.ids]).toEqual([[], [3, 1, 2]]);
    expect(read).toEqual(set);
    expect((await store.readPins()).ids).toEqual([2]);
  });

  test('gives the same ids the same revision, and others another one', async () => {
    await using store = await openWithNotes(open, 2);

    const both = await store.replacePins([1, 2]);
    const reversed = await store.replacePins([2, 1]);
    const again = await store.replacePins([1, 2]);

    expect(again.revision).toBe(both.revision);
    expect(reversed.revision).not.toBe(both.revision);
  });

  test('sets pins with one of the revisions, and rejects a write with none of them', async () => {
    await using store = await openWithNotes(open, 2);
    const none = await store.readPins();

    const set = await store.replacePins([1], ['other', none.revision]);
    const rejected = await catchCodeAndMessage(store.replacePins([2], [none.revision]));
    const rejectedWithoutRevision = await catchCodeAndMessage(store.replacePins([2], []));

    expect(rejected).toEqual(['conflict', 'The pins have changed since they were read']);
    expect(rejectedWithoutRevision).toEqual(rejected);
    expect(await store.readPins()).toEqual(set);
  });

  test('loses no pin of many that are added concurrently by writes with a revision', async () => {
    await using store = await openWithNotes(open, 8);
    const addPin = async (id: number): Promise<void> => {
      const { ids, revision } = await store.readPins();
      const isConflict = (await getErrorCodeOrNoError(store.replacePins([...ids, id], [revision]))) === 'conflict';
      if (isConflict) await addPin(id);
    };

    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(addPin));

    expect((await store.readPins()).ids.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('keeps the pin of an archived note, and rejects that of a missing one', async () => {
    await using store = await openWithNotes(open, 2);
    await store.replacePins([2, 1]);

    await store.setArchived(1, true);
    const rejected = await catchCodeAndMessage(store.replacePins([1, 7, 2]));

    expect(rejected).toEqual(['invalid', 'Invalid ids. Note with ID 7 not found']);
    expect((await store.readPins()).ids).toEqual([2, 1]);
    expect((await store.replacePins([1])).ids).toEqual([1]);
  });
});

test('on PostgreSQL, a program of the earlier schema keeps working beside one with pins', async () => {
  await using database = await createEmptyDatabase();
  await using before = await openPostgres({ ...createPostgresOptions(database.url), steps: migrations.slice(0, 6) });
  await using store = await openPostgres(createPostgresOptions(database.url));
  const note = await before.create(createDraft());

  await store.replacePins([note.id]);
  await before.setArchived(note.id, true);
  await before.assertReadableAndWritable();

  expect((await store.readPins()).ids).toEqual([note.id]);
});
