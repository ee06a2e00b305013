/** Measures loads on programs in turns, so that what slows the machine down for a while slows all of them down. */
import { join } from 'node:path';
import type { NoteDraft } from '../../src/core/note.ts';
import { readCpuSecondsWithChildren } from './machine.ts';
import type { LoadRequest, Program } from './programs.ts';
import {
  createTitleUpdateRequest,
  type Load,
  sendAndReadTextOrThrow,
  sendFirstRequestsAndCountListBytes,
} from './requests.ts';
import { formatDecimal, formatMarkdownTable, getMedian } from './table.ts';
import { type Result, runWrk, writeWrkRequests } from './wrk.ts';

export interface Options {
  readonly folder: string;
  readonly drafts: readonly NoteDraft[];
  /** How long one round of one program lasts. */
  readonly seconds: number;
  readonly rounds: number;
}

/** The rounds of one load on one program. */
export interface Series {
  readonly load: Load;
  readonly program: Program;
  readonly rounds: Round[];
}

interface Round {
  /** Requests per second. */
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the program for each request, in µs. */
  readonly cpu: number;
}

export interface Measured {
  readonly series: readonly Series[];
  /** Each failure is one sentence. */
  readonly failures: readonly string[];
  /** What peers did wrong or could not do. */
  readonly notes: readonly string[];
}

const warmUpSeconds = 1;
const headStartMs = 500;

/** All programs run all the time. One of them at a time is loaded, and every second round has the opposite order. */
export async function measureProgramsInTurns(
  programs: readonly Program[],
  loads: readonly Load[],
  options: Options,
): Promise<Measured> {
  const [series, failures, notes]: [Series[], string[], string[]] = [[], [], []];
  /** Returns whether `work` succeeded, and records its failure otherwise. */
  const attempt = async (load: Load, program: Program, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      const sentence = `${load.name}, ${program.name}: ${error instanceof Error ? error.message : error}`;
      (program.isPeer ? notes : failures).push(sentence);
      return false;
    }
  };
  for (const load of loads) {
    console.error(`${load.name}: ${load.title}`);
    const turns: { series: Series; before: StateBeforeLoad }[] = [];
    for (const program of programs) {
      await attempt(load, program, async () => {
        const before = await prepareLoad(load, program, options);
        turns.push({ series: { load, program, rounds: [] }, before });
      });
    }
    series.push(...turns.map((turn) => turn.series));
    for (let round = 0; round < options.rounds; round++) {
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) {
        const { program, rounds } = turn.series;
        await attempt(load, program, async () => rounds.push(await runRound(load, program, turn.before, options)));
      }
    }
    for (const { series, before } of turns) {
      await attempt(load, series.program, () => assertFinalState(series, before, options));
    }
  }
  return { series, failures, notes };
}

/** The state of a program before a load. */
interface StateBeforeLoad {
  /** The length of each response to a load that requests one list only. */
  readonly bytes?: number;
  readonly stored: number;
  /** The number of requests that were confirmed until now. */
  readonly confirmed: { requests: number };
}

async function prepareLoad(load: Load, program: Program, options: Options): Promise<StateBeforeLoad> {
  const bytes = await sendFirstRequestsAndCountListBytes(program, load, options.drafts);
  if (program.syncMs !== undefined) await assertWriteWaitsForSync(program, program.syncMs);
  const stored = (await program.countStoredNotes?.()) ?? Number.NaN;
  const isList = load.requests.length === 1 && load.meanwhile === undefined;
  const before = { stored, confirmed: { requests: 0 }, ...(isList && { bytes }) };
  await runRound(load, program, before, { ...options, seconds: warmUpSeconds });
  return before;
}

/** Throws if a write is faster than a sync of its disk: then syncs are not delayed, or the write does not wait. */
async function assertWriteWaitsForSync(program: Program, ms: number): Promise<void> {
  const began = performance.now();
  await sendAndReadTextOrThrow(
    program,
    program.urls[0] ?? '',
    createTitleUpdateRequest(1, 'A title that takes as long as the disk'),
  );
  const took = performance.now() - began;
  if (took < ms) throw new Error(`a write took ${took} ms beside syncs of ${ms} ms`);
}

async function assertFinalState({ load, program }: Series, before: StateBeforeLoad, options: Options): Promise<void> {
  const isCreate = load.requests.every(({ method }) => method === 'POST');
  const stored = (await program.countStoredNotes?.()) ?? Number.NaN;
  if (isCreate && stored - before.stored < before.confirmed.requests) {
    throw new Error(`${before.confirmed.requests} creates were confirmed, ${stored - before.stored} notes are stored`);
  }
  await sendFirstRequestsAndCountListBytes(program, load, options.drafts);
}

/** Throws if a response was wrong. */
async function runRound(load: Load, program: Program, before: StateBeforeLoad, options: Options): Promise<Round> {
  const { meanwhile } = load;
  const began = readCpuSecondsWithChildren(program.pids);
  const others = meanwhile === undefined ? undefined : startSendingMeanwhile(program, meanwhile, options);
  if (others !== undefined) await Bun.sleep(headStartMs);
  const result = await runLoadOnInstances(program, load, options);
  await others?.stop();
  const cpu = ((readCpuSecondsWithChildren(program.pids) - began) / result.requests) * 1e6;
  assertResponsesAreComplete(result, before);
  before.confirmed.requests += result.requests;
  return { rate: result.requests / result.seconds, p50: result.p50, p99: result.p99, cpu };
}

