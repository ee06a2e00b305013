/**
 * `/readyz` is 503 while notes cannot be read or written for any reason, and 200 again afterwards. Acknowledged writes
 * are on disk, even if the server's settings change meanwhile.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createClient } from '../../src/client/client.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { runStatements } from '../support/postgres/databases.ts';
import { freezeProcesses } from '../support/postgres/processes.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { createDraft, createPortableNote } from '../support/sample-notes.ts';
import { createJsonRequest, runNotesCommand, type Service, startService } from '../support/service.ts';
import { startAndExpectFailure } from '../support/start-failure.ts';
import { isLinux } from '../support/system/process-facts.ts';
import { pgbouncer, startBouncer } from './pgbouncer.ts';
import { dataRights } from './roles.ts';

const grants = dataRights('notes');

let server: PostgresServer;
let service: Service;
let env: Readonly<Record<string, string>>;
const owner = (statements: string) => runStatements(server.url(), statements);
beforeAll(async () => {
  server = await startPostgres();
  await using first = await startService({ DATABASE_URL: server.url() });
  await first.stop();
  await owner(`CREATE ROLE notes LOGIN PASSWORD 'x'; ${grants}`);
  env = { DATABASE_URL: Object.assign(new URL(server.url()), { username: 'notes', password: 'x' }).href };
  service = await startService(env);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Asks until `/readyz` has this status. Returns the number of other responses. */
async function probeUntil(status: 200 | 503): Promise<number> {
  let others = 0;
  const isSo = async () => (await fetch(`${service.url}/readyz`)).status === status || !++others;
  expect(await isEventuallyTrue(isSo)).toBe(true);
  return others;
}

/** The logged sentences on whether the database is available, from a line on. */
const presenceSince = (line: number): readonly string[] =>
  service.log
    .slice(line)
    .map((text) => JSON.parse(text).msg)
    .filter((sentence) => sentence.startsWith('The database is '));

const commit = "SELECT pg_logical_emit_message(true, 'test', '')";
let waitingCommits: Promise<unknown>[] = [];

