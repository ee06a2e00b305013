/**
 * The database is read-only for a while: reads go on, writes say that nothing happened, and every connection writes
 * again once the database is writable, although a session keeps the mode and the server that it began with.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { ConnectionPool } from '../../src/store/postgres/connection-pool.ts';
import * as storeMessage from '../../src/store/store-messages.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createEmptyDatabase, createPostgresOptions, runStatements } from '../support/postgres/databases.ts';
import { databaseTimeoutMs } from '../support/postgres/deadline.ts';
import { waitForRow } from '../support/postgres/processes.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { type Relay, startRelay } from '../support/relay.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, readNoteBody, type Service, startService } from '../support/service.ts';
import { openSession } from './roles.ts';

let former: PostgresServer;
let next: PostgresServer;
let proxy: Relay;
/** Where new connections through the proxy lead. Open ones stay where they are. */
let primary: PostgresServer;
let service: Service;
beforeAll(async () => {
  [former, next] = await Promise.all([startPostgres(), startPostgres()]);
  await (await openPostgres(createPostgresOptions(next.url())))[Symbol.asyncDispose]();
  primary = former;
  proxy = await startRelay(() => primary.port);
  const url = Object.assign(new URL(former.url()), { port: String(proxy.port) }).href;
  service = await startService({ DATABASE_URL: url, DATABASE_TIMEOUT_MS: '3000' });
  await create();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  proxy[Symbol.dispose]();
  await Promise.all([former, next].map((server) => server[Symbol.asyncDispose]()));
});

const create = () => fetch(`${service.url}/api/notes`, createJsonRequest(createDraft()));
const readiness = () => fetch(`${service.url}/readyz`);

/** Longest wait for the service to be ready again, as a number of probes 200 ms apart: 5 s. */
const maxProbes = 25;

/** Asks every 200 ms whether the service is ready. Returns the number of times that it was not, up to `maxProbes`. */
async function countProbesUntilReady(): Promise<number> {
  for (let probes = 0; probes < maxProbes; probes++) {
    if ((await readiness()).status === 200) return probes;
    await Bun.sleep(200);
  }
  return maxProbes;
}

/** The sessions of the service on the first server. */
async function findFormerSessions(): Promise<readonly number[]> {
  const select = "SELECT pid FROM pg_stat_activity WHERE application_name = 'notes'";
  return (await runStatements<{ pid: number }>(former.url(), select)).map(({ pid }) => pid);
}

/** New sessions are read-only, and the service gets new ones. */
async function setReadOnly(): Promise<void> {
  await runStatements(former.url(), 'ALTER DATABASE postgres SET default_transaction_read_only = on');
  await runStatements(
    former.url(),
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'notes'",
  );
}

/** New sessions write again; the operator's own is read-only until it says otherwise. */
const resetReadOnly = () =>
  runStatements(former.url(), 'BEGIN READ WRITE; ALTER DATABASE postgres RESET default_transaction_read_only; COMMIT');

/** Sessions that are open become read-only too. */
async function demote(): Promise<void> {
  await runStatements(former.url(), 'ALTER SYSTEM SET default_transaction_read_only = on');
  await runStatements(former.url(), 'SELECT pg_reload_conf()');
  await waitForRow(former, "SELECT 1 AS one WHERE current_setting('transaction_read_only') = 'on'");
}

async function leadToNext(): Promise<void> {
  primary = next;
}

