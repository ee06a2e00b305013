/** Everything that is measured of the service by itself. */
import { join } from 'node:path';
import { fill } from '../loads/fill.ts';
import { createScenarios, type Scenario } from '../loads/scenarios.ts';
import { residentMemory } from '../machine/machine.ts';
import { type Server, startService } from '../machine/processes.ts';
import { makeDrafts } from '../notes/corpus.ts';
import type { Figure } from '../output/figure.ts';
import { readCounters } from './counters.ts';
import { countFsyncs } from './fsyncs.ts';
import { type Bench, type Measured, measure, tapeOf, writeTapes } from './measure.ts';
import { type ListRound, measureListUnderWrites, measureReadsInRush, type RushRound } from './pressure.ts';
import { measureScale, type ScalePoint } from './scale.ts';
import { measureColdStart, measureStart, type Start } from './starts.ts';

export interface Measurements {
  /** With an empty store. */
  readonly coldStart: Start;
  readonly finalMemory: Figure;
  readonly finalNotes: number;
  /** With `finalNotes` in the store. */
  readonly finalStart: Start;
  readonly fsyncs: Figure;
  readonly measured: readonly Measured[];
  readonly listUnderWrites: readonly ListRound[];
  readonly readsInRush: readonly RushRound[];
  readonly scale: readonly ScalePoint[];
}

type Print = (text: string) => void;

/** The service alone: starts, loads, loads at once, sizes. */
export async function measureService(bench: Bench, print: Print): Promise<Measurements> {
  const database = join(bench.folder, 'notes.db');
  print('Starting the service on an empty store');
  const coldStart = await measureColdStart(bench);
  const loads = await measureLoads(bench, database, print);
  print('Starting the service on the store as it is now');
  const finalStart = await measureStart(bench, database);
  return { coldStart, ...loads, finalStart, scale: await measureScale(bench, print) };
}

/** One service from the first note to the last. */
async function measureLoads(bench: Bench, database: string, print: Print) {
  await using service = await startService(bench, database);
  const drafts = makeDrafts(10_000);
  print(`Storing ${drafts.length} notes`);
  await fill(service.url, drafts);

  const scenarios = createScenarios(drafts);
  await writeTapes(bench.folder, scenarios);
  const measureAll = async (some: readonly Scenario[]): Promise<Measured[]> => {
    const measured: Measured[] = [];
    for (const scenario of some) {
      print(`Measuring ${scenario.name}: ${scenario.title}`);
      measured.push(await measure(bench, service, scenario));
    }
    return measured;
  };

  const reads = await measureAll(scenarios.reads);
  print('Measuring W2 while writes arrive');
  const listUnderWrites = await measureListUnderWrites(bench, service);
  const writes = await measureAll(scenarios.writes);
  print('Measuring W1 while notes are created at full rate');
  const readsInRush = await measureReadsInRush(bench, service);
  const archives = await measureAll(scenarios.archives);

  const finalMemory = residentMemory(service.pid);
  print('Counting fsyncs during creates');
  const fsyncs = await countFsyncs(bench, service.pid, () => createForASecond(bench, service));
  const { stored } = await readCounters(service.url);
  const measured = [...reads, ...writes, ...archives];
  return { measured, listUnderWrites, readsInRush, finalMemory, fsyncs, finalNotes: stored };
}

/** The same load as W3. */
async function createForASecond({ generator, folder }: Bench, { url }: Server): Promise<void> {
  await generator.run({ url, tape: tapeOf(folder, 'W3'), connections: 64, seconds: 1 });
}