function assertResponsesAreComplete(
  { requests, bytes, refused, broken }: Result,
  before: Pick<StateBeforeLoad, 'bytes'>,
): void {
  if (refused + broken > 0) throw new Error(`${refused} responses were errors, ${broken} connections failed`);
  if (requests === 0) throw new Error('there was no response in time');
  if (before.bytes !== undefined && bytes < requests * before.bytes) {
    throw new Error(`responses had ${Math.floor(bytes / requests)} bytes on average instead of ${before.bytes}`);
  }
}

/** Loads all instances at once, each with its share of the connections and requests. */
async function runLoadOnInstances(
  program: Program,
  load: Pick<Load, 'requests' | 'connections'>,
  { folder, seconds }: Pick<Options, 'folder' | 'seconds'>,
): Promise<Result> {
  const count = program.urls.length;
  const running = program.urls.map(async (url, n) => {
    const own = load.requests.length === 1 ? load.requests : load.requests.filter((_, index) => index % count === n);
    const file = join(folder, `${Bun.randomUUIDv7()}.requests`);
    await writeWrkRequests(file, own.map(program.rewrite));
    const connections = Math.min(load.connections, program.maxConnections ?? Infinity) / count;
    const result = await runWrk({ url, requests: file, connections, seconds });
    await Bun.file(file).delete();
    return result;
  });
  const results = await Promise.all(running);
  const sum = (of: (result: Result) => number) => results.reduce((total, result) => total + of(result), 0);
  const most = (of: (result: Result) => number) => Math.max(...results.map(of));
  return {
    requests: sum(({ requests }) => requests),
    seconds: most(({ seconds }) => seconds),
    bytes: sum(({ bytes }) => bytes),
    p50: most(({ p50 }) => p50),
    p99: most(({ p99 }) => p99),
    refused: sum(({ refused }) => refused),
    broken: sum(({ broken }) => broken),
  };
}

/** `stop` throws when one of the requests failed. */
function startSendingMeanwhile(
  program: Program,
  { requests, perSecond }: NonNullable<Load['meanwhile']>,
  options: Options,
) {
  if (perSecond !== undefined) return startSendingAtRate(program, requests, perSecond);
  const running = runLoadOnInstances(
    program,
    { requests, connections: 64 },
    { ...options, seconds: options.seconds + 1 },
  );
  return { stop: async () => assertResponsesAreComplete(await running, {}) };
}

/** Sends so many requests per second, whether or not there are responses to earlier ones. */
export function startSendingAtRate(program: Program, requests: readonly LoadRequest[], perSecond: number) {
  const underWay = new Set<Promise<void>>();
  const [failures, latencies]: [string[], number[]] = [[], []];
  let sent = 0;
  const began = performance.now();
  const sendNext = () => {
    const request = requests[sent % requests.length];
    const url = program.urls[sent++ % program.urls.length] ?? '';
    if (request === undefined) throw new Error('There are no requests to send');
    const at = performance.now();
    const response = sendAndReadTextOrThrow(program, url, request)
      .then(() => void latencies.push(performance.now() - at))
      .catch((error) => void failures.push(String(error)))
      .finally(() => underWay.delete(response));
    underWay.add(response);
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - began) * perSecond) / 1_000;
    while (sent < due) sendNext();
  }, 1);
  return {
    stop: async () => {
      clearInterval(timer);
      const seconds = (performance.now() - began) / 1_000;
      await Promise.all(underWay);
      if (failures.length > 0) throw new Error(`${failures.length} requests meanwhile failed: ${failures[0]}`);
      return { rate: sent / seconds, latencies };
    },
  };
}

/**
 * Formats a row for each load and program. The ratio is the median of the ratios of its rounds to those of the program
 * that it is compared with.
 */
export function formatLoadTable(series: readonly Series[]): string {
  const head = ['Load', '', 'Program', 'Requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'Ratio', 'Rounds', 'To'];
  return formatMarkdownTable([
    head,
    ...series.filter(({ rounds }) => rounds.length > 0).map((one) => formatLoadRow(one, series)),
  ]);
}

function formatLoadRow(one: Series, series: readonly Series[]): string[] {
  const { load, program, rounds } = one;
  const middle = (of: (round: Round) => number) => getMedian(rounds.map(of));
  const rate = middle((round) => round.rate);
  const figures = [
    load.name,
    load.title,
    program.name,
    formatDecimal(rate, rate < 1_000 ? 1 : 0),
    formatDecimal(
      middle(({ p50 }) => p50),
      1,
    ),
    formatDecimal(
      middle(({ p99 }) => p99),
      1,
    ),
    formatDecimal(
      middle(({ cpu }) => cpu),
      1,
    ),
  ];
  const other = series.find((some) => some.load === load && some.program.name === program.comparedWith);
  if (other === undefined) return figures;
  const ratios = rounds.map((round, n) => round.rate / (other.rounds[n]?.rate ?? Number.NaN));
  const range = `${formatDecimal(Math.min(...ratios), 2)} … ${formatDecimal(Math.max(...ratios), 2)}`;
  return [...figures, formatDecimal(getMedian(ratios), 2), range, other.program.name];
}
