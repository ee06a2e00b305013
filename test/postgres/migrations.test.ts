/** The schema in the database: created once, migrated atomically, and left alone when it is not ours. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { NoteEngine } from '../../src/core/store.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { migrations, type Step } from '../../src/store/postgres/postgres-migrations.ts';
import { WriteLoad } from '../support/http/load.ts';
import { createEmptyDatabase, createPostgresOptions, type TestDatabase } from '../support/postgres/databases.ts';
import { createSeededRandom, seed } from '../support/random.ts';
import { createDraft } from '../support/sample-notes.ts';
import { startService } from '../support/service.ts';
import { startAndExpectFailure } from '../support/start-failure.ts';
import { createRole, dataRights } from './roles.ts';

/** A migration that records each time it runs. */
const tracedStep: Step = {
  sql: `CREATE TABLE IF NOT EXISTS taken (at timestamptz); INSERT INTO taken VALUES (now());
        ALTER TABLE notes ADD COLUMN size bigint NOT NULL DEFAULT 0;`,
  worksFrom: 1,
};
const brokenStep: Step = { sql: 'CREATE TABLE half (x integer); SELECT 1 / 0;', worksFrom: 1 };
const breakingStep: Step = { sql: 'ALTER TABLE notes ADD COLUMN stars integer;', worksFrom: migrations.length + 1 };

let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
beforeEach(async () => {
  await database.run('DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT ALL ON SCHEMA public TO PUBLIC');
});
afterAll(() => database[Symbol.asyncDispose]());

const open = (...further: readonly Step[]) =>
  openPostgres({ ...createPostgresOptions(database.url), steps: [...migrations, ...further], poolSize: 3 });

/** Opens stores concurrently, writes through each, and closes them. Returns the titles that all of them list. */
async function openTogether(count: number, openOne: () => Promise<NoteEngine>): Promise<string[]> {
  await using opened = new AsyncDisposableStack();
  const stores = await Promise.all(Array.from({ length: count }, openOne));
  for (const store of stores) opened.use(store);
  await Promise.all(stores.map((store, n) => store.create(createDraft({ title: `From ${n}` }))));
  const lists = await Promise.all(stores.map((store) => store.list()));
  expect(new Set(lists.map((notes) => JSON.stringify(notes))).size).toBe(1);
  return (lists[0] ?? []).map((note) => note.title).sort();
}

/** The schema and contents of the database, as text. */
async function contents(): Promise<string> {
  const described = await database.run(
    `SELECT relname, relkind, attname, atttypid::regtype AS type FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE relnamespace = 'public'::regnamespace AND attnum > 0 ORDER BY relname, attnum`,
  );
  return JSON.stringify(described);
}

const versions = async () => [
  ...(await database.run<{ version: number }>('SELECT version FROM notes_schema')).map(({ version }) => version),
];

test('ten instances that start at once on an empty database create the schema once, and all serve', async () => {
  const titles = Array.from({ length: 10 }, (_, n) => `From ${n}`);

  expect(await openTogether(10, () => open())).toEqual(titles);

  expect(await versions()).toEqual([migrations.length]);
});

test.each(migrations.map((_, index) => index + 1))(
  'a database at step %d keeps its notes while others write to them, and then keeps versions',
  async (step) => {
    await (await openPostgres({ ...createPostgresOptions(database.url), steps: migrations.slice(0, step) }))[
      Symbol.asyncDispose
    ]();
    await database.run(`INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
      VALUES ('a', 'b', 'css', 'first', 'info', 1, 2), ('c', 'd', 'prompts', 'fifth', 'error', 1, 2)`);
    const begun = Promise.withResolvers<void>();
    const stopping = new AbortController();
    const write = async () => {
      let writes = 0;
      for (; !stopping.signal.aborted; writes++) {
        await database.run('UPDATE notes SET updated_at = updated_at + 1 WHERE id = 2');
        begun.resolve();
      }
      return writes;
    };
    const writing = write();
    await begun.promise;

    await using store = await open();
    stopping.abort();

    const writes = await writing;
    const [first, second] = await store.list();
    expect([first, second]).toMatchObject([
      { id: 1, title: 'a', content: 'b', updatedAt: '1970-01-01T00:00:00.002Z' },
      { id: 2, title: 'c', content: 'd', updatedAt: new Date(2 + writes).toISOString() },
    ]);
    await store.update(1, { title: 'Changed' });
    expect(await Array.fromAsync(store.history(1))).toEqual([[first]] as never);
    expect((await store.create(createDraft())).id).toBe(3);
  },
);

