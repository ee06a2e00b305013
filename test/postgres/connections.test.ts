/** How many connections an instance uses, and its messages when none is left or a proxy rejects its settings. */
import { expect, test } from 'bun:test';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, optionsFor } from '../support/postgres/databases.ts';
import { serveInVain } from '../support/refusal.ts';
import { draft } from '../support/service.ts';
import { pgbouncer, startBouncer } from './pgbouncer.ts';

const remedy = 'it has no connection left. Raise its max_connections, or lower DATABASE_POOL_SIZE of each instance';

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
