/** Response times as seen by a client. */
import { pickByScale } from '../../support/scale.ts';

export interface Probe {
  readonly ask: () => Promise<unknown>;
  readonly isOver: () => boolean;
  /** The pause between a response and the next request. */
  readonly pauseMs: number;
}

/** Sends requests sequentially until `isOver`. Resolves to the response times in ms. */
export async function measureResponseTimesMs({ ask, isOver, pauseMs }: Probe): Promise<number[]> {
  const latencies: number[] = [];
  while (!isOver()) {
    const started = performance.now();
    await ask();
    latencies.push(performance.now() - started);
    await Bun.sleep(pauseMs);
  }
  return latencies;
}

/**
 * Bound of a 99th percentile in ms: `ms` at full scale. A small run has few requests and other tests beside it, and
 * shows only requests that are held up.
 */
export const scaleMaxP99 = (ms: number) => pickByScale(ms, 1_000);

/** The 99th percentile; NaN for no values. */
export function getP99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}
