/** Behind PgBouncer in transaction mode, services work as without it, on few connections. */
import { expect, test } from 'bun:test';
import { WriteLoad } from '../support/http/load.ts';
import { createEmptyDatabase } from '../support/postgres/databases.ts';
import { createSeededRandom, seed } from '../support/random.ts';
import { startService } from '../support/service.ts';
import { startAndExpectFailure } from '../support/start-failure.ts';
import { pgbouncer, startBouncer } from './pgbouncer.ts';

if (pgbouncer === null) console.warn('PgBouncer is not installed: what happens behind it is not tested');

test.skipIf(pgbouncer === null)(
  'many clients write through two services, no write is refused or lost, and a start without ?prepare=false names it',
  async () => {
    await using database = await createEmptyDatabase();
    await using bouncer = await startBouncer(database.url, 6);
    const settings = { DATABASE_URL: `${bouncer.url}?prepare=false`, DATABASE_POOL_SIZE: '6' };
    await using one = await startService(settings);
    await using other = await startService(settings);
    const load = new WriteLoad(createSeededRandom(seed), 'failed', { clients: 48 });

    for (const [writing, reading] of [[one, other] as const, [other, one] as const]) {
      const until = load.acknowledged + 1_000;
      await load.writeDuring(() => load.waitForAcknowledgedCount(until), writing);
      await load.assertListAndAdoptIt(reading);
    }
    const { code, stderr } = await startAndExpectFailure({ DATABASE_URL: bouncer.url });

    expect([...load.answers.keys()]).toEqual([200]);
    expect((await fetch(`${one.url}/readyz`)).status).toBe(200);
    expect([code, stderr]).toEqual([1, expect.stringContaining('Add ?prepare=false to its address')]);
  },
);
