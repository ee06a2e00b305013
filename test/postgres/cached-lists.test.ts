/** Cached lists equal the database, whichever programs write and however their transactions overlap. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { NoteFilter } from '../../src/core/note.ts';
import type { NoteEngine } from '../../src/core/store.ts';
import { noteColumnsSql, toNote } from '../../src/store/note-fields.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { ConnectionPool } from '../../src/store/postgres/connection-pool.ts';
import type { PostgresNoteRow } from '../../src/store/postgres/recordset.ts';
import { createEmptyDatabase, createPostgresOptions, type TestDatabase } from '../support/postgres/databases.ts';
import { databaseTimeoutMs } from '../support/postgres/deadline.ts';
import { createSeededRandom, type Random } from '../support/random.ts';
import { parseNotesOfList } from '../support/stores/json-list.ts';
import { openSession } from './roles.ts';

const limits = { poolSize: 4, timeoutMs: databaseTimeoutMs };
const cacheBytes = 16 * 1024 * 1024;

let database: TestDatabase;
let connections: ConnectionPool;
let store: NoteEngine;

beforeAll(async () => {
  database = await createEmptyDatabase();
  connections = new ConnectionPool(createPostgresOptions(database.url).address, limits);
});
beforeEach(async () => {
  await database.run('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  store = await openStore();
});
afterEach(() => store[Symbol.asyncDispose]());
afterAll(async () => {
  await connections[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const insert = (title: string, category = 'notes') =>
  `INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
   VALUES ('${title}', 'c', '${category}', 'first', 'info', 1, 1)`;

const openStore = () => openPostgres({ ...createPostgresOptions(database.url), cacheBytes });

async function shown(filter: NoteFilter = {}): Promise<unknown> {
  const list = await store.listJson(filter);
  return list.kind === 'whole' ? parseNotesOfList(list) : list;
}

async function stored(condition = 'true'): Promise<unknown> {
  const rows = await connections.query<PostgresNoteRow>(
    `SELECT ${noteColumnsSql} FROM notes WHERE ${condition} ORDER BY id`,
  );
  return rows.map(toNote);
}

const titles = async (filter: NoteFilter = {}) =>
  ((await shown(filter)) as { title: string }[]).map(({ title }) => title);

test.each([
  ['DELETE FROM notes WHERE id = 1', ['b']],
  [`SET session_replication_role = replica; ${insert('c')}`, ['a', 'b', 'c']],
  [`${insert('c')}; SELECT prune_note_changes(0); ${insert('d')}; SELECT prune_note_changes(0)`, ['a', 'b', 'c', 'd']],
])('follows %s', async (statements, expected) => {
  await database.run(`${insert('a')}; ${insert('b')}`);
  expect(await titles()).toEqual(['a', 'b']);

  await database.run(statements);

  expect(await titles()).toEqual(expected);
  expect(await shown()).toEqual(await stored());
});

test('is correct after the log was pruned during an open transaction', async () => {
  await using early = openSession(database);
  await early.run(`BEGIN; ${insert('early')}`);
  expect(await titles()).toEqual([]);
  for (let times = 0; times < 3; times++) await database.run(`${insert('x')}; SELECT prune_note_changes(0)`);
  await early.run('COMMIT');
  await database.run('SELECT prune_note_changes(0)');

  expect((await titles()).sort()).toEqual(['early', 'x', 'x', 'x']);
});

test('gives a list too long to keep a new revision after every write', async () => {
  await database.run(insert('long').replace("'c'", `repeat('x', ${cacheBytes})`));
  const revision = async (one: NoteEngine) => {
    const list = await one.listJson({});
    if (list.kind === 'chunks') await list.chunks.close();
    return list.revision;
  };
  const before = await revision(store);
  await using other = await openStore();
  expect(await revision(other)).toBe(before);

  await database.run("UPDATE notes SET title = 'new'");

  const after = await revision(store);
  expect(after).not.toBe(before);
  await database.run(`${insert('a')}; SELECT prune_note_changes(0)`);
  expect([before, after]).not.toContain(await revision(store));
});

describe('random overlapping transactions', () => {
  const statement = (random: Random) =>
    random.pick([
      insert(`${random.below(1000)}`, random.pick(['css', 'notes'])),
      `UPDATE notes SET category = '${random.pick(['css', 'notes'])}', archived = NOT archived WHERE id = ${random.below(30)}`,
      `UPDATE notes SET title = title || '.' WHERE id % 7 = ${random.below(7)}`,
      `DELETE FROM notes WHERE id = ${random.below(30)}`,
      `SAVEPOINT s; ${insert('undone')}; ROLLBACK TO s`,
    ]);

  const hasRun = (session: ReturnType<typeof openSession>, sql: string) =>
    session.run(sql).then(
      () => true,
      () => false,
    );

  test.each([1, 2])('are shown as they end, seed %d', async (seed) => {
    const random = createSeededRandom(seed);
    await using opened = new AsyncDisposableStack();
    const openForTest = () => opened.use(openSession(database));
    const sessions = [openForTest(), openForTest(), openForTest()] as const;
    const open = new Set<(typeof sessions)[number]>();
    await database.run("SET lock_timeout = '100ms'");

    for (let step = 0; step < 150; step++) {
      const session = random.pick(sessions);
      if (!open.has(session)) {
        await session.run("BEGIN; SET LOCAL lock_timeout = '5ms'");
        open.add(session);
      } else if (random.below(3) === 0) {
        await session.run(random.pick(['COMMIT', 'COMMIT', 'ROLLBACK']));
        open.delete(session);
      } else if (!(await hasRun(session, statement(random)))) {
        await session.run('ROLLBACK'); // another session holds the row
        open.delete(session);
      }
      if (random.below(20) === 0) await database.run('SELECT prune_note_changes(5)');
      expect(await shown()).toEqual(await stored());
      expect(await shown({ category: 'css', archived: true })).toEqual(await stored("category = 'css' AND archived"));
    }
  });
});
