import { expect, test } from 'bun:test';
import { portableNote } from '../../test/support/service.ts';
import { historyOf } from '../../test/support/stores/stores.ts';
import type { Note, PortableNote } from '../domain/note.ts';
import type { PortableStore } from '../domain/store.ts';
import { openSqlite } from '../store/sqlite/open.ts';
import { Importer, type ImportOptions } from './importer.ts';
import type { ReadRecord } from './record.ts';

const time = (ms: number) => new Date(Date.UTC(2020, 0, 1) + ms).toISOString();
const withoutId = ({ id: _, ...note }: Note): PortableNote => note;
const recordOf = (note: PortableNote, others = {}): ReadRecord => ({ kind: 'note', location: 'here', note, ...others });

/** Imports records into a store, and returns the report and the reasons of what was skipped. */
async function imported(store: PortableStore, records: readonly ReadRecord[], options: Partial<ImportOptions> = {}) {
  const skipped: string[] = [];
  const importer = new Importer(store, {
    onSkipped: ({ kind, reason }) => skipped.push(`${kind}: ${reason}`),
    onBatch() {},
    digest: (text) => text,
    ...options,
  });
  await importer.run(records);
  const counts = Object.entries(importer.report).filter(([, count]) => (Array.isArray(count) ? count.length : count));
  return { report: Object.fromEntries(counts), skipped };
}

const open = async (...notes: readonly Note[]) => {
  const store = await openSqlite({ path: ':memory:' });
  await store.merge(notes);
  return store;
};

const stored = portableNote(1, { title: 'Stored', createdAt: time(0), updatedAt: time(5) });

test.each<[string, Partial<Note>, object, string]>([
  ['the same note', {}, { unchanged: 1 }, 'Stored'],
  ['a newer state of it', { title: 'New', updatedAt: time(6) }, { replaced: 1, replacedIds: [1] }, 'New'],
  ['an older state, which becomes a version', { title: 'Old', updatedAt: time(4) }, { versions: 1 }, 'Stored'],
  ['another state of the same time', { title: 'Other' }, { different: 1, differentIds: [1] }, 'Stored'],
])('a known id: %s', async (_, changes, report, title) => {
  await using store = await open(stored);

  const result = await imported(store, [recordOf({ ...stored, ...changes })]);

  expect(result.report).toEqual({ read: 1, ...report });
  expect((await store.list()).map((note) => note.title)).toEqual([title]);
});

test('a known id of another note: both are kept, the imported one under a new id, once', async () => {
  await using store = await open(stored, portableNote(2));
  const other = portableNote(1, { title: 'Other', createdAt: time(1), updatedAt: time(1) });

  const first = await imported(store, [recordOf(other)]);
  const second = await imported(store, [recordOf(other)]);

  expect(first.report).toEqual({ read: 1, added: 1, renumbered: 1, renumberedIds: [1] });
  expect(second.report).toEqual({ read: 1, unchanged: 1 });
  expect((await store.list()).map(({ id, title }) => [id, title])).toEqual([
    [1, 'Stored'],
    [2, 'A title'],
    [3, 'Other'],
  ]);
});

test('a note without id is new, after those with ids, unless its text is there', async () => {
  await using store = await open(stored);
  const [isNew, same] = [portableNote(0, { title: 'New' }), stored].map(withoutId) as [PortableNote, PortableNote];
  const long = portableNote(2, { content: 'x'.repeat(300_000) }); // in a batch of its own

  const { report } = await imported(
    store,
    [isNew, same, isNew, long].map((note) => recordOf(note)),
  );

  expect(report).toEqual({ read: 4, added: 2, unchanged: 2 });
  expect((await store.list()).map(({ id, title }) => [id, title])).toEqual([
    [1, 'Stored'],
    [2, 'A title'],
    [3, 'New'],
  ]);
});

test('with new ids, each note is added, and earlier versions are left out', async () => {
  await using store = await open(stored);
  const version = { ...stored, title: 'Earlier', updatedAt: time(4) };

  const { report, skipped } = await imported(store, [recordOf(stored), recordOf(version)], { newIds: true });

  expect(report).toEqual({ read: 2, unchanged: 1, leftOut: 1 });
  expect(skipped).toEqual(['left out: an earlier version of a note that was given a new id']);
});

test('a source that has changed updates its note, unless both sides have: then the history has theirs', async () => {
  await using store = await open();
  const source = (title: string, updatedAt: string) =>
    recordOf(withoutId(portableNote(0, { title, createdAt: time(0), updatedAt })), { origin: 'file:/a.md' });

  const first = await imported(store, [source('One', time(0))]);
  const again = await imported(store, [source('One', time(0))]);
  const updated = await imported(store, [source('Two', time(1))]);
  await store.update(1, { title: 'Mine' });
  const diverged = await imported(store, [source('Three', time(2))]);

  expect([first, again, updated, diverged].map(({ report }) => report)).toEqual([
    { read: 1, added: 1 },
    { read: 1, unchanged: 1 },
    { read: 1, updated: 1, updatedIds: [1] },
    { read: 1, diverged: 1, divergedIds: [1] },
  ]);
  expect((await store.list()).map(({ title }) => title)).toEqual(['Mine']);
  expect((await historyOf(store, 1)).map(({ title }) => title)).toContain('Three');
});

test('a bad note is reported and the others are stored, or none after it', async () => {
  const bad: ReadRecord = { kind: 'bad', location: 'here', reason: 'Must be valid JSON' };
  const records = [recordOf(portableNote(1)), bad, recordOf(portableNote(2))];
  await using store = await open();
  await using stopped = await open();

  const all = await imported(store, records);
  const some = await imported(stopped, records, { stopsAtBad: true });

  expect([all.report, all.skipped]).toEqual([{ read: 2, added: 2, bad: 1 }, ['bad: Must be valid JSON']]);
  expect([some.report, (await stopped.list()).length]).toEqual([{ read: 1, added: 1, bad: 1 }, 1]);
});

test('what a guard holds is stored at the end, if it says so', async () => {
  await using store = await open();
  const held: ReadRecord[] = [];
  const guard = {
    check: (record: ReadRecord) => (held.push(record) > 1 ? record : undefined),
    held: async () => held.slice(0, 1),
  };

  const { report } = await imported(store, [recordOf(portableNote(1)), recordOf(portableNote(2))], { guard });

  expect(report).toEqual({ read: 2, added: 2 });
});
