/**
 * The engine on a Citus cluster, whose coordinator `TEST_CITUS_URL` names (scripts/citus.sh starts one): the suites of
 * every store, and what only a cluster has.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Note } from '../../src/core/note.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { migrations } from '../../src/store/postgres/postgres-migrations.ts';
import { eventually } from '../support/eventually.ts';
import {
  type CitusDatabase,
  createDatabase,
  createOnCitus,
  optionsFor,
  runOn,
  type TestDatabase,
} from '../support/postgres/databases.ts';
import { serveInVain } from '../support/refusal.ts';
import { startRelay } from '../support/relay.ts';
import { draft, jsonBody, noteIn, notesIn, run, type Service, startService } from '../support/service.ts';

const home = process.env['TEST_CITUS_URL'];
const distributions = ['reference', 'id'] as const;
const minutes = 60_000;

let created = 0;
let database: CitusDatabase | undefined;
afterEach(async () => {
  await database?.[Symbol.asyncDispose]();
  database = undefined;
});

/** Creates a database, which is dropped after the test. */
async function createdOn(distribution?: string): Promise<CitusDatabase> {
  database = await createOnCitus(home ?? '', `notes_citus_${process.pid}_${++created}`, distribution);
  return database;
}

const beyondSqlite = '^(?!.*SQLite)';
/** The other tests hold up moves with triggers, which a distributed table cannot have. */
const moves = 'PostgreSQL and back|refuses a target';

/** Test files, and patterns of the tests to run. */
const suites = [
  ['integration/store.test.ts', beyondSqlite],
  ['integration/history.test.ts', beyondSqlite],
  ['integration/merge.test.ts', beyondSqlite],
  ['integration/labels.test.ts', beyondSqlite],
  ['integration/ended-sessions.test.ts', beyondSqlite],
  ['integration/origins.test.ts', beyondSqlite],
  ['integration/migrate.test.ts', moves],
  ['postgres/lists.test.ts', beyondSqlite],
  ['postgres/instances.test.ts', beyondSqlite],
] as const;

const statusOf = async ({ url }: Service) => (await fetch(`${url}/readyz`)).status;

/** The SQL in docs/operations/citus.md. */
async function documentedSteps(distribution: string): Promise<string> {
  const docs = await Bun.file(join(import.meta.dir, '../../docs/operations/citus.md')).text();
  const sql = /```sql\n(BEGIN;\nDROP FUNCTION log_note_changes[\s\S]*?)```/.exec(docs)?.[1] ?? '';
  expect(sql).toContain("create_reference_table('notes')");
  if (distribution === 'reference') return sql;
  return sql.replace(/create_reference_table\('(notes|note_versions|note_origins)'\);(?:\n)? *-- or (.*)/g, '$2;');
}

async function lastWorker(run: CitusDatabase['run']) {
  const [node] = await run<{ nodeid: number; nodename: string; nodeport: number }>(
    'SELECT nodeid, nodename, nodeport FROM pg_dist_node WHERE groupid > 0 ORDER BY nodeid DESC LIMIT 1',
  );
  const moveTo = (port: number) => run(`SELECT citus_update_node(${node?.nodeid}, '${node?.nodename}', ${port})`);
  return { port: node?.nodeport ?? 0, moveTo };
}

const contentsOf = async (service: Service) =>
  (await notesIn(fetch(`${service.url}/api/notes`))).map(({ title }) => title);

// Reports in a run without a cluster what was skipped, and why.
describe.skipIf(home !== undefined)('TEST_CITUS_URL names no Citus cluster (scripts/citus.sh starts one)', () => {
  test.skip('Citus was not tested', () => {});
});

