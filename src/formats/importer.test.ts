import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { copyWithoutId, createPortableNote } from '../../test/support/sample-notes.ts';
import { collectEarlierVersions } from '../../test/support/stores/stores.ts';
import { DryRunStore } from '../cli/commands/import/dry-run-store.ts';
import type { Note, PortableNote } from '../core/note.ts';
import { openSqlite } from '../store/open-sqlite.ts';
import { Importer, type ImportOptions, type ImportTarget } from './importer.ts';
import type { ReadRecord } from './record.ts';

const time = (ms: number) => new Date(Date.UTC(2020, 0, 1) + ms).toISOString();
const createRecord = (note: PortableNote, others = {}): ReadRecord => ({
  kind: 'note',
  location: 'here',
  note,
  ...others,
});

/** Imports records into a store, and returns the report and the reasons of what was skipped. */
async function importInto(store: ImportTarget, records: readonly ReadRecord[], options: Partial<ImportOptions> = {}) {
  const skipped: string[] = [];
  const importer = new Importer(store, {
    onSkipped: ({ kind, reason }) => skipped.push(`${kind}: ${reason}`),
    onBatch() {},
    digest: (text) => text,
    ...options,
  });
  await importer.importRecords(records);
  const counts = Object.entries(importer.report).filter(([, count]) => (Array.isArray(count) ? count.length : count));
  return { report: Object.fromEntries(counts), skipped };
}

const openWith = async (...notes: readonly Note[]) => {
  const store = await openSqlite({ path: ':memory:' });
  await store.merge(notes);
  return store;
};

const stored = createPortableNote(1, { title: 'Stored', createdAt: time(0), updatedAt: time(5) });

test.each<[string, Partial<Note>, object, string]>([
  ['the same note', {}, { unchanged: 1 }, 'Stored'],
  ['a newer state of it', { title: 'New', updatedAt: time(6) }, { updated: 1, updatedIds: [1] }, 'New'],
  ['an older state, which becomes a version', { title: 'Old', updatedAt: time(4) }, { versions: 1 }, 'Stored'],
  ['another state of the same time', { title: 'Other' }, { left: 1, leftIds: [1] }, 'Stored'],
])('a known id: %s', async (_, changes, report, title) => {
  await using store = await openWith(stored);

  const result = await importInto(store, [createRecord({ ...stored, ...changes })]);

  expect(result.report).toEqual({ read: 1, ...report });
  expect((await store.list()).map((note) => note.title)).toEqual([title]);
});

test('a known id of another note: both are kept, the imported one under a new id, once', async () => {
  await using store = await openWith(stored, createPortableNote(2));
  const other = createPortableNote(1, { title: 'Other', createdAt: time(1), updatedAt: time(1) });

  const first = await importInto(store, [createRecord(other)]);
  const second = await importInto(store, [createRecord(other)]);

  expect(first.report).toEqual({ read: 1, added: 1, renumbered: 1, renumberedIds: [1] });
  expect(second.report).toEqual({ read: 1, unchanged: 1 });
  expect((await store.list()).map(({ id, title }) => [id, title])).toEqual([
    [1, 'Stored'],
    [2, 'A title'],
    [3, 'Other'],
  ]);
});

test('a note without id is new, after those with ids, unless its text is there', async () => {
  await using store = await openWith(stored);
  const [isNew, same] = [createPortableNote(0, { title: 'New' }), stored].map(copyWithoutId) as [
    PortableNote,
    PortableNote,
  ];
  const long = createPortableNote(2, { content: 'x'.repeat(300_000) }); // in a batch of its own

  const { report } = await importInto(
    store,
    [isNew, same, isNew, long].map((note) => createRecord(note)),
  );

  expect(report).toEqual({ read: 4, added: 2, unchanged: 2 });
  expect((await store.list()).map(({ id, title }) => [id, title])).toEqual([
    [1, 'Stored'],
    [2, 'A title'],
    [3, 'New'],
  ]);
});

test('notes without ids get ids in the order of the source, also if they are too many to hold', async () => {
  await using store = await openWith();
  const content = 'x'.repeat(200_000);
  const notes = Array.from({ length: 120 }, (_, n) => copyWithoutId(createPortableNote(0, { title: `${n}`, content })));

  const other = createPortableNote(5, { createdAt: time(9), updatedAt: time(9) });

  const { report } = await importInto(
    store,
    [...notes, other].map((note) => createRecord(note)),
  );

  expect(report).toEqual({ read: 121, added: 121, renumbered: 1, renumberedIds: [5] });
  const titles = (await store.list()).map(({ title }) => title);
  expect(titles).toEqual([...notes.map(({ title }) => title), 'A title']);
});

test('the ids of notes that are there already are told: of those with an id, a text or a source in common', async () => {
  await using store = await openWith(stored);
  const [text, source] = ['By text', 'By source'].map((title) => copyWithoutId(createPortableNote(0, { title })));
  const records = [stored, text, source].map((note, index) =>
    createRecord(note as PortableNote, index === 2 && { origin: 'file:/a.md' }),
  );
  await importInto(store, records);
  for (const id of [1, 2, 3]) await store.setArchived(id, true);
  const unchanged: [number, string][] = [];

  const { report } = await importInto(store, records, {
    onUnchanged: (id, { note }) => unchanged.push([id, note.title]),
  });

  expect(report).toEqual({ read: 3, unchanged: 3 });
  expect(unchanged.toSorted()).toEqual([
    [1, 'Stored'],
    [2, 'By text'],
    [3, 'By source'],
  ]);
});

