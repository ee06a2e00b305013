/** What is measured on PostgreSQL beside the full loads: a single client, and the long list while others write. */
import { join } from 'node:path';
import { captureAnswers } from '../loads/answers.ts';
import type { LoadResult } from '../loads/load.ts';
import { type Paced, pacedWhile } from '../loads/pace.ts';
import { get } from '../loads/scenarios.ts';
import { inTurns } from '../loads/turns.ts';
import { type Server, startRaw } from '../machine/processes.ts';
import { smallListPath } from '../notes/corpus.ts';
import { difference } from '../service/counters.ts';
import { type Bench, failuresIn, rounds } from '../service/measure.ts';
import { failuresUnderWrites, type ListRound } from '../service/pressure.ts';
import type { Deployment } from './deployments.ts';
import { readAllCounters, runLoad, shareOf } from './loads.ts';

/** Lists and creates by one client that waits for each answer. */
export interface SingleRound {
  readonly list: LoadResult;
  readonly create: LoadResult;
  /** The same lists from the raw server: what client, system and runtime take by themselves. */
  readonly raw: LoadResult;
}

export interface Singles {
  readonly deployment: Deployment;
  readonly rounds: readonly SingleRound[];
}

/** Needs the tapes of W1 and W3. */
export async function measureSingles(bench: Bench, deployments: readonly Deployment[]): Promise<Singles[]> {
  const { generator, folder, seconds } = bench;
  await using raw = await startRawList(bench, deployments);
  const run = ({ url }: Server, name: string) =>
    generator.run({ url, tape: shareOf(folder, { name, n: 0, count: 1 }), connections: 1, seconds });
  const turns = await inTurns(
    deployments,
    rounds,
    async ({ first }): Promise<SingleRound> => ({
      list: await run(first, 'W1'),
      create: await run(first, 'W3'),
      raw: await run(raw, 'W1'),
    }),
  );
  return turns.map(({ subject, results }) => ({ deployment: subject, rounds: results }));
}

async function startRawList(bench: Bench, [deployment]: readonly Deployment[]): Promise<Server> {
  if (deployment === undefined) throw new Error('There is no deployment to ask for the answer of W1');
  const answers = join(bench.folder, 'single.json');
  await Bun.write(answers, JSON.stringify(await captureAnswers(deployment.first.url, [get(smallListPath)])));
  return startRaw(bench, answers);
}

export interface ListUnderUpdates {
  readonly deployment: Deployment;
  readonly rounds: readonly ListRound[];
}

/** Updates per second of all instances together. */
export const pacedUpdates = 500;
const headStartMs = 500;

/** W2, alone and while titles are changed at a fixed rate. Needs the tapes of W2 and W4. */
export async function measureListUnderUpdates(
  bench: Bench,
  deployments: readonly Deployment[],
): Promise<ListUnderUpdates[]> {
  const turns = await inTurns(deployments, rounds, (deployment) => measureListRound(bench, deployment));
  return turns.map(({ subject, results }) => ({ deployment: subject, rounds: results }));
}

async function measureListRound(bench: Bench, deployment: Deployment): Promise<ListRound> {
  const whole = () => runLoad(bench, deployment, { name: 'W2', connections: 4, seconds: bench.seconds });
  const alone = await whole();
  const { result, paced } = await underUpdates(bench, deployment, async () => {
    await Bun.sleep(headStartMs);
    const before = await readAllCounters(deployment);
    const during = await whole();
    return { during, counters: difference(await readAllCounters(deployment), before) };
  });
  const { during, counters } = result;
  return { alone, during, paced, writesPerSecond: counters.writes / during.seconds };
}

/** Each instance gets its share of the updates while `during` runs. */
function underUpdates<Result>(
  bench: Bench,
  { instances }: Deployment,
  during: () => Promise<Result>,
): Promise<{ result: Result; paced: Paced }> {
  const count = instances.length;
  const paces = instances.map(({ url }, n) => {
    return { url, tape: shareOf(bench.folder, { name: 'W4', n, count }), perSecond: pacedUpdates / count };
  });
  const idle = async () => ({ result: await during(), paced: { sent: 0, failed: 0, seconds: 0 } });
  const run = paces.reduce((inner, pace) => async () => added(await pacedWhile(bench, pace, inner)), idle);
  return run();
}

const added = <Result>({ result, paced }: { result: { result: Result; paced: Paced }; paced: Paced }) => ({
  result: result.result,
  paced: { sent: result.paced.sent + paced.sent, failed: result.paced.failed + paced.failed, seconds: paced.seconds },
});

export const failuresBeside = (singles: readonly Singles[], lists: readonly ListUnderUpdates[]): string[] => [
  ...singles.flatMap(({ deployment, rounds }) =>
    rounds.flatMap(({ list, create, raw }) => [
      ...failuresIn(raw, 'W1 by one client, raw server'),
      ...failuresIn(list, `W1 by one client, ${deployment.name}`),
      ...failuresIn(create, `W3 by one client, ${deployment.name}`),
    ]),
  ),
  ...lists.flatMap(({ deployment, rounds }) =>
    failuresUnderWrites(rounds, []).map((failure) => `${failure} (${deployment.name})`),
  ),
];
