/** Measures the same small list in stores of different sizes, in turns. */
import { join } from 'node:path';
import { idsAt } from '../loads/fill.ts';
import { type LoadResult, writeTape } from '../loads/load.ts';
import { get, updateTitle } from '../loads/scenarios.ts';
import { residentMemory } from '../machine/machine.ts';
import { type Server, startService } from '../machine/processes.ts';
import { smallListLength, smallListPath } from '../notes/corpus.ts';
import { createStore } from '../notes/stores.ts';
import { type Figure, median } from '../output/figure.ts';
import { type Bench, failuresIn, rateOf, rounds, warmUpSeconds } from './measure.ts';

export const sizes = [1_000, 10_000, 100_000, 1_000_000] as const;
type Size = (typeof sizes)[number];

export interface ScaleRound {
  /** W1. */
  readonly reads: LoadResult;
  /** W1 with an update of a listed note per request, which invalidates the cached list. */
  readonly invalidated: LoadResult;
}

export interface ScalePoint {
  readonly notes: Size;
  readonly rounds: readonly ScaleRound[];
  /** Resident memory after all rounds, in MB. */
  readonly memory: Figure;
}

interface Contender {
  readonly notes: Size;
  readonly server: Server;
  readonly reads: string;
  readonly invalidated: string;
  readonly rounds: ScaleRound[];
}

const invalidatedSeconds = 1;

/** All services run concurrently; one at a time is measured. */
export async function measureScale(bench: Bench, print: (text: string) => void): Promise<ScalePoint[]> {
  await using servers = new AsyncDisposableStack();
  const contenders: Contender[] = [];
  for (const notes of sizes) {
    print(`Storing ${notes} notes`);
    const contender = await prepare(bench, notes);
    servers.use(contender.server);
    contenders.push(contender);
  }
  for (const contender of contenders) await runRound(bench, contender, warmUpSeconds);
  for (let round = 1; round <= rounds; round++) {
    print(`Measuring the small list at each size, round ${round} of ${rounds}`);
    for (const contender of contenders) contender.rounds.push(await runRound(bench, contender, bench.seconds));
  }
  return contenders.map(({ notes, rounds, server }) => ({ notes, rounds, memory: residentMemory(server.pid) }));
}

async function prepare(bench: Bench, notes: Size): Promise<Contender> {
  const inFolder = (name: string) => join(bench.folder, `${notes}-${name}`);
  const [path, reads, invalidated] = [inFolder('notes.db'), inFolder('reads.tape'), inFolder('invalidated.tape')];
  const ids = await createStore(path, notes);
  const list = get(smallListPath);
  await writeTape(reads, [list]);
  await writeTape(
    invalidated,
    ids.flatMap((id) => [updateTitle(id, `A title of note ${id}`), list]),
  );
  const server = await startService(bench, path);
  const found = await idsAt(server.url, smallListPath);
  if (found.length !== smallListLength) throw new Error(`${smallListPath} has ${found.length} notes of ${notes}`);
  return { notes, server, reads, invalidated, rounds: [] };
}

async function runRound({ generator }: Bench, contender: Contender, seconds: number): Promise<ScaleRound> {
  const load = { url: contender.server.url, connections: 64 };
  const reads = await generator.run({ ...load, tape: contender.reads, seconds });
  return {
    reads,
    invalidated: await generator.run({ ...load, tape: contender.invalidated, seconds: invalidatedSeconds }),
  };
}

/** The rate at `notes` as a share of that at `base`, per round. */
export function sharesOfScale(
  points: readonly ScalePoint[],
  which: keyof ScaleRound,
  notes: Size,
  base: Size,
): number[] {
  const of = (size: Size) => points.find((point) => point.notes === size)?.rounds ?? [];
  const bases = of(base).map((round) => rateOf(round[which]));
  return of(notes).map((round, n) => rateOf(round[which]) / (bases[n] ?? Number.NaN));
}

/** Of the rounds at one size, the medians. */
export const scaleFigures = ({ rounds }: ScalePoint, which: keyof ScaleRound) => ({
  perSecond: median(rounds.map((round) => rateOf(round[which]))),
  p99: median(rounds.map((round) => round[which].p99)),
});

export const failuresAtScale = (points: readonly ScalePoint[]): string[] =>
  points.flatMap(({ notes, rounds }) =>
    rounds.flatMap(({ reads, invalidated }) => [
      ...failuresIn(reads, `W1 at ${notes} notes`),
      ...failuresIn(invalidated, `W1 with updates at ${notes} notes`),
    ]),
  );
