/** Measures one scenario: the service and the raw server take turns. */
import { join } from 'node:path';
import { captureAnswers } from './answers.ts';
import { type Counters, difference, readCounters } from './counters.ts';
import { median } from './figure.ts';
import { type Generator, type LoadResult, writeTape } from './load.ts';
import { type Host, type Server, startRaw } from './processes.ts';
import type { Scenario } from './scenarios.ts';

/** What a run measures with. */
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
  /** What the service counted meanwhile, the warm-up included. */
  readonly counters: Counters;
}

const rounds = 3;
const warmUpSeconds = 1;

export async function measure(bench: Bench, service: Server, scenario: Scenario): Promise<Measured> {
  const { name, connections, calls } = scenario;
  const tape = tapeOf(bench.folder, name);
  const answers = join(bench.folder, `${name}.json`);
  await writeTape(tape, calls);
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

/** The file with the calls of the scenario `name`, once that was measured. */
export const tapeOf = (folder: string, name: string) => join(folder, `${name}.tape`);

export const rateOf = ({ requests, seconds }: LoadResult) => requests / seconds;

/** The service's rate as a share of the raw server's. Of each round by itself: what slows both down cancels out. */
export const ratiosOf = ({ rounds }: Measured) => rounds.map(({ service, raw }) => rateOf(service) / rateOf(raw));

/** Whether the bar is reached; undefined for a scenario without one. */
export function isMet(measured: Measured): boolean | undefined {
  const { bar } = measured.scenario;
  if (bar === undefined) return undefined;
  const rate = median(measured.rounds.map(({ service }) => rateOf(service)));
  return rate >= (bar.perSecond ?? Infinity) || median(ratiosOf(measured)) >= (bar.ratio ?? Infinity);
}

/** Answers and connections that failed, on either side, a sentence each. */
export function failuresOf({ scenario: { name }, rounds, counters }: Measured): string[] {
  const sides = rounds.flatMap(({ service, raw }) => [
    { side: 'service', ...service },
    { side: 'raw server', ...raw },
  ]);
  const failed = sides.filter(({ refused, socketErrors }) => refused + socketErrors > 0);
  const seen = failed.map(
    ({ side, refused, socketErrors }) =>
      `${name}: ${refused} answers of the ${side} were not 200, ${socketErrors} connections failed`,
  );
  const counted =
    counters.refused > 0 ? [`${name}: the service counted ${counters.refused} answers other than 200`] : [];
  return [...seen, ...counted];
}
