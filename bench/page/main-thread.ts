/** The processor time of a page's main thread, from a trace of the browser. */
import type { Browser, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** When it began, in µs. */
  readonly ts: number;
  /** Its time on a processor, in µs. */
  readonly tdur?: number;
}

const categories = ['toplevel', 'blink.user_timing', 'disabled-by-default-devtools.timeline'];
const [beginMark, endMark] = ['measured part begins', 'measured part ends'];

/**
 * Runs `use`, and returns its result and the ms that the main thread of `page` has spent on a processor meanwhile: in
 * all its tasks, whoever caused them. What other processes take from the machine is not in it.
 */
export async function measureMainThreadMs<Result>(
  browser: Browser,
  page: Page,
  use: () => Promise<Result>,
): Promise<{ result: Result; cpuMs: number }> {
  await browser.startTracing(page, { categories });
  await page.evaluate((name) => void performance.mark(name), beginMark);
  const result = await use();
  await page.evaluate((name) => void performance.mark(name), endMark);
  const trace: { traceEvents: TraceEvent[] } = JSON.parse((await browser.stopTracing()).toString());
  return { result, cpuMs: sumTaskMs(trace.traceEvents) };
}

function sumTaskMs(events: readonly TraceEvent[]): number {
  const begin = events.find(({ name }) => name === beginMark);
  const end = events.find(({ name }) => name === endMark);
  if (!begin || !end) throw new Error('The trace lacks the marks of the measured part');
  const tasks = events.filter(
    ({ name, pid, tid, ts }) =>
      name === 'RunTask' && pid === begin.pid && tid === begin.tid && ts >= begin.ts && ts <= end.ts,
  );
  return tasks.reduce((sum, { tdur = Number.NaN }) => sum + tdur / 1_000, 0);
}
