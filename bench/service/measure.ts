/** Measures one scenario: the service and the raw server take turns. */
import { join } from 'node:path';
import { captureAnswers } from '../loads/answers.ts';
import { type Generator, type LoadResult, writeTape } from '../loads/load.ts';
import type { Scenario, Scenarios } from '../loads/scenarios.ts';
import { type Host, type Server, startRaw } from '../machine/processes.ts';
import { median } from '../output/figure.ts';
import { type Counters, difference, readCounters } from './counters.ts';

export interface Bench extends Host {
  readonly generator: Generator;
  /** How long one measurement takes. */
  readonly seconds: number;
  /** A folder on a disk. */
  readonly folder: string;
}

export interface Round {
  readonly service: LoadResult;
  readonly raw: LoadResult;
}

export interface Measured {
  readonly scenario: Scenario;
  readonly rounds: readonly Round[];
  /** The counters of the service meanwhile, including the warm-up. */
  readonly counters: Counters;
}

export const rounds = 3;
export const warmUpSeconds = 1;

/** Needs the tapes: see `writeTapes`. */
export async function measure(bench: Bench, service: Server, scenario: Scenario): Promise<Measured> {
  const { name, connections, calls } = scenario;
  const tape = tapeOf(bench.folder, name);
  const answers = join(bench.folder, `${name}.json`);
  await Bun.write(answers, JSON.stringify(await captureAnswers(service.url, calls)));
  await using raw = await startRaw(bench, answers);

  const before = await readCounters(service.url);
  const run = (url: string, seconds: number) => bench.generator.run({ url, tape, connections, seconds });
  await run(service.url, warmUpSeconds);
  await run(raw.url, warmUpSeconds);
  const results: Round[] = [];
  while (results.length < rounds) {
    results.push({ service: await run(service.url, bench.seconds), raw: await run(raw.url, bench.seconds) });
  }
  return { scenario, rounds: results, counters: difference(await readCounters(service.url), before) };
}

/** The file with the calls of the scenario `name`. */
export const tapeOf = (folder: string, name: string) => join(folder, `${name}.tape`);

/** Writes the files that `measure` plays. */
export async function writeTapes(folder: string, { reads, writes, archives }: Scenarios): Promise<void> {
  for (const { name, calls } of [...reads, ...writes, ...archives]) await writeTape(tapeOf(folder, name), calls);
}

export const rateOf = ({ requests, seconds }: LoadResult) => requests / seconds;

/** The service's rate as a share of the raw server's, per round: what slows both down cancels out. */
export const ratiosOf = ({ rounds }: Measured) => rounds.map(({ service, raw }) => rateOf(service) / rateOf(raw));

/** Whether the bar is reached; undefined for a scenario without one. */
export const isMet = (measured: Measured): boolean | undefined =>
  measured.scenario.bar === undefined ? undefined : median(ratiosOf(measured)) >= measured.scenario.bar;

/** The median rate of the service. */
export const rateOfService = ({ rounds }: Measured) => median(rounds.map(({ service }) => rateOf(service)));

/** Failed responses and connections on either side, a sentence each. */
export function failuresOf({ scenario: { name }, rounds, counters }: Measured): string[] {
  const sides = rounds.flatMap(({ service, raw }) => [
    { side: 'service', ...service },
    { side: 'raw server', ...raw },
  ]);
  const seen = sides.flatMap(({ side, ...result }) => failuresIn(result, `${name}, ${side}`));
  const counted =
    counters.refused > 0 ? [`${name}: the service counted ${counters.refused} answers other than 200`] : [];
  return [...seen, ...counted];
}

/** What went wrong in one measurement, at most one sentence. */
export function failuresIn({ requests, refused, socketErrors }: LoadResult, name: string): string[] {
  if (refused + socketErrors > 0) {
    return [`${name}: ${refused} answers with an error, ${socketErrors} connections failed`];
  }
  return requests === 0 ? [`${name}: nothing was answered in time`] : [];
}
