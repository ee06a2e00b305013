/** One or all processes of PostgreSQL are killed under the load of 64 clients, and it recovers. */
import { expect, test } from 'bun:test';
import { Load } from '../support/http/load.ts';
import { runOn } from '../support/postgres/databases.ts';
import { answering, killAll } from '../support/postgres/processes.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { type Random, seed, seeded } from '../support/random.ts';
import { longRunMs, scaled } from '../support/scale.ts';
import { type Service, startService } from '../support/service.ts';
import { isLinux } from '../support/system/process-facts.ts';
import { figuresOf, noWaits, recoveryMs, runFault } from './postgres-trial.ts';
import { report, reportSkipped } from './report.ts';

const rounds = scaled(10, 2);
const settings = { DATABASE_TIMEOUT_MS: '2000' };
/** Recovery starts by syncing every file of the server; syncing the whole file system takes less time. */
const startQuickly = () => startPostgres({ settings: isLinux ? { recovery_init_sync_method: 'syncfs' } : {} });

if (!isLinux) reportSkipped(20, 'the processes of a server are only known on Linux');

interface Backend {
  readonly pid: number;
}

/** Kills one of the service's connections. The server then ends all others, and recovers as after a crash. */
async function killBackend(server: PostgresServer, random: Random): Promise<void> {
  const select = (condition: string) =>
    runOn<Backend>(server.url(), `SELECT pid FROM pg_stat_activity WHERE ${condition}`);
  const backends = await select("application_name = 'notes'");
  const [checkpointer] = await select("backend_type = 'checkpointer'");
  process.kill(Number(backends[random.below(backends.length)]?.pid), 'SIGKILL');
  await answering(
    server,
    `SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer' AND pid <> ${checkpointer?.pid}`,
  );
}

test(
  `${rounds} times one process of the database is killed, and no acknowledged write is lost`,
  async () => {
    await using server = await startQuickly();
    await using service = await startService({ DATABASE_URL: server.url(), ...settings });
    const random = seeded(seed);
    const trial = { service, load: new Load(random, 'unknown'), waits: noWaits() };

    for (let round = 0; round < rounds; round++) await runFault(trial, () => killBackend(server, random));

    report(19, `${rounds} rounds, ${figuresOf(trial)}`);
    expect(trial.waits.recovery).toBeLessThan(recoveryMs);
    expect(await service.stop()).toBe(0);
  },
  longRunMs,
);

/** While the database is unreachable, the service is alive and reports that it is not ready. */
async function expectUnready({ url }: Service): Promise<void> {
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
}

const shutDown = (server: PostgresServer) => server.signal('SIGINT');

test.skipIf(!isLinux).each([
  ['killed', killAll],
  ['shut down fast', shutDown],
])(
  `${rounds} times the database is %s and started again, and no acknowledged write is lost`,
  async (name, end) => {
    await using server = await startQuickly();
    await using service = await startService({ DATABASE_URL: server.url(), ...settings });
    const trial = { service, load: new Load(seeded(seed), 'unknown'), waits: noWaits() };

    for (let round = 0; round < rounds; round++) {
      const fault = async () => {
        await end(server);
        await server.ended();
        await expectUnready(service);
        await server.start();
      };
      await runFault(trial, fault);
    }

    report(20, `${name}: ${rounds} rounds, ${figuresOf(trial)}`);
    expect(trial.waits.recovery).toBeLessThan(recoveryMs);
    expect(await service.stop()).toBe(0);
  },
  longRunMs,
);
