/** Measures reads while others write. */

import type { LoadResult } from '../loads/load.ts';
import { type Paced, pacedWhile } from '../loads/pace.ts';
import type { Server } from '../machine/processes.ts';
import { median } from '../output/figure.ts';
import { type Counters, difference, readCounters } from './counters.ts';
import { type Bench, failuresIn, rateOf, rounds, tapeOf } from './measure.ts';

/** One round of W2, alone and while titles are changed at a fixed rate. */
export interface ListRound {
  readonly alone: LoadResult;
  readonly during: LoadResult;
  readonly paced: Paced;
  /** Commits of the service while W2 was measured. */
  readonly writesPerSecond: number;
}

/** One round of W1 while a second generator creates notes at full speed. */
export interface RushRound {
  readonly reads: LoadResult;
  readonly creates: LoadResult;
}

export const pacedWrites = 1_000;
const headStartMs = 500;

/** Uses updates instead of creates: the list keeps its length, and each update invalidates the cached list. */
export async function measureListUnderWrites(bench: Bench, { url }: Server): Promise<ListRound[]> {
  const { folder, generator, seconds } = bench;
  const whole = () => generator.run({ url, tape: tapeOf(folder, 'W2'), connections: 4, seconds });
  const pace = { url, tape: tapeOf(folder, 'W4'), perSecond: pacedWrites };
  const results: ListRound[] = [];
  while (results.length < rounds) {
    const alone = await whole();
    const { result, paced } = await pacedWhile(bench, pace, async () => {
      await Bun.sleep(headStartMs);
      return counted(url, whole);
    });
    results.push({ alone, during: result.load, paced, writesPerSecond: result.counters.writes / result.load.seconds });
  }
  return results;
}

async function counted(url: string, run: () => Promise<LoadResult>): Promise<{ load: LoadResult; counters: Counters }> {
  const before = await readCounters(url);
  const load = await run();
  return { load, counters: difference(await readCounters(url), before) };
}

export async function measureReadsInRush(bench: Bench, server: Server): Promise<RushRound[]> {
  const results: RushRound[] = [];
  while (results.length < rounds) results.push(await runRush(bench, server, bench.seconds));
  return results;
}

/** One round. Needs the tapes of W1 and W3. */
export async function runRush({ folder, generator }: Bench, { url }: Server, seconds: number): Promise<RushRound> {
  const load = { url, connections: 64 };
  const writing = generator.run({ ...load, tape: tapeOf(folder, 'W3'), seconds: seconds + 1 });
  await Bun.sleep(headStartMs);
  const reads = await generator.run({ ...load, tape: tapeOf(folder, 'W1'), seconds });
  return { reads, creates: await writing };
}

/** The rate of the list under writes as a share of the rate alone, per round. */
export const sharesOf = (rounds: readonly ListRound[]) =>
  rounds.map(({ alone, during }) => rateOf(during) / rateOf(alone));

/** The medians of the rounds in a rush. */
export const rushOf = (rounds: readonly RushRound[]) => ({
  perSecond: median(rounds.map(({ reads }) => rateOf(reads))),
  p50: median(rounds.map(({ reads }) => reads.p50)),
  p99: median(rounds.map(({ reads }) => reads.p99)),
  createsPerSecond: median(rounds.map(({ creates }) => rateOf(creates))),
});

export function failuresUnderWrites(list: readonly ListRound[], rush: readonly RushRound[]): string[] {
  const paced = list.filter(({ paced }) => paced.failed > 0);
  return [
    ...list.flatMap(({ alone, during }) => [...failuresIn(alone, 'W2'), ...failuresIn(during, 'W2 under writes')]),
    ...paced.map(({ paced }) => `W2 under writes: ${paced.failed} writes failed`),
    ...rush.flatMap(({ reads, creates }) => [
      ...failuresIn(reads, 'W1 in a rush of writes'),
      ...failuresIn(creates, 'the creates during W1'),
    ]),
  ];
}
