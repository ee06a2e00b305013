/** What an instance takes of a server's connections, and what it says when none is left or a proxy refuses its own. */
import { expect, test } from 'bun:test';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, optionsFor } from '../support/postgres/databases.ts';
import { serveInVain } from '../support/refusal.ts';
import { draft } from '../support/service.ts';
import { pgbouncer, startBouncer } from './pgbouncer.ts';

const remedy = 'it has no connection left. Raise its max_connections, or lower DATABASE_POOL_SIZE of each instance';

test('idle connections are given back, and made anew when they are needed', async () => {
  await using database = await createDatabase();
  await using store = await openPostgres({ ...optionsFor(database.url), idleMs: 500 });
  const isOpen = `datname = current_database() AND application_name = 'notes'`;
  const open = async () => (await database.run(`SELECT pid FROM pg_stat_activity WHERE ${isOpen}`)).length;
  const writeAndRead = async () => {
    const { id } = await store.create(draft());
    return Promise.all(Array.from({ length: 40 }, () => store.get(id)));
  };
  await writeAndRead();
  expect(await open()).toBeGreaterThan(2);

  expect(await eventually(async () => (await open()) <= 2)).toBe(true);
  expect(await writeAndRead()).toHaveLength(40);
});

test('a server without a connection left: start and log say what to do', async () => {
  await using database = await createDatabase();
  const name = new URL(database.url).pathname.slice(1);
  const url = Object.assign(new URL(database.url), { username: name, password: 'x' }).href;
  const allow = (most: number) => database.run(`ALTER ROLE ${name} CONNECTION LIMIT ${most}`);
  await database.run(`CREATE ROLE ${name} LOGIN PASSWORD 'x' CONNECTION LIMIT 0`);
  await database.run(`GRANT CREATE ON SCHEMA public TO ${name}`);

  const refused = await serveInVain({ DATABASE_URL: url, DATABASE_WAIT_MS: '0' });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(remedy)]);

  await allow(-1);
  const told: string[] = [];
  const onPresence = (isThere: boolean, reason: string) => void told.push(isThere ? 'back' : reason);
  await using store = await openPostgres({ ...optionsFor(url), idleMs: 200, onPresence });
  await allow(0);
  const open = () => database.run(`SELECT pid FROM pg_stat_activity WHERE usename = '${name}'`);
  expect(await eventually(async () => (await open()).length === 0)).toBe(true);
  await expect(store.check()).rejects.toThrow();
  const written = store.create(draft());
  await allow(-1);
  await written;
  await store[Symbol.asyncDispose]();

  expect(told).toEqual([remedy, 'back']);
  await database.run(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
}, 60_000);

test.skipIf(pgbouncer === null)(
  'behind PgBouncer, which refuses what a session is set to: the start names the setting',
  async () => {
    await using database = await createDatabase();
    await using bouncer = await startBouncer(database.url, 3);
    const { code, stderr } = await serveInVain({ DATABASE_URL: bouncer.url });

    expect([code, stderr]).toEqual([1, expect.stringContaining('Set DATABASE_PREPARE=false')]);
  },
  60_000,
);
