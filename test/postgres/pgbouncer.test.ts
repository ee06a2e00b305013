/** Behind PgBouncer in transaction mode, everything works as without it, on few connections. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createClient } from '../../src/client/client.ts';
import type { NoteStore } from '../../src/core/store.ts';
import { Load } from '../support/http/load.ts';
import { createDatabase, type TestDatabase } from '../support/postgres/databases.ts';
import { seed, seeded } from '../support/random.ts';
import { draft, type Service, startService } from '../support/service.ts';
import { type Bouncer, pgbouncer, startBouncer } from './pgbouncer.ts';

if (pgbouncer === null) console.warn('PgBouncer is not installed: what happens behind it is not tested');

const poolSize = 6;

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
});
