/** A manual session keeps notes locked for longer than the service waits. */
import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { WriteLoad } from '../support/http/load.ts';
import { runStatements } from '../support/postgres/databases.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts';
import { createSeededRandom, seed } from '../support/random.ts';
import { longRunMs, pickByScale } from '../support/scale.ts';
import { startService } from '../support/service.ts';
import {
  createEmptyWaits,
  formatPassedTrial,
  getLongestResponseMs,
  graceMs,
  recoveryMs,
  runFaultAndAssertRecovery,
} from './postgres-trial.ts';
import { reportFigures } from './report.ts';

const rounds = pickByScale(3, 1);
const deadlineMs = pickByScale(2_000, 1_000);
const heldMs = pickByScale(2.5, 9) * deadlineMs;

/** The maximum of sessions that wait for locked notes: that of the batch. */
const maxWaiting = 1;

/** The number of sessions that wait for a lock. */
async function waitingSessions({ url }: PostgresServer): Promise<number> {
  const select = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  const [row] = await runStatements<{ count: number }>(url(), select);
  return row?.count ?? 0;
}

test(
  `notes that are locked for ${heldMs} ms hold up no request beyond its deadline, and nothing is lost`,
  async () => {
    await using server = await startPostgres();
    await using service = await startService({
      DATABASE_URL: server.url(),
      DATABASE_TIMEOUT_MS: String(deadlineMs),
    });
    await using operator = new SQL(server.url(), { max: 1 });
    const load = new WriteLoad(createSeededRandom(seed), 'unknown');
    const trial = { service, load, waits: createEmptyWaits() };
    let [meanwhile, waiting] = [0, 0];

    const fault = async () => {
      await operator.unsafe('BEGIN; UPDATE notes SET color = color WHERE id % 10 = 0').simple();
      const before = load.acknowledged;
      await Bun.sleep(heldMs);
      meanwhile += load.acknowledged - before;
      waiting = Math.max(waiting, await waitingSessions(server));
      await operator.unsafe('ROLLBACK').simple();
    };
    for (let round = 0; round < rounds; round++) await runFaultAndAssertRecovery(trial, fault);

    reportFigures(
      25,
      `${rounds} rounds of ${heldMs} ms, ${meanwhile} acknowledged meanwhile, ` +
        `${waiting} sessions waiting in the end; ${formatPassedTrial(trial)}`,
    );
    expect(getLongestResponseMs(trial)).toBeLessThan(deadlineMs + graceMs);
    expect(meanwhile).toBeGreaterThan(100 * rounds); // writers of other notes continue
    expect(waiting).toBeLessThanOrEqual(maxWaiting);
    expect(trial.waits.recovery).toBeLessThan(recoveryMs);
    expect(await service.stop()).toBe(0);
  },
  longRunMs,
);