test('a source that has changed updates its note, unless that is newer: then the history has theirs', async () => {
  await using store = await openWith();
  const source = (title: string, updatedAt: string) =>
    createRecord(copyWithoutId(createPortableNote(0, { title, createdAt: time(0), updatedAt })), {
      origin: 'file:/a.md',
    });

  const first = await importInto(store, [source('One', time(0))]);
  const again = await importInto(store, [source('One', time(0))]);
  const updated = await importInto(store, [source('Two', time(1))]);
  await store.update(1, { title: 'Mine' });
  const diverged = await importInto(store, [source('Three', time(2))]);

  expect([first, again, updated, diverged].map(({ report }) => report)).toEqual([
    { read: 1, added: 1 },
    { read: 1, unchanged: 1 },
    { read: 1, updated: 1, updatedIds: [1] },
    { read: 1, versions: 1 },
  ]);
  expect((await store.list()).map(({ title }) => title)).toEqual(['Mine']);
  expect((await collectEarlierVersions(store, 1)).map(({ title }) => title)).toContain('Three');
});

describe('of a source that states its time', () => {
  const dated = (ms: number, content: string) =>
    createRecord(copyWithoutId(createPortableNote(0, { content, createdAt: time(0), updatedAt: time(ms) })), {
      origin: 'chatgpt:1',
      isDated: true,
    });
  const [short, long] = [dated(1, 'short'), dated(1, 'a longer text')];
  const [older, newer] = [dated(1, 'older, yet longer'), dated(2, 'newer')];

  test.each<[string, ReadRecord[][], Record<string, number | number[]>, string, string[]]>([
    ['older', [[newer], [older]], { read: 1, versions: 1 }, 'newer', ['older, yet longer']],
    ['newer', [[older], [newer]], { read: 1, updated: 1, updatedIds: [1] }, 'newer', ['older, yet longer']],
    ['shorter, of the same time', [[long], [short]], { read: 1, versions: 1 }, 'a longer text', ['short']],
    ['older, imported again', [[newer], [older], [older]], { read: 1, unchanged: 1 }, 'newer', ['older, yet longer']],
    ['older with the same text', [[dated(2, 'same')], [dated(1, 'same')]], { read: 1, unchanged: 1 }, 'same', []],
  ])(
    'the newest state is the note, the others are versions: the last one is %s',
    async (_, imports, report, ...texts) => {
      await using store = await openWith();

      const results = [];
      for (const records of imports) results.push(await importInto(store, records));

      expect(results.at(-1)?.report).toEqual(report);
      const versions = (await collectEarlierVersions(store, 1)).map(({ content }) => content);
      expect([(await store.list()).map(({ content }) => content), versions]).toEqual([[texts[0]], texts[1]]);
    },
  );

  test('a dry run counts two states in one source as an import does', async () => {
    await using store = await openWith();

    expect((await importInto(new DryRunStore(store), [newer, older])).report).toEqual({
      read: 2,
      added: 1,
      versions: 1,
    });
    expect(await store.list()).toEqual([]);
  });

  test('an older state does not replace one that was archived or changed here', async () => {
    await using store = await openWith();
    await importInto(store, [newer]);
    await store.update(1, { color: 'error' });
    await store.setArchived(1, true);

    expect((await importInto(store, [older])).report).toEqual({ read: 1, versions: 1 });
    expect(await store.list()).toMatchObject([{ content: 'newer', color: 'error', archived: true }]);

    const newest = dated(Date.now() + 60_000, 'newest');
    expect((await importInto(store, [newest])).report).toMatchObject({ updated: 1 });
    expect(await store.list()).toMatchObject([{ content: 'newest', archived: true }]);
  });

  test('an older state becomes a note of its own, once, if no history keeps it', async () => {
    await using store = await openSqlite({ path: ':memory:', maxVersions: 0 });
    await importInto(store, [newer]);

    const reports = [await importInto(store, [older]), await importInto(store, [older])];

    expect(reports.map(({ report }) => report)).toEqual([
      { read: 1, added: 1 },
      { read: 1, unchanged: 1 },
    ]);
    expect((await store.list()).map(({ content }) => content)).toEqual(['newer', 'older, yet longer']);
  });

  test('however its states arrive, the last one is the note and each text is kept once', async () => {
    const states = fc.uniqueArray(fc.record({ ms: fc.nat(3), length: fc.integer({ min: 1, max: 9 }) }), {
      minLength: 1,
      maxLength: 8,
      selector: ({ length }) => length,
    });
    await fc.assert(
      fc.asyncProperty(states, fc.nat(3), async (all, each) => {
        const records = all.map(({ ms, length }) => dated(ms, 'x'.repeat(length)));
        const imports = Array.from({ length: records.length }, (_, at) => records.slice(at * each, (at + 1) * each));
        await using store = await openWith();
        const state = async () => {
          const notes = await store.list();
          const versions = await Promise.all(notes.map(({ id }) => collectEarlierVersions(store, id)));
          return [...notes, ...versions.flat()].map(({ content }) => content.length);
        };

        for (const some of each === 0 ? [records] : imports) await importInto(store, some);
        const lengths = await state();
        await importInto(store, records);

        const last = all.toSorted((a, b) => a.ms - b.ms || a.length - b.length).at(-1)?.length;
        expect(await store.get(1)).toMatchObject({ content: 'x'.repeat(last ?? 0) });
        expect(lengths.toSorted()).toEqual(all.map(({ length }) => length).toSorted());
        expect(await state()).toEqual(lengths);
      }),
      { numRuns: 30 },
    );
  });
});
