/** Compares the service with an earlier commit, on the disk as it is and on slow ones, in turns. */
import { join } from 'node:path';
import type { LoadResult } from '../loads/load.ts';
import { createScenarios, type Scenarios } from '../loads/scenarios.ts';
import { inTurns } from '../loads/turns.ts';
import { cpuSecondsOf } from '../machine/cpu.ts';
import type { Server } from '../machine/processes.ts';
import { makeDrafts } from '../notes/corpus.ts';
import { type Bench, tapeOf, warmUpSeconds, writeTapes } from '../service/measure.ts';
import { runRush } from '../service/pressure.ts';
import { checkOut, describeWorkingTree } from './checkout.ts';
import { type Contender, type Delay, startContenders, type Version } from './contenders.ts';
import { compileSlowSync } from './slow-sync.ts';

export interface ComparisonOptions {
  /** What the service is compared with. */
  readonly commit: string;
  readonly rounds: number;
}

export interface Comparison {
  /** The commits by version. */
  readonly names: Readonly<Record<Version, string>>;
  readonly series: readonly Series[];
  /** Why slow disks were not measured. */
  readonly unmeasured?: string;
}

/** The rounds of one load on one of the services. */
export interface Series
  extends Pick<ComparedLoad, 'name' | 'title' | 'connections'>,
    Pick<Contender, 'version' | 'delay'> {
  readonly rounds: readonly ComparedRound[];
}

export interface ComparedRound {
  /** The measured load. */
  readonly result: LoadResult;
  /** The concurrent creates. */
  readonly creates?: LoadResult;
  /** Processor time of the service, all of its threads, for each request of `result`. */
  readonly cpuMicroseconds: number;
}

export const besideCreates = 'W1 beside W3';
export const manyCreates = 'W3 on 512';

interface ComparedLoad {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  /** The disks that it is measured on. */
  readonly delays: readonly Delay[];
  run(server: Server, seconds: number): Promise<Omit<ComparedRound, 'cpuMicroseconds'>>;
}

/** All services run concurrently; one at a time is measured. */
export async function measureComparison(
  bench: Bench,
  { commit, rounds }: ComparisonOptions,
  print: (text: string) => void,
): Promise<Comparison> {
  const before = await checkOut(bench, commit, join(bench.folder, 'before'));
  const now = await describeWorkingTree(bench);
  const slowSync = await compileSlowSync(bench, bench.folder);
  const drafts = makeDrafts(10_000);
  const scenarios = createScenarios(drafts);
  await writeTapes(bench.folder, scenarios);
  await using servers = new AsyncDisposableStack();
  print(`Starting the service as it is now (${now.name}) and as it was (${before.name})`);
  const contenders = await startContenders(bench, { checkouts: { now, before }, slowSync, drafts }, servers);
  const series: Series[] = [];
  for (const load of comparedLoads(bench, scenarios)) {
    print(`Measuring ${load.name}: ${load.title}`);
    series.push(...(await measureLoad(contenders, load, { rounds, seconds: bench.seconds })));
  }
  return { names: { now: now.name, before: before.name }, series, ...('unmeasured' in slowSync && slowSync) };
}

/** In an order that keeps the list of W2 whole and that of W1 filled, and leaves the stores alike on all disks. */
function comparedLoads(bench: Bench, { reads, writes, archives }: Scenarios): ComparedLoad[] {
  const plain = (name: string, connections?: number): ComparedLoad => {
    const scenario = [...reads, ...writes, ...archives].find((one) => one.name === name);
    if (scenario === undefined) throw new Error(`There is no scenario ${name}`);
    const load = { tape: tapeOf(bench.folder, name), connections: connections ?? scenario.connections };
    const run: ComparedLoad['run'] = async ({ url }, seconds) => ({
      result: await bench.generator.run({ ...load, url, seconds }),
    });
    return { name, title: scenario.title, connections: load.connections, delays: [0], run };
  };
  return [
    plain('W1'),
    plain('W2'),
    { ...plain('W6'), delays: [0, 3] },
    listBesideCreates(bench),
    { ...plain('W3', 512), name: manyCreates, delays: [0, 3] },
    ...['W3', 'W4', 'W5'].map((name) => plain(name)),
  ];
}

const listBesideCreates = (bench: Bench): ComparedLoad => ({
  name: besideCreates,
  title: 'list of 20 while notes are created at full rate',
  connections: 64,
  delays: [0, 3, 20],
  async run(server, seconds) {
    const { reads, creates } = await runRush(bench, server, seconds);
    return { result: reads, creates };
  },
});

/** Every service on one of the load's disks, after a warm-up of all of them at once. */
async function measureLoad(
  contenders: readonly Contender[],
  load: ComparedLoad,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<Series[]> {
  const some = contenders.filter(({ delay }) => load.delays.includes(delay));
  await Promise.all(some.map(({ server }) => load.run(server, warmUpSeconds)));
  const turns = await inTurns(some, rounds, async ({ server }): Promise<ComparedRound> => {
    const before = cpuSecondsOf(server.pid);
    const round = await load.run(server, seconds);
    const cpuSeconds = cpuSecondsOf(server.pid) - before;
    return { ...round, cpuMicroseconds: (cpuSeconds / round.result.requests) * 1e6 };
  });
  const { name, title, connections } = load;
  return turns.map(({ subject: { version, delay }, results }) => ({
    name,
    title,
    connections,
    version,
    delay,
    rounds: results,
  }));
}
