/** What the clients of a service notice of a fault of its database, and what they are promised then. */
import { expect } from 'bun:test';
import type { Load, Target } from '../support/load.ts';
import { scaled } from '../support/scale.ts';
import { probe } from './latency.ts';

/** How many writes are acknowledged before each fault, and after it. */
const least = scaled(1_000, 300);

/** How long the service may take to write again once its database is back, in ms: briefly, on a machine that does other things. */
export const recoveryMs = scaled(2_000, 10_000);

/** When nobody needs to wait any longer for writes to go on, in ms. */
const progressMs = 30_000;

/**
 * By how much a request may outlive the deadline that the service sets its database, in ms. In the brief run faults last
 * longer than deadline and grace, however busy the machine is.
 */
export const graceMs = scaled(1_000, 5_000);

/** Beside writing, what clients ask, and how that may be answered while the database is away. */
const questions: Readonly<Record<string, readonly number[]>> = {
  '/healthz': [200],
  '/readyz': [200, 503],
  '/metrics': [200],
  '/api/notes/1': [200, 500],
  '/api/notes?category=css': [200, 500],
  '/api/notes': [200, 500],
};

/** How many clients ask each question, so that some wait in line behind others. */
const askers = 3;

/** The longest times that one or more faults made clients wait, in ms. */
export interface Waits {
  /** From the moment that the database was back until a write was acknowledged. */
  recovery: number;
  /** For the answer to a question. */
  readonly answers: Map<string, number>;
}

/** Who goes through it. */
export interface Trial {
  readonly service: Target;
  readonly load: Load;
  readonly waits: Waits;
  /** Resolves when nothing is under way in the database any more. */
  readonly settled?: () => Promise<void>;
}

export const noWaits = (): Waits => ({ recovery: 0, answers: new Map() });

/**
 * Lets the clients write and others ask while `fault` comes and goes; it resolves when the database is back. Then
 * checks that nobody is refused any more, that no acknowledged write is lost, and that none is there twice.
 */
export async function endure({ service, load, waits, settled }: Trial, fault: () => Promise<void>): Promise<void> {
  await load.during(async () => {
    await progress(load, least);
    using asking = ask(service, waits);
    await fault();
    const back = performance.now();
    await progress(load, 1);
    waits.recovery = Math.max(waits.recovery, performance.now() - back);
    await asking.answered();
    const refused = load.answers.get(500);
    await progress(load, least);
    expect(load.answers.get(500)).toBe(refused);
  }, service);
  await settled?.();
  await load.verify(service);
  expect([...load.answers.keys()].filter((status) => status !== 200 && status !== 500)).toEqual([]);
}

/** Resolves when so many more writes were acknowledged; rejects when that takes far too long. */
async function progress(load: Load, writes: number): Promise<void> {
  const late = Bun.sleep(progressMs).then(() => {
    throw new Error(`Of ${writes} writes, too few were acknowledged within ${progressMs} ms`);
  });
  await Promise.race([load.reach(load.acknowledged + writes), late]);
}

/** Clients that ask everything over and over. */
interface Asking extends Disposable {
  /** Lets each of them wait for its last answer. */
  answered(): Promise<unknown>;
}

function ask({ url }: Target, { answers }: Waits): Asking {
  let isOver = false;
  const everybody = Array.from({ length: askers }, () => Object.entries(questions)).flat();
  const asking = everybody.map(async ([path, statuses]) => {
    const askOnce = async () => {
      const answer = await fetch(url + path);
      expect(statuses).toContain(answer.status);
      await answer.text().catch(() => {}); // a list that is under way breaks off
    };
    const waited = await probe({ ask: askOnce, isOver: () => isOver, pauseMs: 20 });
    answers.set(path, Math.max(answers.get(path) ?? 0, ...waited));
  });
  const all = Promise.all(asking);
  all.catch(() => {}); // whoever waits for the last answers is told
  const end = () => {
    isOver = true;
  };
  const answered = () => {
    end();
    return all;
  };
  return { answered, [Symbol.dispose]: end };
}

/** The longest that anybody waited for an answer, in ms. */
export const longestOf = ({ load, waits }: Trial) => Math.max(load.longestMs, ...waits.answers.values());

const inMs = (ms: number) => `${ms.toFixed(0)} ms`;

/** The figures of a trial that was passed. */
export function figuresOf({ load, waits }: Trial): string {
  return [
    `${load.acknowledged} acknowledged, 0 lost, 0 twice, ${load.answers.get(500) ?? 0} answered 500`,
    `writes again within ${inMs(waits.recovery)}`,
    `longest write ${inMs(load.longestMs)}, longest other request ${inMs(Math.max(...waits.answers.values()))}`,
  ].join('; ');
}
