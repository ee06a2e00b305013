/** Checks the promises to clients of a service during and after a fault of its database. */
import { expect } from 'bun:test';
import type { Target, WriteLoad } from '../support/http/load.ts';
import { pickByScale } from '../support/scale.ts';
import { measureResponseTimesMs } from './load/latency.ts';

/** The number of acknowledged writes before and after each fault. */
const minWrites = pickByScale(1_000, 300);

/** The time limit for the first write after the database is back, in ms; longer in the brief run on a busy machine. */
export const recoveryMs = pickByScale(2_000, 10_000);

/** The timeout of waiting for writes to continue, in ms. */
const progressMs = 30_000;

/**
 * In ms, by which a response may come later than the service's deadline for its database. In the brief run, faults last
 * longer than deadline and grace, so that a busy machine does not matter.
 */
export const graceMs = pickByScale(1_000, 5_000);

/** Reads besides the writes, with the allowed statuses while the database is unreachable. */
const questions: Readonly<Record<string, readonly number[]>> = {
  '/healthz': [200],
  '/readyz': [200, 503],
  '/metrics': [200],
  '/api/notes/1': [200, 500],
  '/api/notes?category=css': [200, 500],
  '/api/notes': [200, 500],
};

/** Clients per read, so that some queue behind others. */
const askers = 3;

/** The longest waits of clients due to faults, in ms. */
export interface Waits {
  /** From the recovery of the database to the first acknowledged write. */
  recovery: number;
  /** For the response to each read. */
  readonly answers: Map<string, number>;
}

export interface Trial {
  readonly service: Target;
  readonly load: WriteLoad;
  readonly waits: Waits;
  /** Resolves when the database is idle. */
  readonly settled?: () => Promise<void>;
}

export const createEmptyWaits = (): Waits => ({ recovery: 0, answers: new Map() });

/**
 * Runs writers and readers during `fault`, which resolves when the database is back. Then checks that no request is
 * refused any more, and that no acknowledged write is lost or duplicated.
 */
export async function runFaultAndAssertRecovery(
  { service, load, waits, settled }: Trial,
  fault: () => Promise<void>,
): Promise<void> {
  await load.writeDuring(async () => {
    await waitForAcknowledgedWrites(load, minWrites);
    using asking = startAskingDuringFault(service, waits);
    await fault();
    const back = performance.now();
    await waitForAcknowledgedWrites(load, 1);
    waits.recovery = Math.max(waits.recovery, performance.now() - back);
    await asking.answered();
    const refused = load.answers.get(500);
    await waitForAcknowledgedWrites(load, minWrites);
    expect(load.answers.get(500)).toBe(refused);
  }, service);
  await settled?.();
  await load.assertListAndAdoptIt(service);
  expect([...load.answers.keys()].filter((status) => status !== 200 && status !== 500)).toEqual([]);
}

/** Resolves after this many more acknowledged writes; rejects after `progressMs`. */
async function waitForAcknowledgedWrites(load: WriteLoad, writes: number): Promise<void> {
  const late = Bun.sleep(progressMs).then(() => {
    throw new Error(`Of ${writes} writes, too few were acknowledged within ${progressMs} ms`);
  });
  await Promise.race([load.waitForAcknowledgedCount(load.acknowledged + writes), late]);
}

/** Clients that repeat all reads. */
interface Asking extends Disposable {
  /** Stops, and resolves after the last response of each. */
  answered(): Promise<unknown>;
}

function startAskingDuringFault({ url }: Target, { answers }: Waits): Asking {
  let isOver = false;
  const everybody = Array.from({ length: askers }, () => Object.entries(questions)).flat();
  const asking = everybody.map(async ([path, statuses]) => {
    const askOnce = async () => {
      const answer = await fetch(url + path);
      expect(statuses).toContain(answer.status);
      await answer.text().catch(() => {}); // a list under way may be cut off
    };
    const waited = await measureResponseTimesMs({ ask: askOnce, isOver: () => isOver, pauseMs: 20 });
    answers.set(path, Math.max(answers.get(path) ?? 0, ...waited));
  });
  const all = Promise.all(asking);
  all.catch(() => {}); // callers of `answered` get the rejection
  const end = () => {
    isOver = true;
  };
  const answered = () => {
    end();
    return all;
  };
  return { answered, [Symbol.dispose]: end };
}

/** The longest response time, in ms. */
export const getLongestResponseMs = ({ load, waits }: Trial) => Math.max(load.longestMs, ...waits.answers.values());

const formatMs = (ms: number) => `${ms.toFixed(0)} ms`;

/** The figures of a passed trial. */
export function formatPassedTrial({ load, waits }: Trial): string {
  return [
    `${load.acknowledged} acknowledged, 0 lost, 0 twice, ${load.answers.get(500) ?? 0} answered 500`,
    `writes again within ${formatMs(waits.recovery)}`,
    `longest write ${formatMs(load.longestMs)}, longest other request ${formatMs(Math.max(...waits.answers.values()))}`,
  ].join('; ');
}
