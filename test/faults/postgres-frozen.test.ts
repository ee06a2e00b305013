/** All processes of PostgreSQL are stopped for a while and then resumed, as in a paused virtual machine. */
import { expect, test } from 'bun:test';
import { WriteLoad } from '../support/http/load.ts';
import { freezeProcesses, waitForRow } from '../support/postgres/processes.ts';
import { startPostgres } from '../support/postgres/server.ts';
import { createSeededRandom, seed } from '../support/random.ts';
import { longRunMs, pickByScale } from '../support/scale.ts';
import { startService } from '../support/service.ts';
import { isLinux } from '../support/system/process-facts.ts';
import {
  createEmptyWaits,
  formatPassedTrial,
  getLongestResponseMs,
  graceMs,
  recoveryMs,
  runFaultAndAssertRecovery,
} from './postgres-trial.ts';
import { printAndRecordSkippedFault, reportFigures } from './report.ts';

if (!isLinux) printAndRecordSkippedFault(22, 'the processes of a server are only known on Linux');

const deadlineMs = pickByScale(2_000, 1_000);
const rounds = pickByScale(3, 1);
/** True when no connection of the service is active, including abandoned ones. */
const allIdle = `SELECT 1 AS one WHERE NOT EXISTS (
  SELECT 1 FROM pg_stat_activity WHERE application_name = 'notes' AND state <> 'idle')`;

test.skipIf(!isLinux).each([0.5, pickByScale(5, 9)])(
  'frozen for %d deadlines, the database holds up no request beyond its deadline, and nothing is lost',
  async (deadlines) => {
    await using server = await startPostgres();
    await using service = await startService({ DATABASE_URL: server.url(), DATABASE_TIMEOUT_MS: String(deadlineMs) });
    const load = new WriteLoad(createSeededRandom(seed), 'unknown');
    const trial = { service, load, waits: createEmptyWaits(), settled: () => waitForRow(server, allIdle) };
    const fault = async () => {
      const thaw = freezeProcesses(server);
      await Bun.sleep(deadlines * deadlineMs);
      thaw();
    };

    for (let round = 0; round < rounds; round++) await runFaultAndAssertRecovery(trial, fault);

    reportFigures(22, `${deadlines} deadlines of ${deadlineMs} ms: ${rounds} rounds, ${formatPassedTrial(trial)}`);
    expect(getLongestResponseMs(trial)).toBeLessThan(deadlineMs + graceMs);
    expect(trial.waits.recovery).toBeLessThan(recoveryMs);
    expect(await service.stop()).toBe(0);
  },
  longRunMs,
);