describe.skipIf(home === undefined)('Citus', () => {
  describe.each(distributions)('distribution=%s', (distribution) => {
    test.each(suites)(
      'passes %s',
      async (suite, tests) => {
        const file = join(import.meta.dir, '..', suite);
        const argv = ['test', `--timeout=${2 * minutes}`, file, '--test-name-pattern', tests];
        const env = { ...process.env, TEST_DATABASE_URL: home, TEST_DISTRIBUTION: distribution };
        const child = Bun.spawn([process.execPath, ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] });
        const [said, code] = await Promise.all([child.stderr.text(), child.exited]);

        expect({ code, failed: said.match(/^\(fail\).*$/gm) ?? [] }).toEqual({ code: 0, failed: [] });
      },
      10 * minutes,
    );

    test('is reported by start and doctor, and both find it healthy', async () => {
      const { url } = await createdOn(distribution);
      await using service = await startService({ DATABASE_URL: url });
      const description = distribution === 'id' ? /distributed by id over \d+ shards/ : /a reference table/;

      const { code, stdout } = await run(['doctor'], { DATABASE_URL: url, PORT: '0' });

      expect(service.log.join('\n')).toMatch(description);
      expect(stdout).toMatch(description);
      expect(stdout).toMatch(/\nok +database .*, notes can be written\n/);
      expect([code, await statusOf(service)]).toEqual([0, 200]);
    });

    test('keeps one version of each overwritten text, whichever instances write, also one on a worker', async () => {
      const { url, workers } = await createdOn(distribution);
      await using one = await startService({ DATABASE_URL: url });
      await using other = await startService({ DATABASE_URL: url });
      const first = await noteIn(fetch(`${one.url}/api/notes`, jsonBody(draft())));
      await using atWorker = await startService({ DATABASE_URL: workers[0] ?? '' });
      const path = `/api/notes/${first.id}`;

      const written = await Promise.all(
        Array.from({ length: 12 }, async (_, n) => {
          const notes: Note[] = [];
          for (let round = 0; round < 8; round++) {
            const { url } = [one, other, atWorker][(n + round) % 3] ?? one;
            const change = jsonBody({ id: first.id, title: `${n}-${round}` }, 'PUT');
            const isArchive = (n + round) % 4 === 0;
            notes.push(
              await noteIn(
                fetch(`${url}${path}${isArchive ? '/archive' : ''}`, isArchive ? { method: 'PATCH' } : change),
              ),
            );
          }
          return notes;
        }),
      );

      const states = [first, ...written.flat()].sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
      const replaced = states.filter(({ title }, n) => title !== (states[n + 1]?.title ?? title));
      expect(new Set(states.map(({ updatedAt }) => updatedAt)).size).toBe(97);
      expect(await notesIn(fetch(`${other.url}${path}/history`))).toEqual(replaced.toReversed());
      expect(atWorker.log.join('\n')).toContain('It is a worker');
      expect(await statusOf(atWorker)).toBe(200);
    });

    test('keeps versions in a database that was distributed before versions existed', async () => {
      const { url, workers, run: runHere } = await createdOn(distribution);
      const withSteps = (count: number) => openPostgres({ ...optionsFor(url), steps: migrations.slice(0, count) });
      await using before = await withSteps(2);
      const note = await before.create(draft());

      expect((await serveInVain({ DATABASE_URL: workers[0] ?? '' })).stderr).toContain('it is a worker of Citus');
      await using store = await openPostgres(optionsFor(url.replace(/\?.*/, '')));
      await store.check();
      await store.update(note.id, { title: 'after' });

      const placed = await runHere<{ colocated: boolean }>(
        `SELECT count(DISTINCT colocationid) = 1 AND count(*) = 3 AS colocated FROM pg_dist_partition
         WHERE logicalrelid IN ('notes'::regclass, 'note_versions'::regclass, 'note_origins'::regclass)`,
      );
      expect(placed).toEqual([{ colocated: true }]);
      expect(await Array.fromAsync(store.history(note.id))).toEqual([[note]]);
    });

    test('is not ready while a worker is down, and again once it is back', async () => {
      const { url, run: runHere } = await createdOn(distribution);
      await using service = await startService({ DATABASE_URL: url });
      const worker = await lastWorker(runHere);
      expect(await statusOf(service)).toBe(200);

      await worker.moveTo(1);
      const isAway = await eventually(async () => (await statusOf(service)) === 503);
      await worker.moveTo(worker.port);
      const isBack = await eventually(async () => (await statusOf(service)) === 200);

      expect([isAway, isBack]).toEqual([true, true]);
    });

    test('takes over the notes of a local table, by the documented steps', async () => {
      const { url, run: runHere } = await createdOn();
      await using left = await startService({ DATABASE_URL: url });
      await fetch(`${left.url}/api/notes`, jsonBody(draft({ title: 'first' })));
      await fetch(`${left.url}/api/notes/1`, jsonBody({ id: 1, title: 'kept' }, 'PUT'));
      expect(await contentsOf(left)).toEqual(['kept']);
      expect((await serveInVain({ DATABASE_URL: `${url}?distribution=${distribution}` })).stderr).toContain(
        'it holds notes that are not distributed',
      );

      await runHere(await documentedSteps(distribution));
      await using service = await startService({ DATABASE_URL: `${url}?distribution=${distribution}` });
      await fetch(`${service.url}/api/notes`, jsonBody(draft({ title: 'new' })));
      await fetch(`${service.url}/api/notes/1`, jsonBody({ id: 1, title: 'last' }, 'PUT'));

      expect(await contentsOf(service)).toEqual(['last', 'new']);
      const versions = await notesIn(fetch(`${service.url}/api/notes/1/history`));
      expect(versions.map(({ title }) => title)).toEqual(['kept', 'first']);
      expect([await statusOf(service), await statusOf(left)]).toEqual([200, 503]);
      expect((await fetch(`${left.url}/api/notes`)).status).toBe(500);
    });
  });

  test('with distribution by id, one shard alone commits a change and its version', async () => {
    const { url, run: runHere } = await createdOn('id');
    await using store = await openPostgres(optionsFor(url));
    const notes = await Promise.all(Array.from({ length: 8 }, () => store.create(draft())));
    const prepared = async () => (await runHere('SELECT 1 FROM pg_dist_transaction')).length;
    const before = await prepared();

    for (const { id } of notes) await store.update(id, { title: 'changed' });
    const after = await prepared();
    await runHere('UPDATE notes SET archived = true');

    expect(after).toBe(before);
    expect(await prepared()).toBeGreaterThan(after); // proves that two-phase commits are detected
  });

  test('with distribution by id, no note that was stored without an answer of its worker is said not to be', async () => {
    const { url, run: runHere } = await createdOn('id');
    const worker = await lastWorker(runHere);
    let isMute = false;
    using relay = await startRelay(() => worker.port, { toClient: () => !isMute });
    await worker.moveTo(relay.port);
    await using service = await startService({ DATABASE_URL: url, DATABASE_TIMEOUT_MS: '2000' });
    const create = (title: string) => fetch(`${service.url}/api/notes`, jsonBody(draft({ title })));
    await Promise.all(Array.from({ length: 16 }, () => create('first'))); // opens connections to the workers

    isMute = true;
    const titles = Array.from({ length: 16 }, (_, n) => `${n}`);
    const answers = await Promise.all(titles.map(create));
    isMute = false;

    const stored = await contentsOf(service);
    const undone = answers.filter(
      ({ headers }, n) => headers.get('Notes-Outcome') === 'none' && stored.includes(`${n}`),
    );
    expect(answers.map(({ status }) => status)).toContain(500);
    expect(undone).toEqual([]);
  });
});

test('a server without Citus reports that a distribution needs it', async () => {
  await using plain: TestDatabase = await createDatabase();

  const { code, stderr } = await serveInVain({ DATABASE_URL: `${plain.url}?distribution=id` });

  expect(code).toBe(1);
  expect(stderr).toContain('it has no Citus, which ?distribution= requires');
  expect(await runOn(plain.url, "SELECT 1 WHERE to_regclass('notes') IS NOT NULL")).toEqual([]);
});
