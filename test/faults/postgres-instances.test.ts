/** One of three services on one database is killed under load; reconnecting clients are served by the others. */
import { expect, test } from 'bun:test';
import { WriteLoad } from '../support/http/load.ts';
import { startPostgres } from '../support/postgres/server.ts';
import { createSeededRandom, seed } from '../support/random.ts';
import { type Relay, startRelay } from '../support/relay.ts';
import { longRunMs, pickByScale } from '../support/scale.ts';
import { type Service, startService } from '../support/service.ts';
import { reportFigures } from './report.ts';

const rounds = pickByScale(10, 2);
const minWrites = pickByScale(1_000, 300);
const clients = 48;
const instances = 3;

/** A round-robin load balancer over the running services. */
async function balance(services: readonly Service[]): Promise<Relay & { readonly url: string }> {
  let next = 0;
  const relay = await startRelay(() => services[next++ % services.length]?.port ?? 0);
  return Object.assign(relay, { url: `http://127.0.0.1:${relay.port}` });
}

test(
  `${rounds} times one of ${instances} instances is killed, and only what it was working on is not answered`,
  async () => {
    await using server = await startPostgres();
    await using running = new AsyncDisposableStack();
    const start = async () => running.use(await startService({ DATABASE_URL: server.url() }));
    const services = await Promise.all(Array.from({ length: instances }, start));
    using balancer = await balance(services);
    const load = new WriteLoad(createSeededRandom(seed), 'unknown', { clients, returns: true });

    for (let round = 0; round < rounds; round++) {
      const unanswered = load.unanswered;
      await load.writeDuring(async () => {
        await load.waitForAcknowledgedCount(load.acknowledged + minWrites);
        const [victim] = services.splice(round % instances, 1);
        await victim?.stop('SIGKILL');
        await load.waitForAcknowledgedCount(load.acknowledged + minWrites);
      }, balancer);
      expect(load.unanswered - unanswered).toBeGreaterThan(0);
      expect(load.unanswered - unanswered).toBeLessThanOrEqual(clients / instances);
      for (const service of services) expect(await load.readListAndFindContradictions(service)).toEqual([]);
      await load.assertListAndAdoptIt(balancer);
      services.push(await start());
    }

    expect([...load.answers.keys()]).toEqual([200]);
    reportFigures(
      24,
      `${rounds} rounds, ${load.acknowledged} acknowledged, 0 lost, 0 twice, ` +
        `${load.unanswered} not answered by the killed ones, 0 by the others`,
    );
    for (const service of services) expect(await service.stop()).toBe(0);
  },
  longRunMs,
);
