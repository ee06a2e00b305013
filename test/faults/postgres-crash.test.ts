/** One or all processes of PostgreSQL are killed under the load of 64 clients, and it recovers. */
import { expect, test } from 'bun:test';
import { WriteLoad } from '../support/http/load.ts';
import { runStatements } from '../support/postgres/databases.ts';
import { killServerProcesses, waitForRow } from '../support/postgres/processes.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { createSeededRandom, type Random, seed } from '../support/random.ts';
import { longRunMs, pickByScale } from '../support/scale.ts';
import { type Service, startService } from '../support/service.ts';
import { isLinux } from '../support/system/process-facts.ts';
import { createEmptyWaits, formatPassedTrial, recoveryMs, runFaultAndAssertRecovery } from './postgres-trial.ts';
import { printAndRecordSkippedFault, reportFigures } from './report.ts';

const rounds = pickByScale(10, 2);
const settings = { DATABASE_TIMEOUT_MS: '2000' };
/** Recovery starts by syncing every file of the server; syncing the whole file system takes less time. */
const startQuickly = () => startPostgres({ settings: isLinux ? { recovery_init_sync_method: 'syncfs' } : {} });

if (!isLinux) printAndRecordSkippedFault(20, 'the processes of a server are only known on Linux');

interface Backend {
  readonly pid: number;
}

/** Kills one of the service's connections. The server then ends all others, and recovers as after a crash. */
async function killBackend(server: PostgresServer, random: Random): Promise<void> {
  const select = (condition: string) =>
    runStatements<Backend>(server.url(), `SELECT pid FROM pg_stat_activity WHERE ${condition}`);
  const backends = await select("application_name = 'notes'");
  const [checkpointer] = await select("backend_type = 'checkpointer'");
  process.kill(Number(backends[random.below(backends.length)]?.pid), 'SIGKILL');
  await waitForRow(
    server,
    `SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer' AND pid <> ${checkpointer?.pid}`,
  );
}

test(
  `${rounds} times one process of the database is killed, and no acknowledged write is lost`,
  async () => {
    await using server = await startQuickly();
    await using service = await startService({ DATABASE_URL: server.url(), ...settings });
    const random = createSeededRandom(seed);
    const trial = { service, load: new WriteLoad(random, 'unknown'), waits: createEmptyWaits() };

    for (let round = 0; round < rounds; round++)
      await runFaultAndAssertRecovery(trial, () => killBackend(server, random));

    reportFigures(19, `${rounds} rounds, ${formatPassedTrial(trial)}`);
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
  ['killed', killServerProcesses],
  ['shut down fast', shutDown],
])(
  `${rounds} times the database is %s and started again, and no acknowledged write is lost`,
  async (name, end) => {
    await using server = await startQuickly();
    await using service = await startService({ DATABASE_URL: server.url(), ...settings });
    const trial = { service, load: new WriteLoad(createSeededRandom(seed), 'unknown'), waits: createEmptyWaits() };

    for (let round = 0; round < rounds; round++) {
      const fault = async () => {
        await end(server);
        await server.ended();
        await expectUnready(service);
        await server.start();
      };
      await runFaultAndAssertRecovery(trial, fault);
    }

    reportFigures(20, `${name}: ${rounds} rounds, ${formatPassedTrial(trial)}`);
    expect(trial.waits.recovery).toBeLessThan(recoveryMs);
    expect(await service.stop()).toBe(0);
  },
  longRunMs,
);
