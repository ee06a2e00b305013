/** Behind PgBouncer in transaction mode, everything works as without it, on few connections. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createClient } from '../../src/client/client.ts';
import type { NoteStore } from '../../src/core/store.ts';
import { eventually } from '../support/eventually.ts';
import { Load } from '../support/http/load.ts';
import { beginList } from '../support/http/long-list.ts';
import { createDatabase, type TestDatabase } from '../support/postgres/databases.ts';
import { seed, seeded } from '../support/random.ts';
import { draft, noteIn, type Service, startService } from '../support/service.ts';
import { type Bouncer, pgbouncer, startBouncer } from './pgbouncer.ts';

if (pgbouncer === null) console.warn('PgBouncer is not installed: what happens behind it is not tested');

const poolSize = 6;
/** Long lists that a service reads at once: each holds a connection. */
const longLists = poolSize - 4;

describe.skipIf(pgbouncer === null)('behind PgBouncer', () => {
  let database: TestDatabase;
  let bouncer: Bouncer;
  let services: readonly Service[] = [];
  beforeAll(async () => {
    database = await createDatabase();
    bouncer = await startBouncer(database.url, poolSize);
    const settings = { DATABASE_URL: `${bouncer.url}?prepare=false`, DATABASE_POOL_SIZE: String(poolSize) };
    services = await Promise.all([1, 2].map(() => startService(settings)));
  }, 60_000);
  afterAll(async () => {
    for (const service of services) await service[Symbol.asyncDispose]();
    await bouncer?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });

  const at = (turn: number): Service => {
    const service = services[turn % services.length];
    if (service === undefined) throw new Error('No service was started');
    return service;
  };
  const client = (turn: number): NoteStore => createClient(at(turn).url);

  test('every operation works', async () => {
    const note = await client(0).create(draft({ title: 'é漢👍' }));
    const updated = await client(1).update(note.id, { category: 'css' }, [note.updatedAt]);
    const conflict = await client(0)
      .setArchived(note.id, true, [note.updatedAt])
      .catch((error) => error.code);
    const archived = await client(0).setArchived(note.id, true);

    expect(updated).toEqual({ ...note, category: 'css', updatedAt: updated.updatedAt });
    expect(conflict).toBe('conflict');
    expect(await client(1).list({ archived: true, category: 'css' })).toEqual([archived]);
    expect(await client(1).get(note.id)).toEqual(archived);
    expect(
      await client(1)
        .get(999_999)
        .catch((error) => error.code),
    ).toBe('not_found');
    expect((await fetch(`${at(0).url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${at(1).url}/metrics`)).text()).toContain('\nnotes_stored 1\n');
  });

  test('many clients write through two services, and no write is refused or lost', async () => {
    await database.run('TRUNCATE notes');
    const load = new Load(seeded(seed), 'failed', { clients: 48 });

    for (const turn of [0, 1]) {
      const until = load.acknowledged + 1_000;
      await load.during(() => load.reach(until), at(turn));
      await load.verify(at(turn + 1));
    }

    expect([...load.answers.keys()]).toEqual([200]);
  }, 60_000);

  test('each service lists writes of the other, and of many writes under one condition one succeeds', async () => {
    for (let round = 0; round < 20; round++) {
      const note = await client(round).create(draft({ group: 'fifth' }));
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          client(n)
            .update(note.id, { title: `${n}` }, [note.updatedAt])
            .catch((error) => error.code),
        ),
      );
      const [winner] = results.filter((result) => result !== 'conflict');
      expect(results.filter((result) => result === 'conflict')).toHaveLength(19);
      expect((await client(round + 1).list({ group: 'fifth' })).at(-1)).toEqual(winner);
    }
  });

  test('long lists are snapshots, and stalled readers do not block writes', async () => {
    await database.run(`TRUNCATE notes RESTART IDENTITY; INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
      SELECT 'Note ' || n, repeat(md5(n::text), 44), 'css', 'first', 'info', 1, 1 FROM generate_series(1, 12000) AS n`);
    const url = `${at(0).url}/api/notes`;
    const expected = await (await fetch(`${at(1).url}/api/notes`)).text();
    expect(JSON.parse(expected)).toHaveLength(12_000);

    const lists = await Promise.all(Array.from({ length: longLists }, () => beginList(url)));
    const written = await Promise.all(
      Array.from({ length: 200 }, (_, n) => client(n).update(n + 1, { title: 'changed' })),
    );
    const rest = await Promise.all(lists.map((list) => list.rest()));

    expect(written.every((note) => note.title === 'changed')).toBe(true);
    expect(rest.filter((bytes) => bytes?.toString() !== expected)).toEqual([]);
    expect((await noteIn(fetch(`${url}/1`))).title).toBe('changed');
    for (const list of lists) list[Symbol.dispose]();
  }, 60_000);

  test('PgBouncer opens no more connections to the database than its pool has', async () => {
    const [row] = await database.run<{ open: number }>(
      `SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );

    expect(row?.open).toBeWithin(1, poolSize + 1);
    expect(await eventually(async () => (await fetch(`${at(0).url}/readyz`)).ok)).toBe(true);
  });
});
