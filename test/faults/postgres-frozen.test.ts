/** All processes of PostgreSQL are stopped for a while and then resumed, as in a paused virtual machine. */
import { expect, test } from 'bun:test';
import { Load } from '../support/http/load.ts';
import { answering, freeze } from '../support/postgres/processes.ts';
import { startPostgres } from '../support/postgres/server.ts';
import { seed, seeded } from '../support/random.ts';
import { longRunMs, scaled } from '../support/scale.ts';
import { startService } from '../support/service.ts';
import { isLinux } from '../support/system/process-facts.ts';
import { figuresOf, graceMs, longestOf, noWaits, recoveryMs, runFault } from './postgres-trial.ts';
import { report, reportSkipped } from './report.ts';

if (!isLinux) reportSkipped(22, 'the processes of a server are only known on Linux');

const deadlineMs = scaled(2_000, 1_000);
const rounds = scaled(3, 1);
/** True when no connection of the service is active, including abandoned ones. */
const allIdle = `SELECT 1 AS one WHERE NOT EXISTS (
  SELECT 1 FROM pg_stat_activity WHERE application_name = 'notes' AND state <> 'idle')`;

test.skipIf(!isLinux).each([0.5, scaled(5, 9)])(
  'frozen for %d deadlines, the database holds up no request beyond its deadline, and nothing is lost',
  async (deadlines) => {
    await using server = await startPostgres();
    await using service = await startService({ DATABASE_URL: server.url(), DATABASE_TIMEOUT_MS: String(deadlineMs) });
    const load = new Load(seeded(seed), 'unknown');
    const trial = { service, load, waits: noWaits(), settled: () => answering(server, allIdle) };
    const fault = async () => {
      const thaw = freeze(server);
      await Bun.sleep(deadlines * deadlineMs);
      thaw();
    };

    for (let round = 0; round < rounds; round++) await runFault(trial, fault);

    report(22, `${deadlines} deadlines of ${deadlineMs} ms: ${rounds} rounds, ${figuresOf(trial)}`);
    expect(longestOf(trial)).toBeLessThan(deadlineMs + graceMs);
    expect(trial.waits.recovery).toBeLessThan(recoveryMs);
    expect(await service.stop()).toBe(0);
  },
  longRunMs,
);