test.each([
  ['default_transaction_read_only is on, then off', setReadOnly, resetReadOnly],
  ['the primary is demoted and keeps the open connections of a proxy', demote, leadToNext],
])(
  'when %s, the service reads meanwhile, and then is ready and writes on new connections alone',
  async (_, harm, mend) => {
    await harm();
    expect(await isEventuallyTrue(async () => (await readiness()).status === 503)).toBe(true);
    const reads = await Promise.all(
      Array.from({ length: 20 }, (_, n) => fetch(`${service.url}/api/notes${n % 2 === 0 ? '/1' : ''}`)),
    );
    const refused = await create();
    const unready = await readiness();
    const sessions = await findFormerSessions();
    await mend();

    expect(await countProbesUntilReady()).toBeLessThan(maxProbes);

    const { id } = await readNoteBody(create());
    const put = () => fetch(`${service.url}/api/notes/${id}`, createJsonRequest({ id, title: 'Later' }, 'PUT'));
    const writes = await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? create() : put())));
    const areReplaced = async () => (await findFormerSessions()).every((pid) => !sessions.includes(pid));
    expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
    expect([refused.status, refused.headers.get('Notes-Outcome')]).toEqual([500, 'none']);
    expect(await refused.json()).toEqual({ error: storeMessage.storeReadOnlyNow });
    expect([unready.status, await unready.json()]).toEqual([503, { error: storeMessage.storeReadOnly }]);
    expect(sessions).not.toEqual([]);
    expect(new Set(writes.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await isEventuallyTrue(areReplaced)).toBe(true);
  },
);

const limits = { poolSize: 3, timeoutMs: databaseTimeoutMs };

test('what runs or waits while the connections are replaced ends as it would have, and is then closed', async () => {
  await using database = await createEmptyDatabase();
  await database.run('CREATE TABLE written (n integer)');
  await using other = openSession(database);
  await other.run('SELECT pg_advisory_lock(1)');
  const presence: boolean[] = [];
  await using connections = new ConnectionPool(createPostgresOptions(database.url).address, limits, (isThere) => {
    presence.push(isThere);
  });
  const [readOnly, transaction] = [await connections.reserve(), await connections.reserve()];
  await readOnly.query('SET default_transaction_read_only = on');
  await transaction.query('BEGIN; INSERT INTO written VALUES (1)');
  const running = connections.query('INSERT INTO written SELECT 2 FROM pg_advisory_xact_lock_shared(1)');
  const isRunning = async () =>
    (await database.run("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).length > 0;
  expect(await isEventuallyTrue(isRunning)).toBe(true);
  const waiting = [3, 4].map((n) => connections.query(`INSERT INTO written VALUES (${n})`));
  const before = await database.run<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'notes' AND datname = current_database()`,
  );

  const refused = await readOnly.query('INSERT INTO written VALUES (0)').catch((error) => error.sqlState);
  expect(await connections.replaceConnectionsIfWritable()).toBe(true);
  const [fresh] = await connections.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  await transaction.query('COMMIT');
  transaction.release();
  await other.run('SELECT pg_advisory_unlock(1)');
  await Promise.all([running, ...waiting]);
  readOnly.release();

  const pids = before.map(({ pid }) => pid);
  expect(refused).toBe('25006');
  expect(pids).toHaveLength(limits.poolSize);
  expect(pids).not.toContain(fresh?.pid);
  expect(await database.run('SELECT n FROM written ORDER BY n')).toEqual([1, 2, 3, 4].map((n) => ({ n })));
  const isClosed = async () =>
    (await database.run(`SELECT 1 FROM pg_stat_activity WHERE pid IN (${pids})`)).length === 0;
  expect(await isEventuallyTrue(isClosed)).toBe(true);
  expect(presence).toEqual([]);
});

test('while the database is read-only, its connections stay, and a new one looks at most once a second', async () => {
  await using database = await createEmptyDatabase();
  await database.run('CREATE TABLE written (n integer)');
  await database.run(
    `ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET default_transaction_read_only = on`,
  );
  let opened = 0;
  const { port } = new URL(database.url);
  using counting = await startRelay(() => {
    opened++;
    return Number(port);
  });
  const { address } = createPostgresOptions(Object.assign(new URL(database.url), { port: String(counting.port) }).href);
  await using connections = new ConnectionPool(address, limits);

  const started = performance.now();
  const refused = new Set<string>();
  for (let writes = 0; writes < 100 || performance.now() - started < 1_500; writes++) {
    refused.add(await connections.query('INSERT INTO written VALUES (1)').catch((error) => error.sqlState));
  }
  const seconds = (performance.now() - started) / 1_000;

  expect(refused).toEqual(new Set(['25006']));
  expect(opened - limits.poolSize).toBeWithin(1, Math.floor(seconds) + 2);
});
