/** How many connections an instance uses, and its messages when none is left or a proxy rejects its settings. */
import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, optionsFor } from '../support/postgres/databases.ts';
import { serveInVain } from '../support/refusal.ts';
import { draft } from '../support/service.ts';
import { pgbouncer, startBouncer } from './pgbouncer.ts';

const remedy = 'it has no connection left. Raise its max_connections, or lower DATABASE_POOL_SIZE of each instance';

test('idle connections are closed, and opened again on demand', async () => {
  await using database = await createDatabase();
  await using store = await openPostgres({ ...optionsFor(database.url), idleMs: 500 });
  const isOpen = `datname = current_database() AND application_name = 'notes'`;
  const open = async () => (await database.run(`SELECT pid FROM pg_stat_activity WHERE ${isOpen}`)).length;
  await using other = new SQL(database.url, { max: 1 });
  /** Reads that wait for a locked table, and so for a connection each. */
  const readTogether = async () => {
    const session = await other.reserve();
    await session`BEGIN`;
    await session`LOCK TABLE notes`;
    const reads = Promise.all(Array.from({ length: 40 }, () => store.get(id)));
    const areMany = await eventually(async () => (await open()) > 2);
    await session`COMMIT`;
    session.release();
    return { areMany, read: (await reads).length };
  };
  const { id } = await store.create(draft());

  const first = await readTogether();
  const areFew = await eventually(async () => (await open()) <= 2);
  const second = await readTogether();

  expect([first, areFew, second]).toEqual([{ areMany: true, read: 40 }, true, { areMany: true, read: 40 }]);
});

test('when the server has no free connection, start and log say what to do', async () => {
  await using database = await createDatabase();
  const name = new URL(database.url).pathname.slice(1);
  const url = Object.assign(new URL(database.url), { username: name, password: 'x' }).href;
  const allow = (max: number) => database.run(`ALTER ROLE ${name} CONNECTION LIMIT ${max}`);
  await database.run(`CREATE ROLE ${name} LOGIN PASSWORD 'x' CONNECTION LIMIT 0`);
  await database.run(`GRANT CREATE ON SCHEMA public TO ${name}`);

  const refused = await serveInVain({ DATABASE_URL: `${url}?connect_timeout=0` });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(remedy)]);

  await allow(-1);
  const reports: string[] = [];
  const onPresence = (isThere: boolean, reason: string) => void reports.push(isThere ? 'back' : reason);
  await using store = await openPostgres({ ...optionsFor(url), idleMs: 200, onPresence });
  await allow(0);
  const open = () => database.run(`SELECT pid FROM pg_stat_activity WHERE usename = '${name}'`);
  expect(await eventually(async () => (await open()).length === 0)).toBe(true);
  await expect(store.check()).rejects.toThrow();
  const written = store.create(draft());
  await allow(-1);
  await written;
  await store[Symbol.asyncDispose]();

  expect(reports).toEqual([remedy, 'back']);
  await database.run(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
}, 60_000);

test.skipIf(pgbouncer === null)(
  'behind PgBouncer that rejects the session settings, the start names the setting',
  async () => {
    await using database = await createDatabase();
    await using bouncer = await startBouncer(database.url, 3);
    const { code, stderr } = await serveInVain({ DATABASE_URL: bouncer.url });

    expect([code, stderr]).toEqual([1, expect.stringContaining('Add ?prepare=false to its address')]);
  },
  60_000,
);