/** Resolves once commits wait for a standby that does not exist. */
async function requireStandby(): Promise<void> {
  await owner("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  await owner('SELECT pg_reload_conf()');
  const isAnyWaiting = async () => {
    waitingCommits.push(owner(commit));
    return (await owner("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")).length > 0;
  };
  expect(await isEventuallyTrue(isAnyWaiting)).toBe(true);
}

/** Resolves once all commits have ended. */
async function requireNoStandby(): Promise<void> {
  await owner('ALTER SYSTEM RESET synchronous_standby_names');
  await owner('SELECT pg_reload_conf()');
  await Promise.all(waitingCommits);
  waitingCommits = [];
}

test.each([
  [
    'notes are renamed',
    () => owner('ALTER TABLE notes RENAME TO elsewhere'),
    () => owner('ALTER TABLE elsewhere RENAME TO notes'),
  ],
  ['nothing may be inserted', () => owner('REVOKE INSERT ON notes FROM notes'), () => owner(grants)],
  ['the log may not be read', () => owner('REVOKE SELECT ON note_changes FROM notes'), () => owner(grants)],
  ['a synchronous standby never answers', requireStandby, requireNoStandby],
])(
  'not ready by the second probe when %s, and ready again by the second; the database never counts as unavailable',
  async (_, harm, mend) => {
    await probeUntil(200);
    const logged = service.log.length;
    await harm();
    expect(await probeUntil(503)).toBeLessThanOrEqual(1);
    await mend();
    expect(await probeUntil(200)).toBeLessThanOrEqual(1);

    expect(presenceSince(logged)).toEqual([]);
  },
);

test.skipIf(!isLinux)(
  'not ready by the second probe when the server never answers, and ready again by the second; each is logged once',
  async () => {
    await probeUntil(200);
    await Promise.all(Array.from({ length: 8 }, () => fetch(`${service.url}/api/notes/1`))); // opens connections
    const logged = service.log.length;
    const thaw = freezeProcesses(server);
    expect(await probeUntil(503)).toBeLessThanOrEqual(1);
    const search = fetch(`${service.url}/api/search`);
    expect(await probeUntil(503)).toBeLessThanOrEqual(1);
    thaw();
    expect(await probeUntil(200)).toBeLessThanOrEqual(1);

    expect((await search).status).toBe(200);
    await isEventuallyTrue(() => presenceSince(logged).length > 1); // the log arrives after the response
    expect(presenceSince(logged)).toEqual(['The database is unavailable', 'The database is available again']);
  },
);

test('a check leaves no note behind, and uses no id', async () => {
  await probeUntil(200);
  const created = (await (await fetch(`${service.url}/api/notes`, createJsonRequest(createDraft()))).json()) as {
    id: number;
  };

  expect(created.id).toBe(1);
  expect(await (await fetch(`${service.url}/api/notes`)).json()).toHaveLength(1);
});

test('the doctor examines the database, and finds a fault before its deadline while it never answers', async () => {
  const well = await runNotesCommand(['doctor'], { ...env, PORT: '0' });
  const thaw = freezeProcesses(server);

  const hangs = await runNotesCommand(['doctor'], { ...env, PORT: '0' });
  thaw();

  expect(well.code).toBe(0);
  expect(well.stdout).toMatch(/\nok +database +postgres:.*PostgreSQL \d+.*, notes can be written\n/);
  expect(hangs.code).toBe(1);
  expect(hangs.stdout).toMatch(/\nfault +database +.*(it did not answer in time|no answer within 3\.5 s)/);
});

/** Changes settings of the server for all sessions, as an administrator does. */
async function setOnServer(name: string, value: string): Promise<void> {
  await owner(`ALTER SYSTEM SET ${name} = ${value}`);
  await owner('SELECT pg_reload_conf()');
  const show = async () => (await runStatements<Record<string, string>>(server.url(), `SHOW ${name}`))[0]?.[name];
  expect(await isEventuallyTrue(async () => (await show()) === value)).toBe(true);
}

/** Behind PgBouncer each transaction may get another session. */
const ways = pgbouncer === null ? ['directly'] : ['directly', 'behind PgBouncer'];

test.each(ways)('every kind of write is synced, and a stronger setting of the server is kept: %s', async (way) => {
  await using opened = new AsyncDisposableStack();
  const bouncer = way === 'directly' ? undefined : opened.use(await startBouncer(server.url(), 3));
  const url = bouncer ? `${bouncer.url}?prepare=false` : server.url();
  const writing = opened.use(await startService({ DATABASE_URL: url }));
  const client = createClient(writing.url);
  await owner(
    `CREATE TABLE seen (setting text); CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
     CREATE TRIGGER see AFTER INSERT OR UPDATE ON notes FOR EACH STATEMENT EXECUTE FUNCTION see()`,
  );
  const seen: unknown[] = [];
  for (const value of ['remote_apply', 'off']) {
    await setOnServer('synchronous_commit', value);
    const { id } = await client.create(createDraft());
    await client.update(id, { title: 'changed' });
    await client.setArchived(id, true);
    await fetch(`${writing.url}/merge`, createJsonRequest({ notes: [createPortableNote(id + 1_000)] }));
    seen.push(await runStatements(server.url(), 'SELECT DISTINCT setting FROM seen'));
    await owner('DELETE FROM seen');
  }
  await owner('DROP TRIGGER see ON notes; DROP FUNCTION see; DROP TABLE seen; DELETE FROM notes');
  await setOnServer('synchronous_commit', 'on');

  expect(seen).toEqual([[{ setting: 'remote_apply' }], [{ setting: 'on' }]]);
});

test.each(['fsync', 'full_page_writes'])(
  '%s is turned off: writes are refused, the service is not ready, and does not start',
  async (name) => {
    const write = () => fetch(`${service.url}/api/notes`, createJsonRequest(createDraft()));
    await probeUntil(200);

    await setOnServer(name, 'off');
    expect(await isEventuallyTrue(async () => (await write()).status === 500)).toBe(true);
    const [refused, unready] = [await write(), await fetch(`${service.url}/readyz`)];
    const start = await startAndExpectFailure(env);
    await setOnServer(name, 'on');

    expect([refused.status, refused.headers.get('Notes-Outcome')]).toEqual([500, 'none']);
    expect([unready.status, await unready.text()]).toEqual([503, expect.stringContaining(`${name} is off`)]);
    expect(start.stderr).toContain(`its setting ${name} is off. Turn it on`);
    expect(service.log.filter((line) => line.includes(`its setting ${name} is off`))).not.toEqual([]);
    expect(await isEventuallyTrue(async () => (await write()).status === 200)).toBe(true);
    await probeUntil(200);
  },
);

test('a schema that has become too new also stops writes', async () => {
  await owner('UPDATE notes_schema SET version = 99, works_from = 99');
  await Bun.sleep(1_100);
  const { status, headers } = await fetch(`${service.url}/api/notes`, createJsonRequest(createDraft()));
  expect([status, headers.get('Notes-Outcome')]).toEqual([500, 'none']);
  await probeUntil(503);
});
