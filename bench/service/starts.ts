/** Measures what a start takes, and what the service holds before it has anything to do. */
import { join } from 'node:path';
import { send } from '../loads/answers.ts';
import { residentMemory } from '../machine/machine.ts';
import { startService } from '../machine/processes.ts';
import { type Figure, median, medianFigure } from '../output/figure.ts';
import type { Bench } from './measure.ts';

export interface Start {
  /** From the start of the process to its first answer with status 200. */
  readonly ms: number;
  /** Resident memory soon after, in MB. */
  readonly memory: Figure;
}

const starts = 5;
const idleMs = 1_000;

/** The median of several starts, each with an empty store. */
export async function measureColdStart(bench: Bench): Promise<Start> {
  const results: Start[] = [];
  while (results.length < starts) {
    results.push(await measureStart(bench, join(bench.folder, `empty-${results.length}.db`)));
  }
  return {
    ms: median(results.map(({ ms }) => ms)),
    memory: medianFigure(results.map(({ memory }) => memory)),
  };
}

/** One start with the notes in the file `database`. */
export async function measureStart(bench: Bench, database: string): Promise<Start> {
  const began = performance.now();
  await using service = await startService(bench, database);
  await send(service.url, { method: 'GET', path: '/readyz', body: '' });
  const ms = performance.now() - began;
  await Bun.sleep(idleMs);
  return { ms, memory: residentMemory(service.pid) };
}
