/** The primary is killed under load, and its synchronous standby takes over behind the same address. */
import { expect, test } from 'bun:test';
import * as storeMessage from '../../src/store/store-messages.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { WriteLoad } from '../support/http/load.ts';
import { runStatements } from '../support/postgres/databases.ts';
import { killServerProcesses, waitForRow } from '../support/postgres/processes.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { restartPrimaryAndStartStandby, type Standby } from '../support/postgres/standby.ts';
import { createSeededRandom, seed } from '../support/random.ts';
import { startRelay } from '../support/relay.ts';
import { longRunMs, pickByScale } from '../support/scale.ts';
import { type Service, startService } from '../support/service.ts';
import { isLinux } from '../support/system/process-facts.ts';
import { createEmptyWaits, formatPassedTrial, recoveryMs, runFaultAndAssertRecovery } from './postgres-trial.ts';
import { printAndRecordSkippedFault, reportFigures } from './report.ts';

if (!isLinux) printAndRecordSkippedFault(23, 'the processes of a server are only known on Linux');

const rounds = pickByScale(5, 1);
/** The delay before the standby is promoted, in ms. */
const undecidedMs = pickByScale(1_500, 300);

/** Enables synchronous replication: commits are acknowledged once they are on the disk of the standby. */
async function synchronize(primary: PostgresServer): Promise<void> {
  await runStatements(primary.url(), "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await runStatements(primary.url(), 'SELECT pg_reload_conf()');
  await waitForRow(primary, "SELECT 1 AS one FROM pg_stat_replication WHERE sync_state = 'sync'");
}

/** While its database is read-only, the service reports it, answers reads, and acknowledges no write. */
async function expectReadOnly({ url }: Service, load: WriteLoad): Promise<void> {
  const isSaid = async () => (await (await fetch(`${url}/readyz`)).text()).includes(storeMessage.storeReadOnly);
  expect(await isEventuallyTrue(isSaid)).toBe(true);
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  expect((await fetch(`${url}/api/notes?category=css`)).status).toBe(200);
  const before = load.acknowledged;
  await Bun.sleep(undecidedMs);
  expect(load.acknowledged).toBe(before);
}

/** A service whose database is behind a relay that can be redirected. */
interface Setup extends AsyncDisposable {
  readonly service: Service;
  readonly load: WriteLoad;
  /** The initial primary. */
  readonly primary: PostgresServer;
  moveTo(server: PostgresServer): void;
}

async function setUp(): Promise<Setup> {
  await using opened = new AsyncDisposableStack();
  const primary = opened.use(await startPostgres());
  let { port } = primary;
  const relay = opened.use(await startRelay(() => port));
  const url = primary.url().replace(`:${port}/`, `:${relay.port}/`);
  const service = opened.use(await startService({ DATABASE_URL: url, DATABASE_TIMEOUT_MS: '2000' }));
  const all = opened.move();
  return {
    service,
    load: new WriteLoad(createSeededRandom(seed), 'unknown'),
    primary,
    moveTo(server) {
      port = server.port;
      relay.cut();
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Resolves when a commit waits for the standby. */
const waiting = (primary: PostgresServer) =>
  waitForRow(primary, "SELECT 1 AS one FROM pg_stat_activity WHERE wait_event = 'SyncRep'");

/** Cuts a standby off, kills the primary after `written`, then promotes the standby. */
async function failOver(
  { service, load, moveTo }: Setup,
  { primary, standby, written }: { primary: PostgresServer; standby: Standby; written: () => Promise<void> },
): Promise<void> {
  standby.cutOff();
  await written();
  await killServerProcesses(primary);
  moveTo(standby.server);
  await expectReadOnly(service, load);
  await runStatements(standby.server.url(), 'SELECT pg_promote()');
  await waitForRow(standby.server, 'SELECT 1 AS one WHERE NOT pg_is_in_recovery()');
}

test.skipIf(!isLinux)(
  `${rounds} times a synchronous standby takes over, and has every write that was acknowledged`,
  async () => {
    await using setup = await setUp();
    await using standbys = new AsyncDisposableStack();
    const { service, load } = setup;
    const trial = { service, load, waits: createEmptyWaits() };
    let { primary } = setup;

    for (let round = 0; round < rounds; round++) {
      const standby = standbys.use(await restartPrimaryAndStartStandby(primary));
      await synchronize(primary);
      await runFaultAndAssertRecovery(trial, () =>
        failOver(setup, { primary, standby, written: () => waiting(primary) }),
      );
      primary = standby.server;
    }

    reportFigures(23, `${rounds} rounds, ${formatPassedTrial(trial)}`);
    expect(trial.waits.recovery).toBeLessThan(recoveryMs);
    expect(await service.stop()).toBe(0);
  },
  longRunMs,
);

test.skipIf(!isLinux)(
  'a standby that is not synchronous takes over without some writes that were acknowledged',
  async () => {
    await using setup = await setUp();
    const { service, load } = setup;
    await using standby = await restartPrimaryAndStartStandby(setup.primary);

    await load.writeDuring(async () => {
      await load.waitForAcknowledgedCount(300);
      const written = () => load.waitForAcknowledgedCount(load.acknowledged + 300);
      await failOver(setup, { primary: setup.primary, standby, written });
    }, service);

    const lost = (await load.readListAndFindContradictions(service)).filter((contradiction) =>
      contradiction.endsWith('is lost'),
    );
    reportFigures(23, `control, not synchronous: ${lost.length} of ${load.acknowledged} acknowledged are lost`);
    expect(lost.length).toBeGreaterThan(0);
  },
);
