/** Acknowledged writes are on disk, even if the server's settings change meanwhile, directly and behind PgBouncer. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createClient } from '../../src/client/client.ts';
import type { Note } from '../../src/core/note.ts';
import { eventually } from '../support/eventually.ts';
import { runOn } from '../support/postgres/databases.ts';
import { answering, killAll } from '../support/postgres/processes.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { draft, jsonBody, portableNote, type Service, startService } from '../support/service.ts';
import { pgbouncer, startBouncer } from './pgbouncer.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres({ settings: { wal_writer_delay: 10_000 } }); // keeps unsynced writes in memory
}, 60_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

/** Changes the server's settings for all sessions, as an administrator does. */
async function setOnServer(...settings: readonly string[]): Promise<void> {
  for (const setting of settings) await runOn(server.url(), `ALTER SYSTEM ${setting}`);
  await runOn(server.url(), 'SELECT pg_reload_conf()');
  for (const setting of settings) {
    const [, name, value] = /^SET (\w+) = (\w+)$/.exec(setting) ?? [];
    const show = async () => (await runOn<Record<string, string>>(server.url(), `SHOW ${name}`))[0];
    if (name !== undefined) expect(await eventually(async () => (await show())?.[name] === value)).toBe(true);
  }
}

const byId = (one: Note, other: Note) => one.id - other.id;

async function merge(service: Service, id: number): Promise<Note> {
  const note = portableNote(id);
  expect((await fetch(`${service.url}/merge`, jsonBody({ notes: [note] }))).status).toBe(200);
  return note;
}

/** Crashes the server after each kind of write, since a synced write also flushes those before it. */
async function expectNoLoss(service: Service): Promise<void> {
  const client = createClient(service.url);
  const notes = new Map((await client.list()).map((note) => [note.id, note]));
  const { id } = await client.create(draft());
  notes.set(id, await client.get(id));
  const writes = [() => client.create(draft()), () => client.setArchived(id, true), () => merge(service, id + 1_000)];
  await setOnServer('SET synchronous_commit = off');
  for (const write of writes) {
    const written = await write();
    notes.set(written.id, written);
    await killAll(server);
    await server.start();
    await answering(server);
    await eventually(async () => (await fetch(`${service.url}/readyz`)).ok);
    expect((await client.list()).sort(byId)).toEqual([...notes.values()].sort(byId));
  }
  await setOnServer('RESET synchronous_commit');
}

describe('synchronous_commit is turned off while a service runs, and the server crashes: nothing is lost', () => {
  test('directly', async () => {
    await using service = await startService({ DATABASE_URL: server.url() });
    await expectNoLoss(service);
  }, 60_000);

  test.skipIf(pgbouncer === null)(
    'behind PgBouncer, where each transaction may get another session',
    async () => {
      await using bouncer = await startBouncer(server.url(), 3);
      await using service = await startService({ DATABASE_URL: `${bouncer.url}?prepare=false` });
      await expectNoLoss(service);
    },
    60_000,
  );
});

test('a stronger setting of the server is kept', async () => {
  await using service = await startService({ DATABASE_URL: server.url() });
  await runOn(
    server.url(),
    `CREATE TABLE seen (setting text); CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
     CREATE TRIGGER see AFTER INSERT ON notes FOR EACH STATEMENT EXECUTE FUNCTION see()`,
  );
  for (const value of ['remote_apply', 'off']) {
    await setOnServer(`SET synchronous_commit = ${value}`);
    await createClient(service.url).create(draft());
  }
  const seen = await runOn(server.url(), 'SELECT setting FROM seen');
  await runOn(server.url(), 'DROP TRIGGER see ON notes');
  await setOnServer('RESET synchronous_commit');

  expect(seen).toEqual([{ setting: 'remote_apply' }, { setting: 'on' }]);
});

test.each(['fsync', 'full_page_writes'])(
  '%s is turned off: writes are refused, the service is not ready, and does not start',
  async (name) => {
    await using service = await startService({ DATABASE_URL: server.url() });
    const write = () => fetch(`${service.url}/api/notes`, jsonBody(draft()));
    const ready = async () => (await fetch(`${service.url}/readyz`)).status;
    expect([await ready(), (await write()).status]).toEqual([200, 200]);

    await setOnServer(`SET ${name} = off`);
    expect(await eventually(async () => (await write()).status === 500)).toBe(true);
    const [refused, unready] = [await write(), await fetch(`${service.url}/readyz`)];
    const start = startService({ DATABASE_URL: server.url() }).then(
      () => 'started',
      (error) => String(error),
    );
    expect(await start).toContain(`its setting ${name} is off. Turn it on`);
    await setOnServer(`SET ${name} = on`);

    expect([refused.status, refused.headers.get('Notes-Outcome')]).toEqual([500, 'none']);
    expect([unready.status, await unready.text()]).toEqual([503, expect.stringContaining(`${name} is off`)]);
    expect(service.log.filter((line) => line.includes(`its setting ${name} is off`))).not.toEqual([]);
    expect(await eventually(async () => (await write()).status === 200)).toBe(true);
    expect(await ready()).toBe(200);
  },
  60_000,
);
