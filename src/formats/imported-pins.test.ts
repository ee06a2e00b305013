import { describe, expect, test } from 'bun:test';
import { createPortableNote } from '../../test/support/sample-notes.ts';
import { DryRunStore } from '../cli/commands/import/dry-run-store.ts';
import { maxPins } from '../core/pins.ts';
import { openSqlite } from '../store/open-sqlite.ts';
import { copyNotesWithPins, ImportedPins, planImportedPins } from './imported-pins.ts';
import { Importer } from './importer.ts';
import type { NoteRecord } from './record.ts';

test('exported notes have their places among the pins, and others none', () => {
  expect(copyNotesWithPins([{ id: 1 }, { id: 2 }, { id: 3 }], [3, 9, 1])).toEqual([
    { id: 1, pin: 3 },
    { id: 2 },
    { id: 3, pin: 1 },
  ]);
});

describe('after an import', () => {
  test('the pins of before come first, and the imported ones follow by their places, each once', () => {
    const imported = [
      { place: 2, id: 9 },
      { place: 1, id: 7 },
      { place: 3, id: 4 },
      { place: 4, id: 9 },
    ];

    expect(planImportedPins([4, 2], imported)).toEqual({ ids: [4, 2, 7, 9], pinned: 2, notPinned: 0 });
  });

  test('at most 100 notes are pinned, and those beyond are counted', () => {
    const before = Array.from({ length: maxPins - 1 }, (_, at) => at + 1);

    const plan = planImportedPins(before, [
      { place: 2, id: 200 },
      { place: 1, id: 300 },
      { place: 3, id: undefined },
    ]);

    expect(plan).toEqual({ ids: [...before, 300], pinned: 1, notPinned: 2 });
    expect(planImportedPins([...before, 150], [{ place: 1, id: 300 }])).toMatchObject({ pinned: 0, notPinned: 1 });
  });
});

const createRecord = (id: number, createdAt: string, pin: number): NoteRecord => ({
  kind: 'note',
  location: 'here',
  note: createPortableNote(id, { title: `Note ${id} of ${createdAt}`, createdAt, updatedAt: createdAt }),
  pin,
});
const time = (day: number) => new Date(Date.UTC(2020, 0, day)).toISOString();

/** Opens a store with notes 1 and 2, of which note 2 is pinned. */
async function openWithPin() {
  const store = await openSqlite({ path: ':memory:' });
  await store.merge([1, 2].map((id) => createRecord(id, time(id), 1).note));
  await store.replacePins([2]);
  return store;
}

/** Note 1 of the store, another note 2, which gets a new id, and a new note 5. */
const records = [createRecord(1, time(1), 3), createRecord(2, time(20), 1), createRecord(5, time(5), 2)];

async function importRecords(
  store: Awaited<ReturnType<typeof openWithPin>>,
  imported: readonly NoteRecord[],
  isDryRun = false,
) {
  const pins = new ImportedPins();
  const importer = new Importer(isDryRun ? new DryRunStore(store) : store, {
    onSkipped() {},
    onBatch() {},
    onPinned: pins.rememberPin,
    digest: String,
  });
  await importer.importRecords(imported);
  return pins.pinNotes(store, { isDryRun });
}

describe('an import', () => {
  test('pins the ids that its notes have in the store, and repeated it pins nothing again', async () => {
    await using store = await openWithPin();

    const first = await importRecords(store, records);
    const { ids } = await store.readPins();
    const second = await importRecords(store, records);

    const notes = await Promise.all(ids.map((id) => store.get(id)));
    expect(first).toEqual({ pinned: 3, notPinned: 0 });
    expect(second).toEqual({ pinned: 0, notPinned: 0 });
    expect(notes.map(({ title }) => title)).toEqual([
      `Note 2 of ${time(2)}`,
      `Note 2 of ${time(20)}`,
      `Note 5 of ${time(5)}`,
      `Note 1 of ${time(1)}`,
    ]);
    expect((await store.readPins()).ids).toEqual(ids);
  });

  test('pins a note again whose new id it gets from its text, after it was unpinned', async () => {
    await using store = await openWithPin();
    await importRecords(store, records);
    const { ids } = await store.readPins();
    await store.replacePins([2]);

    await importRecords(store, records);

    expect((await store.readPins()).ids).toEqual(ids);
  });

  test('pins a note of which the store has a newer state', async () => {
    await using store = await openWithPin();
    await store.update(1, { title: 'Newer' });

    await importRecords(store, [createRecord(1, time(1), 1)]);

    expect((await store.readPins()).ids).toEqual([2, 1]);
  });

  test('as a dry run counts the pins, and sets none', async () => {
    await using store = await openWithPin();

    const counts = await importRecords(store, records, true);

    expect(counts).toEqual({ pinned: 3, notPinned: 0 });
    expect((await store.readPins()).ids).toEqual([2]);
  });

  test('keeps pins that somebody sets meanwhile', async () => {
    await using store = await openWithPin();
    const pins = new ImportedPins();
    pins.rememberPin(1, 1);
    let isFirst = true;
    const contested = {
      async readPins() {
        const read = await store.readPins();
        if (isFirst) await store.replacePins([]);
        isFirst = false;
        return read;
      },
      replacePins: store.replacePins.bind(store),
    };

    await pins.pinNotes(contested);

    expect((await store.readPins()).ids).toEqual([1]);
  });
});