test('a failed migration leaves the schema and the notes unchanged', async () => {
  await using store = await open();
  const note = await store.create(createDraft());
  const before = await contents();

  const refused = await open(tracedStep, brokenStep).catch((error) => error);

  expect(refused).toMatchObject({ code: 'unavailable' });
  expect(await contents()).toBe(before);
  expect(await versions()).toEqual([migrations.length]);
  expect(await store.list()).toEqual([note]);
  expect(await openTogether(1, () => open(tracedStep))).toEqual(['A title', 'From 0']);
});

test('a program keeps serving, and starts, after a newer one has run a compatible migration', async () => {
  await using old = await startService({ DATABASE_URL: database.url });
  const load = new WriteLoad(createSeededRandom(seed), 'failed', { clients: 16 });

  await load.writeDuring(async () => {
    await load.waitForAcknowledgedCount(200);
    await using newer = await open(tracedStep);
    await newer.assertReadableAndWritable();
    await load.waitForAcknowledgedCount(load.acknowledged + 500);
  }, old);

  expect([...load.answers.keys()]).toEqual([200]);
  expect((await fetch(`${old.url}/readyz`)).status).toBe(200);
  await using second = await startService({ DATABASE_URL: database.url });
  await load.assertListAndAdoptIt(second);
  expect(await versions()).toEqual([migrations.length + 1]);
});

test('a program refuses to start, and is not ready, after a newer one has run an incompatible migration', async () => {
  await using old = await startService({ DATABASE_URL: database.url });

  await (await open(breakingStep))[Symbol.asyncDispose]();

  const answer = await fetch(`${old.url}/readyz`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({
    error: `The schema of the store is at version ${migrations.length + 1}, which is not this program's`,
  });
  expect((await fetch(`${old.url}/healthz`)).status).toBe(200);
  const before = await contents();
  const { code, stdout, stderr } = await startAndExpectFailure({ DATABASE_URL: database.url });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^notes: Cannot use postgres:\/\/\S+: its schema needs a newer version of Notes \(.*\)\n$/);
  expect(await contents()).toBe(before);
});

test("another program's table of the same name prevents the start, and its database is unchanged", async () => {
  await database.run(`CREATE TABLE notes (id integer, body text); INSERT INTO notes VALUES (1, 'theirs')`);
  const before = await contents();

  const { code, stdout, stderr } = await startAndExpectFailure({ DATABASE_URL: database.url });

  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^notes: Cannot use postgres:\/\/\S+: .*notes.*\n$/);
  expect([...(await database.run('SELECT * FROM notes'))]).toEqual([{ id: 1, body: 'theirs' }]);
  expect(await contents()).toBe(before);
});

test.each<[string, (role: string) => unknown]>([
  ['empty', () => {}],
  [
    'older',
    async (role) => {
      await (await open())[Symbol.asyncDispose]();
      await database.run(`UPDATE notes_schema SET version = 0, works_from = 0; ${dataRights(role)}`);
    },
  ],
])('for a role with rights to the data only, the error says what to do when the schema is %s', async (_, prepare) => {
  await using role = await createRole(database);
  await database.run('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
  await prepare(role.name);
  const before = await contents();

  const { code, stdout, stderr } = await startAndExpectFailure({ DATABASE_URL: role.url });

  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  const sentence =
    'its schema is not up to date, and this role may not change it. Start Notes once with a role that may\n';
  expect(stderr).toEndWith(`: ${sentence}`);
  expect(await contents()).toBe(before);
});
