/** Merges beside other sessions of the database. test/integration/merge.test.ts has the contract of every store. */

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { ConnectionPool } from '../../src/store/postgres/connection-pool.ts';
import { mergeNotesAndRelease } from '../../src/store/postgres/postgres-merge.ts';
import { catchCodeAndMessage } from '../support/catch-code-and-message.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createEmptyDatabase, createPostgresOptions, type TestDatabase } from '../support/postgres/databases.ts';
import { databaseTimeoutMs } from '../support/postgres/deadline.ts';
import { createDraft, createPortableNote } from '../support/sample-notes.ts';
import { listOutcomes } from '../support/stores/stores.ts';
import { createRole, dataRights, openSession } from './roles.ts';

const earlier = '2020-01-01T00:00:00.000Z';
const later = '2020-01-01T00:00:00.001Z';
let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
beforeEach(async () => {
  await database.run('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
});
afterAll(() => database[Symbol.asyncDispose]());

const open = (options: object = {}) => openPostgres({ ...createPostgresOptions(database.url), ...options });

const insert = `INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
  VALUES ('Theirs', 'c', 'css', 'first', 'info', ${Date.parse(earlier)}, ${Date.parse(earlier)})`;

/** Whether a session waits for a lock. */
const isAnyWaiting = async () => {
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  return (await database.run(waiting)).length > 0;
};

test('another instance shows merged notes in its next list, under another revision', async () => {
  await using one = await open();
  await using two = await open();
  await one.merge([createPortableNote(1), createPortableNote(2)]);
  const before = await two.listJson({});

  await one.merge([createPortableNote(1, { title: 'Later', updatedAt: later }), createPortableNote(9)]);

  expect((await two.listJson({}, [before.revision])).kind).toBe('whole');
  expect(await two.list()).toEqual([
    createPortableNote(1, { title: 'Later', updatedAt: later }),
    createPortableNote(2),
    createPortableNote(9),
  ]);
  expect((await two.create(createDraft())).id).toBe(10);
});

test.each([
  ['COMMIT', 'updated'],
  ['ROLLBACK', 'added'],
] as const)('a merge waits for the creation of a note under one of its ids: %s, %s', async (end, expected) => {
  await using store = await open();
  await using other = openSession(database);
  await other.run(`BEGIN; ${insert}`);

  const ours = createPortableNote(1, { updatedAt: later });

  const merging = store.merge([ours]);
  const waits = await isEventuallyTrue(isAnyWaiting);
  const before = await Promise.race([merging, 'pending']);
  await other.run(end);

  expect([waits, before]).toEqual([true, 'pending']);
  expect(await merging).toEqual([{ outcome: expected, id: 1 }]);
  expect(await store.list()).toEqual([ours]);
});

test('a note that another program locks for too long fails the merge, and nothing is changed', async () => {
  await using store = await open({ timeoutMs: 2_000 });
  await using other = openSession(database);
  await store.merge([createPortableNote(2)]);
  await other.run('BEGIN; UPDATE notes SET color = color');

  const error = await catchCodeAndMessage(
    store.merge([createPortableNote(1), createPortableNote(2, { title: 'Later', updatedAt: later })]),
  );

  await other.run('ROLLBACK');
  expect(error).toMatchObject({ 0: 'busy' });
  expect(await store.list()).toEqual([createPortableNote(2)]);
});

test('concurrent merges of the same notes in all orders do not deadlock, even without advisory locks', async () => {
  await using _ = await open();
  await using connections = new ConnectionPool(createPostgresOptions(database.url).address, {
    poolSize: 8,
    timeoutMs: databaseTimeoutMs,
  });
  const ids = Array.from({ length: 30 }, (_, n) => n + 1);
  const placement = { isPlain: false, citus: undefined, distribution: 'local', shards: 0, isWorker: false } as const;
  const rules = { isDryRun: false, lastId: 0, maxVersions: 100, placement };
  const mergeAll = async (version: number) => {
    const updatedAt = new Date(Date.parse(earlier) + version).toISOString();
    const notes = ids.map((id) => createPortableNote(id, { updatedAt, title: `${version}` }));
    const ordered = [notes, notes.toReversed(), notes.toSorted((a, b) => (a.id % 7) - (b.id % 7))][version % 3] ?? [];
    return mergeNotesAndRelease(await connections.reserve(), ordered, rules);
  };

  const results = await Promise.allSettled(Array.from({ length: 60 }, (_, version) => mergeAll(version)));

  expect(results.filter((result) => result.status === 'rejected')).toEqual([]);
  expect(await database.run('SELECT DISTINCT title FROM notes')).toEqual([{ title: '59' }]);
  const outcomes = results.flatMap((result) => (result.status === 'fulfilled' ? [...result.value] : []));
  expect(outcomes.filter(({ outcome }) => outcome === 'added')).toHaveLength(ids.length);
});

test('without the log of changes, lists show merged notes too', async () => {
  await (await open())[Symbol.asyncDispose]();
  await database.run('DROP FUNCTION log_note_changes CASCADE; DROP TABLE note_changes');
  await using store = await open();
  await store.list();

  const outcomes = await store.merge([
    createPortableNote(7),
    createPortableNote(7, { title: 'Later', updatedAt: later }),
  ]);

  expect(listOutcomes(outcomes)).toEqual(['added', 'updated']);
  expect(await store.list()).toEqual([createPortableNote(7, { title: 'Later', updatedAt: later })]);
  expect((await store.create(createDraft())).id).toBe(8);
});

test('a role with the documented rights can merge; for a missing right the error names it', async () => {
  await (await open())[Symbol.asyncDispose]();
  await using role = await createRole(database);
  await database.run(dataRights(role.name));
  await using store = await openPostgres(createPostgresOptions(role.url));

  const outcomes = await store.merge([createPortableNote(7)]);
  await database.run(`REVOKE ALL ON SEQUENCE notes_id_seq FROM ${role.name}`);
  const noSequence = await catchCodeAndMessage(store.merge([createPortableNote(9)]));
  await database.run(`REVOKE INSERT ON note_origins FROM ${role.name}`);
  const { id: _, ...imported } = createPortableNote(9);
  const noOrigins = await catchCodeAndMessage(store.merge([{ ...imported, origin: { key: 'file:a.md', taken: '' } }]));

  expect(outcomes).toEqual([{ outcome: 'added', id: 7 }]);
  expect(noSequence).toEqual([
    'unavailable',
    expect.stringMatching(/lacks a right to notes_id_seq.*docs\/operations\/postgresql\.md/),
  ]);
  expect(noOrigins).toEqual(['unavailable', expect.stringContaining('lacks a right to note_origins, so nothing')]);
  expect(await store.list()).toEqual([createPortableNote(7)]);
});
