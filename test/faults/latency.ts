/** What a client feels: how long answers take. */

export interface Probe {
  readonly ask: () => Promise<unknown>;
  readonly isOver: () => boolean;
  /** Between an answer and the next question. */
  readonly pauseMs: number;
}

/** Asks over and over, one request at a time, until it is over. How long each answer took, in ms. */
export async function probe({ ask, isOver, pauseMs }: Probe): Promise<number[]> {
  const latencies: number[] = [];
  while (!isOver()) {
    const started = performance.now();
    await ask();
    latencies.push(performance.now() - started);
    await Bun.sleep(pauseMs);
  }
  return latencies;
}

/** The value that 99 of 100 do not exceed; NaN of none. */
export function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}
