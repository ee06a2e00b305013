/** What operators see of a service on PostgreSQL: at its start, while it runs, and at its end. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { SQL } from 'bun';
import type { NoteDraft } from '../../src/core/note.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createEmptyDatabase, createPostgresOptions, type TestDatabase } from '../support/postgres/databases.ts';
import { findFreePort, type PostgresServer, password, startPostgres } from '../support/postgres/server.ts';
import { type Relay, type Relayed, startRelay } from '../support/relay.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, readNoteBody, readNotesBody, type Service, startService } from '../support/service.ts';
import { startAndExpectFailure } from '../support/start-failure.ts';
import { createRole } from './roles.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

/** The address with some of its parts replaced. */
function changed(url: string, changes: Partial<Pick<URL, 'password' | 'pathname' | 'port' | 'search'>>): string {
  return Object.assign(new URL(url), changes).href;
}

const getDatabaseName = ({ url }: TestDatabase) => new URL(url).pathname.slice(1);

/** The password of an address, encoded and decoded. */
function listPasswordForms(url: string): string[] {
  const encoded = new URL(url).password;
  return [encoded, decodeURIComponent(encoded)];
}

function expectSilenceAbout(secrets: readonly string[], texts: readonly string[]): void {
  for (const secret of secrets) expect(texts.filter((text) => text.includes(secret))).toEqual([]);
}

const create = ({ url }: Service, changes?: Partial<NoteDraft>) =>
  fetch(`${url}/api/notes`, createJsonRequest(createDraft(changes)));
const awaitStatus = async (answer: Promise<Response>) => (await answer).status;

describe('a refused start gives the reason at once, and never the password', () => {
  type Case = readonly [name: string, url: () => string | Promise<string>, sentence: string];
  const latin = async () => {
    await database.run(
      `CREATE DATABASE ${getDatabaseName(database)}_latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`,
    );
    return changed(database.url, { pathname: `${getDatabaseName(database)}_latin` });
  };
  const readOnly = async () => {
    await database.run(`ALTER DATABASE ${getDatabaseName(database)} SET default_transaction_read_only = 'on'`);
    return database.url;
  };
  afterEach(async () => {
    await database.run(`BEGIN READ WRITE; ALTER DATABASE ${getDatabaseName(database)} RESET ALL; COMMIT`);
    await database.run(`DROP DATABASE IF EXISTS ${getDatabaseName(database)}_latin`);
  });

  test.each<Case>([
    [
      'a wrong password',
      () => changed(database.url, { password: 'wr%2Fong-9d1e%40' }),
      'it refused the role or its password. Check both in the address',
    ],
    ['a missing database', () => changed(database.url, { pathname: 'nowhere' }), 'there is no such database'],
    ['a server without TLS', () => changed(database.url, { search: 'sslmode=require' }), 'it does not offer TLS'],
    ['another encoding', latin, 'its encoding is LATIN1, not UTF8'],
    ['a read-only database', readOnly, 'it is read-only'],
  ])('%s', async (_, prepare, sentence) => {
    const url = await prepare();

    const { code, stdout, stderr } = await startAndExpectFailure({ DATABASE_URL: url });

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' }); // nor does it wait for the database
    expect(stderr).toMatch(/^notes: Cannot use postgres:\/\/[^@]+: .*\n$/);
    expect(stderr).toContain(sentence);
    expectSilenceAbout([...listPasswordForms(url), ...listPasswordForms(database.url)], [stderr]);
  });
});

