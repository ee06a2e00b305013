/**
 * The engine on a Citus cluster, whose coordinator `TEST_CITUS_URL` names (scripts/citus.sh starts one): the suites of
 * every store, and what only a cluster has.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Note } from '../../src/core/note.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { migrations } from '../../src/store/postgres/postgres-migrations.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import {
  type CitusDatabase,
  createCitusDatabase,
  createEmptyDatabase,
  createPostgresOptions,
  runStatements,
  type TestDatabase,
  waitForWholeChangeLog,
} from '../support/postgres/databases.ts';
import { startRelay } from '../support/relay.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  readNoteBody,
  readNotesBody,
  runNotesCommand,
  type Service,
  startService,
} from '../support/service.ts';
import { startAndExpectFailure } from '../support/start-failure.ts';
import { parseNotesOfList } from '../support/stores/json-list.ts';
import { createRole, dataRightsOnCitus } from './roles.ts';

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
  database = await createCitusDatabase(home ?? '', `notes_citus_${process.pid}_${++created}`, distribution);
  return database;
}

const beyondSqlite = '^(?!.*SQLite)';
/** One test prunes the log of triggers. */
const beyondPlainLog = '^(?!.*(SQLite|pruned from the PostgreSQL log))';
/** Programs of an earlier schema do not work beside newer ones here, as they do not log what they write. */
const beyondEarlierPrograms = '^(?!.*(SQLite|earlier schema))';
/** The other tests hold up moves with triggers, which a distributed table cannot have. */
const moves = 'PostgreSQL and back|refuses a target';

/** Test files, and patterns of the tests to run. */
const suites = [
  ['integration/store.test.ts', beyondSqlite],
  ['integration/history.test.ts', beyondSqlite],
  ['integration/merge.test.ts', beyondSqlite],
  ['integration/labels.test.ts', beyondEarlierPrograms],
  ['integration/pins.test.ts', beyondEarlierPrograms],
  ['integration/ended-sessions.test.ts', beyondSqlite],
  ['integration/origins.test.ts', beyondSqlite],
  ['integration/events.test.ts', beyondPlainLog],
  ['integration/migrate.test.ts', moves],
  ['postgres/lists.test.ts', beyondSqlite],
  ['postgres/instances.test.ts', beyondSqlite],
] as const;

const fetchReadinessStatus = async ({ url }: Service) => (await fetch(`${url}/readyz`)).status;

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

