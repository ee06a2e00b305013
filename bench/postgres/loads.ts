/** Measures the scenarios on deployments, in turns. */
import type { NoteDraft } from '../../src/core/note.ts';
import { checkAnswers } from '../loads/check-answers.ts';
import { type LoadResult, writeTape } from '../loads/load.ts';
import type { Scenario } from '../loads/scenarios.ts';
import { inTurns } from '../loads/turns.ts';
import { cpuSecondsOf, idleSeconds } from '../machine/cpu.ts';
import { type Counters, difference, readCounters } from '../service/counters.ts';
import { type Bench, failuresIn, rounds, tapeOf, warmUpSeconds } from '../service/measure.ts';
import { countNotes, type Deployment, maxInstances } from './deployments.ts';

export interface Contender {
  readonly deployment: Deployment;
  /** The notes stored at the start. */
  readonly drafts: readonly NoteDraft[];
}

/** One round of a scenario. */
export interface Round extends LoadResult {
  readonly cpu: CpuTime;
}

/** Seconds of processor time. */
export interface CpuTime {
  readonly service: number;
  readonly postgres: number;
  /** Time unused by all processes of this machine. */
  readonly idle: number;
}

export interface Measured {
  readonly scenario: Scenario;
  readonly deployment: Deployment;
  readonly rounds: readonly Round[];
  readonly warmUp: LoadResult;
  /** The counters of all instances meanwhile, including the warm-up. */
  readonly counters: Counters;
  /** The number of notes added to the database meanwhile. */
  readonly grown: number;
}

/** One scenario on all of them. Needs the tapes: see `writeShares`. */
export async function measureLoad(
  bench: Bench,
  contenders: readonly Contender[],
  scenario: Scenario,
): Promise<Measured[]> {
  const warm: { deployment: Deployment; before: Tally; warmUp: LoadResult }[] = [];
  for (const contender of contenders) {
    const { deployment } = contender;
    warm.push({
      deployment,
      before: await tallyOf(deployment),
      warmUp: await checkUnderLoad(bench, contender, scenario),
    });
  }
  const turns = await inTurns(warm, rounds, ({ deployment }) => measureRound(bench, deployment, scenario));
  const measured: Measured[] = [];
  for (const { subject, results } of turns) {
    const { deployment, before, warmUp } = subject;
    const { counters, notes } = await tallyOf(deployment);
    const counted = { counters: difference(counters, before.counters), grown: notes - before.notes };
    measured.push({ scenario, deployment, rounds: results, warmUp, ...counted });
  }
  return measured;
}

/** The warm-up. Meanwhile sends requests to all instances; throws unless each response is complete and correct. */
async function checkUnderLoad(
  bench: Bench,
  { deployment, drafts }: Contender,
  scenario: Scenario,
): Promise<LoadResult> {
  let isUnderLoad = true;
  const load = runLoad(bench, deployment, { ...scenario, seconds: warmUpSeconds }).finally(() => {
    isUnderLoad = false;
  });
  const check = async () => {
    do {
      for (const { url } of deployment.instances)
        await checkAnswers({ url, translate: (call) => call, drafts }, scenario);
    } while (isUnderLoad);
  };
  const [result] = await Promise.all([load, check()]);
  return result;
}

async function measureRound(bench: Bench, deployment: Deployment, scenario: Scenario): Promise<Round> {
  const before = cpuTimeSoFar(deployment);
  const result = await runLoad(bench, deployment, { ...scenario, seconds: bench.seconds });
  const after = cpuTimeSoFar(deployment);
  const cpu = {
    service: after.service - before.service,
    postgres: after.postgres - before.postgres,
    idle: after.idle - before.idle,
  };
  return { ...result, cpu };
}

const cpuTimeSoFar = ({ instances, postgres }: Deployment): CpuTime => ({
  service: sum(instances.map(({ pid }) => cpuSecondsOf(pid))),
  postgres: cpuSecondsOf(postgres),
  idle: idleSeconds(),
});

/** A scenario, by its name. */
interface Load {
  readonly name: string;
  /** Of all instances together. */
  readonly connections: number;
  readonly seconds: number;
}

/** Loads all instances concurrently, each by its own generator with its share of connections and calls. */
export async function runLoad(
  { generator, folder }: Bench,
  { instances }: Deployment,
  load: Load,
): Promise<LoadResult> {
  const { name, connections, seconds } = load;
  const count = instances.length;
  const running = instances.map(({ url }, n) =>
    generator.run({ url, tape: shareOf(folder, { name, n, count }), connections: connections / count, seconds }),
  );
  return together(await Promise.all(running));
}

/** Sums the results; latencies are those of the slowest. */
const together = (results: readonly LoadResult[]): LoadResult => ({
  requests: sum(results.map(({ requests }) => requests)),
  seconds: Math.max(...results.map(({ seconds }) => seconds)),
  p50: Math.max(...results.map(({ p50 }) => p50)),
  p99: Math.max(...results.map(({ p99 }) => p99)),
  refused: sum(results.map(({ refused }) => refused)),
  socketErrors: sum(results.map(({ socketErrors }) => socketErrors)),
  effort: sum(results.map(({ effort }) => effort)),
});

interface Share {
  readonly name: string;
  readonly n: number;
  readonly count: number;
}

/** The file with the calls of a scenario for instance `n` of `count`. */
export const shareOf = (folder: string, { name, n, count }: Share) => tapeOf(folder, `${name}-${n}-of-${count}`);

/** Deals the calls round-robin to each possible number of instances, so that no two get the same call. */
export async function writeShares(folder: string, { name, calls }: Scenario): Promise<void> {
  for (let count = 1; count <= maxInstances; count++) {
    for (let n = 0; n < count; n++) {
      const dealt = calls.length === 1 ? calls : calls.filter((_, index) => index % count === n);
      await writeTape(shareOf(folder, { name, n, count }), dealt);
    }
  }
}

interface Tally {
  readonly counters: Counters;
  readonly notes: number;
}

const tallyOf = async (deployment: Deployment): Promise<Tally> => ({
  counters: await readAllCounters(deployment),
  notes: await countNotes(deployment),
});

/** The sums over all instances, except `stored`, which each instance reports for the whole database. */
export async function readAllCounters({ instances }: Deployment): Promise<Counters> {
  const counters = await Promise.all(instances.map(({ url }) => readCounters(url)));
  return {
    commits: sum(counters.map(({ commits }) => commits)),
    writes: sum(counters.map(({ writes }) => writes)),
    commitSeconds: sum(counters.map(({ commitSeconds }) => commitSeconds)),
    stored: Math.max(...counters.map(({ stored }) => stored)),
    refused: sum(counters.map(({ refused }) => refused)),
  };
}

/** Failures, a sentence each: failed responses, and acknowledged writes that are missing. */
export function failuresOf({ scenario, deployment, rounds, warmUp, counters, grown }: Measured): string[] {
  const name = `${scenario.name}, ${deployment.name}`;
  const failures = [warmUp, ...rounds].flatMap((result) => failuresIn(result, name));
  if (counters.refused > 0) failures.push(`${name}: ${counters.refused} answers other than 200 were counted`);
  const answered = sum([warmUp, ...rounds].map(({ requests }) => requests));
  const method = scenario.calls[0]?.method;
  if (method !== 'GET' && counters.writes < answered) {
    failures.push(`${name}: ${answered} writes were answered and ${counters.writes} committed`);
  }
  if (method === 'POST' && grown < answered) {
    failures.push(`${name}: ${answered} notes were created and ${grown} are stored`);
  }
  return failures;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