describe('a missing database yet', () => {
  const waiting = (log: readonly string[]) => log.filter((line) => line.includes('Waiting for the database'));

  test('is waited for, with one line in the log', async () => {
    const asked = Promise.withResolvers<void>();
    const gate = createServer((socket) => {
      socket.destroy();
      asked.resolve();
    });
    gate.listen(await findFreePort(), '127.0.0.1');
    await once(gate, 'listening');
    const address = gate.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const url = `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
    const starting = startService({ DATABASE_URL: url });
    await asked.promise;
    gate.close();

    await using late = await startPostgres({ port });
    await using service = await starting;

    expect(await awaitStatus(create(service))).toBe(200);
    expect(waiting(service.log)).toHaveLength(1);
    expectSilenceAbout(listPasswordForms(late.url()), service.log);
  });

  test('fails the start after connect_timeout', async () => {
    const url = changed(database.url, { port: String(await findFreePort()) });

    const { code, stdout, stderr, ms } = await startAndExpectFailure({ DATABASE_URL: `${url}?connect_timeout=1` });

    expect(code).toBe(5);
    expect(waiting(stdout.split('\n'))).toHaveLength(1);
    expect(stderr).toMatch(/^notes: Cannot use .*: nothing answers there\. Check host and port\n$/);
    expect(ms).toBeGreaterThan(1_000); // by default, it waits for longer than `startAndExpectFailure`
    expectSilenceAbout(listPasswordForms(url), [stdout, stderr]);
  });
});

test('never opens more connections than DATABASE_POOL_SIZE', async () => {
  await using own = await createEmptyDatabase();
  await using service = await startService({ DATABASE_URL: own.url, DATABASE_POOL_SIZE: '3' });
  const count = `SELECT count(*)::int AS open FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'notes'`;
  const counts: number[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) counts.push((await own.run<{ open: number }>(count))[0]?.open ?? 0);
  })();

  for (let round = 0; round < 3; round++) {
    const writes = Array.from({ length: 100 }, () => awaitStatus(create(service, { content: 'x'.repeat(5_000) })));
    const reads = Array.from({ length: 20 }, async () => {
      const answer = await fetch(`${service.url}/api/notes`);
      await answer.arrayBuffer();
      return answer.status;
    });
    expect(new Set(await Promise.all([...writes, ...reads]))).toEqual(new Set([200]));
  }
  isOver = true;
  await watching;

  expect(Math.max(...counts)).toBe(3);
});

test('when the server has no free connection, start and log say what to do', async () => {
  await using own = await createEmptyDatabase();
  await using role = await createRole(own);
  const allow = (max: number) => own.run(`ALTER ROLE ${role.name} CONNECTION LIMIT ${max}`);
  await allow(0);
  await own.run(`GRANT CREATE ON SCHEMA public TO ${role.name}`);
  const remedy = 'it has no connection left. Raise its max_connections, or lower DATABASE_POOL_SIZE of each instance';

  const refused = await startAndExpectFailure({ DATABASE_URL: `${role.url}?connect_timeout=0` });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(remedy)]);

  await allow(-1);
  const reports: string[] = [];
  const onAvailability = (isAvailable: boolean, reason: string) => void reports.push(isAvailable ? 'back' : reason);
  await using store = await openPostgres({ ...createPostgresOptions(role.url), idleMs: 200, onAvailability });
  await allow(0);
  const open = () => own.run(`SELECT pid FROM pg_stat_activity WHERE usename = '${role.name}'`);
  expect(await isEventuallyTrue(async () => (await open()).length === 0)).toBe(true);
  await expect(store.assertReadableAndWritable()).rejects.toThrow();
  const written = store.create(createDraft());
  await allow(-1);
  await written;
  await store[Symbol.asyncDispose]();

  expect(reports).toEqual([remedy, 'back']);
});

test('a table that another program has locked is waited for at most DATABASE_TIMEOUT_MS', async () => {
  await using own = await createEmptyDatabase();
  await using service = await startService({ DATABASE_URL: own.url, DATABASE_TIMEOUT_MS: '2000' });
  const { id } = await readNoteBody(create(service));
  await using other = new SQL(own.url, { max: 1 });
  const locked = Promise.withResolvers<void>();
  const unlocked = Promise.withResolvers<void>();
  const locking = other.begin(async (transaction) => {
    await transaction.unsafe('LOCK TABLE notes');
    locked.resolve();
    await unlocked.promise;
  });
  await locked.promise;

  const started = performance.now();
  const answers = await Promise.all([
    create(service, { title: 'late' }),
    fetch(`${service.url}/api/notes`),
    fetch(`${service.url}/api/notes/${id}`),
  ]);
  const ms = performance.now() - started;
  unlocked.resolve();
  await locking;

  expect(answers.map((answer) => answer.status)).toEqual([500, 500, 500]);
  expect(ms).toBeWithin(1_900, 10_000); // 10 s is the default
  const outcomes = answers.map(({ headers }) => headers.get('notes-outcome'));
  expect(outcomes).toEqual([expect.stringMatching(/^(none|unknown)$/), null, null]);
  const listed = await readNotesBody(fetch(`${service.url}/api/notes`));
  if (outcomes[0] === 'none') expect(listed.map((note) => note.title)).toEqual(['A title']);
  expect(await awaitStatus(create(service))).toBe(200);
});

describe('a failure at run time', () => {
  const secrets = ['sesame-4b1d', 'treasure-77c0'];
  const secret: Partial<NoteDraft> = { title: 'sesame-4b1d', content: 'treasure-77c0' };

  /** Runs `work` against a service at log level debug, and expects no secret in its output and answers. */
  async function betray(
    work: (service: Service, own: TestDatabase) => Promise<readonly Response[]>,
  ): Promise<number[]> {
    await using own = await createEmptyDatabase();
    await using service = await startService({ DATABASE_URL: own.url, LOG_LEVEL: 'debug' });
    const stderr = service.process.stderr.text();
    const answers = await work(service, own);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    await service.stop();
    expectSilenceAbout([...secrets, ...listPasswordForms(own.url)], [...service.log, await stderr]);
    const errors = texts.filter((_, index) => answers[index]?.status !== 200);
    expectSilenceAbout([...secrets, ...listPasswordForms(own.url), 'SQL', 'relation', 'constraint', own.url], errors);
    return answers.map((answer) => answer.status);
  }

  test('a constraint that refuses one note spares the others of its batch, and the note stays secret', async () => {
    const statuses = await betray(async (service, own) => {
      await own.run(`ALTER TABLE notes ADD CONSTRAINT no_sesame CHECK (title NOT LIKE 'sesame%')`);
      return Promise.all(Array.from({ length: 20 }, (_, n) => create(service, n === 7 ? secret : {})));
    });

    expect(statuses).toEqual(Array.from({ length: 20 }, (_, n) => (n === 7 ? 500 : 200)));
  });

  test('the note stays secret when the table is gone', async () => {
    const statuses = await betray(async (service, own) => {
      const { id } = await readNoteBody(create(service));
      await own.run('DROP TABLE notes');
      const url = `${service.url}/api/notes`;
      const body = createJsonRequest({ id, ...secret }, 'PUT');
      return Promise.all([create(service, secret), fetch(`${url}/${id}`, body), fetch(url), fetch(`${url}/${id}`)]);
    });

    expect(statuses).toEqual([500, 500, 500, 500]);
  });
});

describe('the database goes away', () => {
  let own: PostgresServer;
  let relay: Relay;
  let service: Service;
  /** Whether nothing arrives on a connection any more. */
  const connections = new Map<Relayed, boolean>();
  let isSilent = false;
  const pass = (_: Buffer, relayed: Relayed) => !connections.getOrInsert(relayed, isSilent);
  const fallSilent = () => {
    isSilent = true;
    for (const relayed of connections.keys()) connections.set(relayed, true);
  };
  const forget = () => {
    isSilent = false;
  };
  beforeAll(async () => {
    own = await startPostgres();
    relay = await startRelay(() => own.port, { toServer: pass, toClient: pass });
    const url = changed(own.url(), { port: String(relay.port) });
    service = await startService({ DATABASE_URL: url, DATABASE_TIMEOUT_MS: '2000' });
    expect(await awaitStatus(create(service))).toBe(200);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    relay[Symbol.dispose]();
    await own[Symbol.asyncDispose]();
  });

  /** The status of the health endpoints and metrics. */
  async function health(): Promise<Record<string, number | boolean>> {
    const [healthz, readyz, metrics] = await Promise.all(
      ['/healthz', '/readyz', '/metrics'].map((path) => fetch(`${service.url}${path}`)),
    );
    const text = (await metrics?.text()) ?? '';
    expect(text).toContain('notes_http_requests_total{method="POST",route="/api/notes",status="200"}');
    return {
      healthz: healthz?.status ?? 0,
      readyz: readyz?.status ?? 0,
      metrics: metrics?.status ?? 0,
      tellsNotes: text.includes('\nnotes_stored '),
    };
  }

  const whileAway = { healthz: 200, readyz: 503, metrics: 200, tellsNotes: false };
  const whileThere = { healthz: 200, readyz: 200, metrics: 200, tellsNotes: true };

  const stop = () => {
    own.signal('SIGINT');
    return own.ended();
  };

  test.each<[string, () => unknown, () => unknown]>([
    ['stopped', stop, () => own.start()],
    ['silent forever on existing connections', fallSilent, forget],
  ])('%s: health and metrics still answer, and it recovers without a restart', async (_, leave, comeBack) => {
    expect(await health()).toEqual(whileThere);
    const logged = service.log.length;
    await leave();
    expect(await health()).toEqual(whileAway);
    await comeBack();

    expect(await isEventuallyTrue(async () => (await fetch(`${service.url}/readyz`)).status === 200)).toBe(true);
    expect(await health()).toEqual(whileThere);
    expect(await awaitStatus(create(service))).toBe(200);
    const sentences = service.log.slice(logged).map((line) => JSON.parse(line).msg);
    expect(sentences.filter((sentence) => /^The database is/.test(sentence)).slice(0, 2)).toEqual([
      'The database is unavailable',
      'The database is available again',
    ]);
    expectSilenceAbout(listPasswordForms(own.url()), service.log);
  });
});

/** What a dump brings into a younger cluster: transaction ids that are in the future there. */
const restoredLog = `UPDATE note_changes_pruned SET before = '900000000000';
  INSERT INTO note_changes (txid, ids) SELECT (900000000000 + n)::text::xid8, ARRAY[n] FROM generate_series(1, 2000) AS n`;

test('a database that was restored from a dump is read once, and not before every list', async () => {
  await using own = await createEmptyDatabase();
  await (await startService({ DATABASE_URL: own.url })).stop();
  await own.run(`INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
    SELECT 'Note ' || n, 'x', 'css', 'first', 'info', 1, 1 FROM generate_series(1, 12000) AS n; ANALYZE notes; ${restoredLog}`);
  const readSoFar = async () => {
    const [row] = await own.run<{ count: string }>(
      `SELECT seq_tup_read + idx_tup_fetch AS count FROM pg_stat_user_tables WHERE relname = 'notes'`,
    );
    return Number(row?.count);
  };
  await using service = await startService({ DATABASE_URL: own.url });
  const before = await readSoFar();

  for (let n = 0; n < 20; n++) expect(await readNotesBody(fetch(`${service.url}/api/notes`))).toHaveLength(12_000);
  await service.stop(); // its connections report their statistics when they close

  expect((await readSoFar()) - before).toBeLessThan(3 * 12_000);
});

test('no note is confirmed with the id of another one when a trigger of another program skips rows', async () => {
  await using skipping = await createEmptyDatabase();
  await using store = await openPostgres(createPostgresOptions(skipping.url));
  await skipping.run(`CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER skip BEFORE INSERT ON notes FOR EACH ROW WHEN (NEW.title = 'skipped') EXECUTE FUNCTION skip()`);

  const results = await Promise.allSettled(
    ['first', 'skipped', 'last'].map((title) => store.create(createDraft({ title }))),
  );

  const confirmed = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  const stored = await Promise.all(confirmed.map(({ id }) => store.get(id)));
  expect(stored.map(({ title }) => title)).toEqual(confirmed.map(({ title }) => title));
  expect(results[1]).toMatchObject({ status: 'rejected', reason: { outcome: 'unknown' } });
});
