/** Measures the service and its peers: the same loads, in turns. */
import { join } from 'node:path';
import type { NoteDraft } from '../../src/core/note.ts';
import { send } from '../loads/answers.ts';
import { checkAnswers, type Subject } from '../loads/check-answers.ts';
import { fill } from '../loads/fill.ts';
import { writeTape } from '../loads/load.ts';
import { createScenarios, get, type Scenario } from '../loads/scenarios.ts';
import { type Server, startService } from '../machine/processes.ts';
import { makeDrafts, smallListPath } from '../notes/corpus.ts';
import { type Figure, median } from '../output/figure.ts';
import { type Bench, failuresIn, rateOf, rounds, warmUpSeconds } from '../service/measure.ts';
import { describePeer, type Peer, peers, startPeer, translate } from './peers.ts';

/** One line of the table. */
export interface Standing {
  readonly name: string;
  readonly madeOf: string;
  readonly runtime: string;
  /** Whether a write is on disk before it is answered. */
  readonly durable: boolean;
  readonly isService: boolean;
  /** Requests per second by the name of the load. */
  readonly rates: Readonly<Record<string, Figure>>;
}

interface Entrant extends Omit<Standing, 'rates'>, Subject {
  readonly rates: Record<string, Figure>;
}

type Print = (text: string) => void;

/** All programs run concurrently; one at a time is measured. */
export async function measureContest(bench: Bench, print: Print): Promise<{ standings: Standing[]; absent: string[] }> {
  await using servers = new AsyncDisposableStack();
  const drafts = makeDrafts(10_000);
  print('Starting the service and its peers');
  const service = servers.use(await startService(bench, join(bench.folder, 'contest.db')));
  await fill(service.url, drafts);
  const entrants: Entrant[] = [serviceEntrant(service, drafts)];
  const absent: string[] = [];
  for (const [n, peer] of peers.entries()) {
    print(`Starting ${peer.name}`);
    try {
      const server = servers.use(await startPeer(bench, peer, join(bench.folder, `peer-${n}`), drafts));
      entrants.push(await peerEntrant(peer, server, drafts));
    } catch (error) {
      if (bench.signal.aborted) throw error;
      absent.push(`${peer.name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  const { reads, writes, archives } = createScenarios(drafts);
  for (const scenario of [...reads, ...writes, ...archives]) {
    print(`Measuring ${scenario.name} on all`);
    await measureLoad(bench, entrants, scenario);
  }
  return { standings: entrants, absent };
}

const serviceEntrant = ({ url }: Server, drafts: readonly NoteDraft[]): Entrant => ({
  name: 'Notes (this service)',
  madeOf: '',
  runtime: `Bun ${Bun.version}`,
  durable: true,
  isService: true,
  rates: {},
  url,
  translate: (call) => call,
  drafts,
});

const peerEntrant = async (peer: Peer, server: Server, drafts: readonly NoteDraft[]): Promise<Entrant> => ({
  name: peer.name,
  madeOf: await describePeer(peer),
  runtime: server.runtime ?? peer.runtime,
  durable: (server.synchronous ?? 0) >= 2,
  isService: false,
  rates: {},
  url: server.url,
  translate: (call) => translate(peer, call),
  drafts,
});

/** The duration for programs that respond in bursts: not to every connection during the warm-up. */
const burstSeconds = 10;

/** Does not measure programs with wrong responses. */
async function measureLoad(bench: Bench, entrants: readonly Entrant[], scenario: Scenario): Promise<void> {
  const measured: { entrant: Entrant; seconds: number; results: Result[] }[] = [];
  for (const entrant of entrants) {
    try {
      await checkAnswers(entrant, scenario);
      const { requests } = await run(bench, entrant, scenario, warmUpSeconds);
      const seconds = requests < scenario.connections ? Math.max(burstSeconds, bench.seconds) : bench.seconds;
      measured.push({ entrant, seconds, results: [] });
    } catch (error) {
      if (bench.signal.aborted) throw error;
      entrant.rates[scenario.name] = { unmeasured: error instanceof Error ? error.message : String(error) };
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const { entrant, seconds, results } of measured) results.push(await run(bench, entrant, scenario, seconds));
  }
  for (const { entrant, results } of measured) entrant.rates[scenario.name] = figureOf(results);
}

interface Result {
  readonly requests: number;
  readonly rate: number;
  readonly failures: readonly string[];
}

function figureOf(results: readonly Result[]): Figure {
  const failure = results.flatMap(({ failures }) => failures)[0];
  return failure === undefined ? median(results.map(({ rate }) => rate)) : { unmeasured: failure };
}

async function run(
  { generator, folder }: Bench,
  entrant: Entrant,
  scenario: Scenario,
  seconds: number,
): Promise<Result> {
  const { connections, calls } = scenario;
  const tape = join(folder, 'contest.tape');
  await writeTape(tape, calls.map(entrant.translate));
  const result = await generator.run({ url: entrant.url, tape, connections, seconds });
  await send(entrant.url, entrant.translate(get(smallListPath))); // wait for its pending work
  return { requests: result.requests, rate: rateOf(result), failures: failuresIn(result, 'under load') };
}