const readTitles = async (service: Service) =>
  (await readNotesBody(fetch(`${service.url}/api/notes`))).map(({ title }) => title);

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

      const { code, stdout } = await runNotesCommand(['doctor'], { DATABASE_URL: url, PORT: '0' });

      expect(service.log.join('\n')).toMatch(description);
      expect(stdout).toMatch(description);
      expect(stdout).toMatch(/\nok +database .*, notes can be written\n/);
      expect([code, await fetchReadinessStatus(service)]).toEqual([0, 200]);
    });

    test('keeps one version of each overwritten text, whichever instances write', async () => {
      const { url } = await createdOn(distribution);
      await using one = await startService({ DATABASE_URL: url });
      await using other = await startService({ DATABASE_URL: url });
      const first = await readNoteBody(fetch(`${one.url}/api/notes`, createJsonRequest(createDraft())));
      const path = `/api/notes/${first.id}`;

      const written = await Promise.all(
        Array.from({ length: 12 }, async (_, n) => {
          const notes: Note[] = [];
          for (let round = 0; round < 8; round++) {
            const { url } = [one, other][(n + round) % 2] ?? one;
            const change = createJsonRequest({ id: first.id, title: `${n}-${round}` }, 'PUT');
            const isArchive = (n + round) % 4 === 0;
            notes.push(
              await readNoteBody(
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
      expect(await readNotesBody(fetch(`${other.url}${path}/history`))).toEqual(replaced.toReversed());
    });

    test('serves lists from memory, as another instance has written them, without asking a shard', async () => {
      const { url, run: runHere } = await createdOn(distribution);
      await using one = await startService({ DATABASE_URL: url });
      await using other = await startService({ DATABASE_URL: url });
      await waitForWholeChangeLog({ run: runHere }, 'distributed_changes');
      await fetch(`${one.url}/api/notes`, createJsonRequest(createDraft({ title: 'first' })));
      expect(await readTitles(other)).toEqual(['first']);
      await fetch(`${one.url}/api/notes/1`, createJsonRequest({ id: 1, title: 'second' }, 'PUT'));
      expect(await readTitles(other)).toEqual(['second']);

      const worker = await lastWorker(runHere);
      await worker.moveTo(1);
      const titles = await readTitles(other);
      const fromShards = await fetch(`${other.url}/api/notes?archived=true`);
      await worker.moveTo(worker.port);

      expect(titles).toEqual(['second']);
      expect(fromShards.ok).toBe(distribution === 'reference'); // the coordinator has all notes
    });

    test('never lists, reads or finds an older note than another instance has just confirmed', async () => {
      const { url } = await createdOn(distribution);
      await using one = await startService({ DATABASE_URL: url });
      await using other = await startService({ DATABASE_URL: url });
      const notes = await Promise.all(
        Array.from({ length: 8 }, () => readNoteBody(fetch(`${one.url}/api/notes`, createJsonRequest(createDraft())))),
      );

      const stale = await Promise.all(
        notes.map(async ({ id }, n) => {
          let count = 0;
          for (let round = 0; round < 25; round++) {
            const [writer, reader] = (n + round) % 2 === 0 ? [one, other] : [other, one];
            const title = `${id}-${round}`;
            await readNoteBody(fetch(`${writer.url}/api/notes/${id}`, createJsonRequest({ id, title }, 'PUT')));
            const [list, note] = await Promise.all([
              readNotesBody(fetch(`${reader.url}/api/notes`)),
              readNoteBody(fetch(`${reader.url}/api/notes/${id}`)),
            ]);
            const listed = list.find((listedNote) => listedNote.id === id);
            if (listed?.title !== title || note.title !== title) count++;
          }
          return count;
        }),
      );

      expect(stale).toEqual(notes.map(() => 0));
    });

    test('lists what a client has seen of a write that is not logged yet', async () => {
      const { url, run: runHere } = await createdOn(distribution);
      await using one = await openPostgres(createPostgresOptions(url));
      await using other = await openPostgres(createPostgresOptions(url));
      await waitForWholeChangeLog({ run: runHere }, 'distributed_changes');
      const { id } = await one.create(createDraft({ title: 'before' }));
      const readListedTitle = async () => (await parseNotesOfList(await other.listJson({})))[0]?.title;
      expect(await readListedTitle()).toBe('before');
      await runHere(`INSERT INTO announced_writes (ids, ends_at) VALUES ('{${id}}', now() + interval '1 hour')`);
      await runHere(`UPDATE notes SET title = 'after' WHERE id = ${id}`);

      const unseen = await readListedTitle();
      const note = await one.get(id);

      expect([unseen, note.title, await readListedTitle()]).toEqual(['before', 'after', 'after']);
    });

    test('lists what an instance has written that ended before it could log it', async () => {
      const { url, run: runHere } = await createdOn(distribution);
      await using store = await openPostgres(createPostgresOptions(url));
      const { id } = await store.create(createDraft({ title: 'before' }));
      const readListedTitle = async () => (await parseNotesOfList(await store.listJson({})))[0]?.title;
      expect(await readListedTitle()).toBe('before');
      await runHere(`INSERT INTO announced_writes (ids, ends_at) VALUES ('{${id}}', now() - interval '2 s')`);
      await runHere(`UPDATE notes SET title = 'after' WHERE id = ${id}`);

      // Each start looks for such announcements in the background, and leaves them while a worker has an older transaction.
      const isLogged = await isEventuallyTrue(async () => {
        await using _ = await openPostgres(createPostgresOptions(url));
        return await isEventuallyTrue(
          async () => (await runHere('SELECT 1 FROM announced_writes')).length === 0,
          1_000,
        );
      });

      expect([isLogged, await readListedTitle()]).toEqual([true, 'after']);
    });

    test('resets clients whose cursor is older than the log, and forgets what a dump of another server has logged', async () => {
      const { url, run: runHere } = await createdOn(distribution);
      await using store = await openPostgres(createPostgresOptions(url));
      await waitForWholeChangeLog({ run: runHere }, 'distributed_changes');
      const cursor = (await store.feed?.readCursor()) ?? '';
      const { id } = await store.create(createDraft());
      const before = await store.feed?.readChangesAfter(cursor);
      await runHere(`UPDATE distributed_changes_pruned SET before = pg_snapshot_xmax(pg_current_snapshot());
        INSERT INTO distributed_changes (txid, ids) VALUES ('9000000000000000000', '{}')`);

      await using _ = await openPostgres(createPostgresOptions(url)); // each start prunes

      const selectForeign = "SELECT 1 FROM distributed_changes WHERE txid = '9000000000000000000'";
      expect(before?.notes.map((note) => JSON.parse(note).id)).toEqual([id]);
      expect(await store.feed?.readChangesAfter(cursor)).toBeUndefined();
      expect(await isEventuallyTrue(async () => (await runHere(selectForeign)).length === 0)).toBe(true);
    });

    test('keeps out programs that do not log what they write, and instances on a worker', async () => {
      const { url, workers } = await createdOn(distribution);
      await using _ = await openPostgres(createPostgresOptions(url));
      const openFormer = () => openPostgres({ ...createPostgresOptions(url), steps: migrations.slice(0, 8) });

      const { stderr } = await startAndExpectFailure({ DATABASE_URL: workers[0] ?? '' });

      expect(stderr).toContain('it is a worker of Citus');
      expect(openFormer()).rejects.toThrow('its schema needs a newer version of Notes');
    });

    test('works with a role that has the documented rights to the data alone', async () => {
      const shared = await createdOn(distribution);
      await using owner = await openPostgres(createPostgresOptions(shared.url));
      await using role = await createRole(shared);
      await shared.run(dataRightsOnCitus(role.name));
      await using store = await openPostgres(createPostgresOptions(role.url.replace(/\?.*/, '')));

      const { id } = await store.create(createDraft());
      await store.update(id, { title: 'by the role' });
      await store.merge([{ ...(await store.get(id)), title: 'merged', updatedAt: new Date(8e12).toISOString() }]);
      await store.assertReadableAndWritable();

      expect((await parseNotesOfList(await owner.listJson({}))).map(({ title }) => title)).toEqual(['merged']);
    });

    test('keeps versions in a database that was distributed before versions existed', async () => {
      const { url, workers, run: runHere } = await createdOn(distribution);
      const withSteps = (count: number) =>
        openPostgres({ ...createPostgresOptions(url), steps: migrations.slice(0, count) });
      await using before = await withSteps(2);
      const note = await before.create(createDraft());

      expect((await startAndExpectFailure({ DATABASE_URL: workers[0] ?? '' })).stderr).toContain(
        'it is a worker of Citus',
      );
      await using store = await openPostgres(createPostgresOptions(url.replace(/\?.*/, '')));
      await store.assertReadableAndWritable();
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
      expect(await fetchReadinessStatus(service)).toBe(200);

      await worker.moveTo(1);
      const isAway = await isEventuallyTrue(async () => (await fetchReadinessStatus(service)) === 503);
      await worker.moveTo(worker.port);
      const isBack = await isEventuallyTrue(async () => (await fetchReadinessStatus(service)) === 200);

      expect([isAway, isBack]).toEqual([true, true]);
    });

    test('takes over the notes of a local table, by the documented steps', async () => {
      const { url, run: runHere } = await createdOn();
      await using left = await startService({ DATABASE_URL: url });
      await fetch(`${left.url}/api/notes`, createJsonRequest(createDraft({ title: 'first' })));
      await fetch(`${left.url}/api/notes/1`, createJsonRequest({ id: 1, title: 'kept' }, 'PUT'));
      expect(await readTitles(left)).toEqual(['kept']);
      expect((await startAndExpectFailure({ DATABASE_URL: `${url}?distribution=${distribution}` })).stderr).toContain(
        'it holds notes that are not distributed',
      );

      await runHere(await documentedSteps(distribution));
      await using service = await startService({ DATABASE_URL: `${url}?distribution=${distribution}` });
      await fetch(`${service.url}/api/notes`, createJsonRequest(createDraft({ title: 'new' })));
      await fetch(`${service.url}/api/notes/1`, createJsonRequest({ id: 1, title: 'last' }, 'PUT'));

      expect(await readTitles(service)).toEqual(['last', 'new']);
      const versions = await readNotesBody(fetch(`${service.url}/api/notes/1/history`));
      expect(versions.map(({ title }) => title)).toEqual(['kept', 'first']);
      expect([await fetchReadinessStatus(service), await fetchReadinessStatus(left)]).toEqual([200, 503]);
      expect((await fetch(`${left.url}/api/notes`)).status).toBe(500);
    });
  });

  test('with distribution by id, a batch is committed by each shard alone', async () => {
    const { url, run: runHere } = await createdOn('id');
    await using store = await openPostgres(createPostgresOptions(url));
    const readPrepared = async () => (await runHere('SELECT 1 FROM pg_dist_transaction')).length;
    const before = await readPrepared();

    const notes = await Promise.all(Array.from({ length: 16 }, () => store.create(createDraft())));
    await Promise.all(notes.map(({ id }) => store.update(id, { title: 'changed' })));
    const after = await readPrepared();
    await runHere('UPDATE notes SET archived = true');

    expect(after).toBe(before);
    expect(await readPrepared()).toBeGreaterThan(after); // proves that two-phase commits are detected
  });

  test('with distribution by id, a node writes all notes of a statement or none', async () => {
    const { url, run: runHere } = await createdOn('id');
    await using store = await openPostgres(createPostgresOptions(url));
    const notes = await Promise.all(Array.from({ length: 16 }, () => store.create(createDraft({ title: 'first' }))));
    const placed = await runHere<{ id: string; shard: string; node: number }>(
      `SELECT notes.id, shard.id AS shard, groupid AS node FROM notes
         CROSS JOIN LATERAL get_shard_id_for_distribution_column('notes', notes.id) AS shard(id)
         JOIN pg_dist_placement ON shardid = shard.id`,
    );
    const [here, elsewhere] = [placed[0], placed.find(({ node }) => node !== placed[0]?.node)];
    const write = async (statement: string, rows: number, shards: readonly (string | undefined)[]) => {
      const [row] = await runHere<{ done: boolean }>(
        `SELECT write_on_node(${here?.id}, '{${shards}}', $$${statement}$$, ${rows}, '{}', 1) AS done`,
      );
      return row?.done;
    };
    const rename = `UPDATE notes SET title = 'second' WHERE id = ${here?.id}`;

    const isDoneIfChangedMeanwhile = await write(`${rename} AND updated_at = 0`, 1, [here?.shard]);
    const isDoneIfShardMoved = await write(rename, 1, [here?.shard, elsewhere?.shard]);
    const titles = new Set((await parseNotesOfList(await store.listJson({}))).map(({ title }) => title));
    const isDone = await write(rename, 1, [here?.shard]);

    expect([notes.length, placed.length]).toEqual([16, 16]);
    expect([isDoneIfChangedMeanwhile, isDoneIfShardMoved, isDone]).toEqual([false, false, true]);
    expect([...titles]).toEqual(['first']);
    expect((await store.get(Number(here?.id))).title).toBe('second');
  });

  test('with distribution by id, an instance follows what programs of the former schema log', async () => {
    const { url, run: runHere } = await createdOn('id');
    const former = { ...createPostgresOptions(url), steps: migrations.slice(0, 9) };
    await (await openPostgres(former))[Symbol.asyncDispose]();
    await using store = await openPostgres(createPostgresOptions(url));
    await waitForWholeChangeLog({ run: runHere }, 'distributed_changes');
    const { id } = await store.create(createDraft({ title: 'first' }));
    const readTitle = async () => (await parseNotesOfList(await store.listJson({})))[0]?.title;
    expect(await readTitle()).toBe('first');

    await runHere(`UPDATE notes SET title = 'by a former program' WHERE id = ${id};
      INSERT INTO distributed_changes (ids) VALUES ('{${id}}')`);
    const title = await readTitle();
    await store.update(id, { title: 'last' });

    expect([title, await readTitle()]).toEqual(['by a former program', 'last']);
  });

  test('with distribution by id, a merge is not confirmed while a worker has prepared and not committed', async () => {
    const { url, workers } = await createdOn('id');
    await using store = await openPostgres({ ...createPostgresOptions(url), timeoutMs: 2_000 });
    const note = await store.create(createDraft());
    const atWorker = workers[0] ?? '';
    await runStatements(atWorker, `BEGIN; CREATE TABLE pending (id integer); PREPARE TRANSACTION 'pending'`);
    const merge = (title: string) => store.merge([{ ...note, title, updatedAt: new Date(8e12).toISOString() }]);

    const error = await merge('later').catch((thrown: unknown) => thrown);
    await runStatements(atWorker, `ROLLBACK PREPARED 'pending'`);
    const [result] = await merge('later');

    expect(error).toMatchObject({ code: 'unavailable', outcome: 'unknown' });
    expect(result?.id).toBe(note.id);
    expect((await parseNotesOfList(await store.listJson({}))).map(({ title }) => title)).toEqual(['later']);
  });

  test('with distribution by id, no note that was stored without an answer of its worker is said not to be', async () => {
    const { url, run: runHere } = await createdOn('id');
    const worker = await lastWorker(runHere);
    let isMute = false;
    using relay = await startRelay(() => worker.port, { toClient: () => !isMute });
    await worker.moveTo(relay.port);
    await using service = await startService({ DATABASE_URL: url, DATABASE_TIMEOUT_MS: '2000' });
    const create = (title: string) => fetch(`${service.url}/api/notes`, createJsonRequest(createDraft({ title })));
    await Promise.all(Array.from({ length: 16 }, () => create('first'))); // opens connections to the workers

    isMute = true;
    const titles = Array.from({ length: 16 }, (_, n) => `${n}`);
    const answers = await Promise.all(titles.map(create));
    isMute = false;

    const stored = await readTitles(service);
    const undone = answers.filter(
      ({ headers }, n) => headers.get('Notes-Outcome') === 'none' && stored.includes(`${n}`),
    );
    expect(answers.map(({ status }) => status)).toContain(500);
    expect(undone).toEqual([]);
  });
});

test('a server without Citus reports that a distribution needs it', async () => {
  await using plain: TestDatabase = await createEmptyDatabase();

  const { code, stderr } = await startAndExpectFailure({ DATABASE_URL: `${plain.url}?distribution=id` });

  expect(code).toBe(1);
  expect(stderr).toContain('it has no Citus, which ?distribution= requires');
  expect(await runStatements(plain.url, "SELECT 1 WHERE to_regclass('notes') IS NOT NULL")).toEqual([]);
});
