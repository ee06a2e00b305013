/** Measures loads on programs in turns, so that what slows the machine down for a while slows all of them down. */
import { join } from 'node:path';
import type { NoteDraft } from '../../src/core/note.ts';
import { cpuSecondsOf } from './machine.ts';
import type { Program, Request } from './programs.ts';
import { checkAnswers, type Load, send, updateTitle } from './requests.ts';
import { decimal, median, table } from './table.ts';
import { type Result, runWrk, writeRequests } from './wrk.ts';

export interface Options {
  readonly folder: string;
  readonly drafts: readonly NoteDraft[];
  /** Of one round of one program. */
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
  /** A sentence each. */
  readonly failures: readonly string[];
  /** What peers did wrong or could not do. */
  readonly notes: readonly string[];
}

const warmUpSeconds = 1;
const headStartMs = 500;

/** All programs run all the time; one at a time is loaded, every second round in the opposite order. */
export async function measure(
  programs: readonly Program[],
  loads: readonly Load[],
  options: Options,
): Promise<Measured> {
  const [series, failures, notes]: [Series[], string[], string[]] = [[], [], []];
  /** Whether `work` went well; keeps what went wrong. */
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
    const turns: { series: Series; before: Before }[] = [];
    for (const program of programs) {
      await attempt(load, program, async () => {
        const before = await prepare(load, program, options);
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
      await attempt(load, series.program, () => checkAfterwards(series, before, options));
    }
  }
  return { series, failures, notes };
}

/** What is known of a program before a load. */
interface Before {
  /** Of the answer of a load that asks for one list only. */
  readonly bytes?: number;
  readonly stored: number;
  /** So far. */
  readonly answered: { requests: number };
}

async function prepare(load: Load, program: Program, options: Options): Promise<Before> {
  const bytes = await checkAnswers(program, load, options.drafts);
  if (program.syncMs !== undefined) await checkSyncs(program, program.syncMs);
  const stored = (await program.stored?.()) ?? Number.NaN;
  const isList = load.requests.length === 1 && load.meanwhile === undefined;
  const before = { stored, answered: { requests: 0 }, ...(isList && { bytes }) };
  await runRound(load, program, before, { ...options, seconds: warmUpSeconds });
  return before;
}

/** Throws if a write is faster than a sync of its disk: then syncs are not delayed, or the write does not wait. */
async function checkSyncs(program: Program, ms: number): Promise<void> {
  const began = performance.now();
  await send(program, program.urls[0] ?? '', updateTitle(1, 'A title that takes as long as the disk'));
  const took = performance.now() - began;
  if (took < ms) throw new Error(`a write took ${took} ms beside syncs of ${ms} ms`);
}

async function checkAfterwards({ load, program }: Series, before: Before, options: Options): Promise<void> {
  const isCreate = load.requests.every(({ method }) => method === 'POST');
  const stored = (await program.stored?.()) ?? Number.NaN;
  if (isCreate && stored - before.stored < before.answered.requests) {
    throw new Error(`${before.answered.requests} creates were answered, ${stored - before.stored} notes are stored`);
  }
  await checkAnswers(program, load, options.drafts);
}

/** Throws when an answer was wrong. */
async function runRound(load: Load, program: Program, before: Before, options: Options): Promise<Round> {
  const { meanwhile } = load;
  const began = cpuSecondsOf(program.pids);
  const others = meanwhile === undefined ? undefined : sendMeanwhile(program, meanwhile, options);
  if (others !== undefined) await Bun.sleep(headStartMs);
  const result = await runOn(program, load, options);
  await others?.stop();
  const cpu = ((cpuSecondsOf(program.pids) - began) / result.requests) * 1e6;
  checkResult(result, before);
  before.answered.requests += result.requests;
  return { rate: result.requests / result.seconds, p50: result.p50, p99: result.p99, cpu };
}

function checkResult({ requests, bytes, refused, broken }: Result, before: Pick<Before, 'bytes'>): void {
  if (refused + broken > 0) throw new Error(`${refused} answers were errors, ${broken} connections failed`);
  if (requests === 0) throw new Error('nothing was answered in time');
  if (before.bytes !== undefined && bytes < requests * before.bytes) {
    throw new Error(`answers had ${Math.floor(bytes / requests)} bytes on average instead of ${before.bytes}`);
  }
}

/** Loads all instances at once, each with its share of the connections and requests. */
async function runOn(
  program: Program,
  load: Pick<Load, 'requests' | 'connections'>,
  { folder, seconds }: Pick<Options, 'folder' | 'seconds'>,
): Promise<Result> {
  const count = program.urls.length;
  const running = program.urls.map(async (url, n) => {
    const own = load.requests.length === 1 ? load.requests : load.requests.filter((_, index) => index % count === n);
    const file = join(folder, `${Bun.randomUUIDv7()}.requests`);
    await writeRequests(file, own.map(program.rewrite));
    const result = await runWrk({ url, requests: file, connections: load.connections / count, seconds });
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
function sendMeanwhile(program: Program, { requests, perSecond }: NonNullable<Load['meanwhile']>, options: Options) {
  if (perSecond !== undefined) return sendPaced(program, requests, perSecond);
  const running = runOn(program, { requests, connections: 64 }, { ...options, seconds: options.seconds + 1 });
  return { stop: async () => checkResult(await running, {}) };
}

/** Sends so many requests per second, whether or not earlier ones are answered. */
export function sendPaced(program: Program, requests: readonly Request[], perSecond: number) {
  const underWay = new Set<Promise<void>>();
  const [failures, latencies]: [string[], number[]] = [[], []];
  let sent = 0;
  const began = performance.now();
  const sendNext = () => {
    const request = requests[sent % requests.length];
    const url = program.urls[sent++ % program.urls.length] ?? '';
    if (request === undefined) throw new Error('There are no requests to send');
    const at = performance.now();
    const answer = send(program, url, request)
      .then(() => void latencies.push(performance.now() - at))
      .catch((error) => void failures.push(String(error)))
      .finally(() => underWay.delete(answer));
    underWay.add(answer);
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

/** A row for each load and program; the ratio is the median of the ratios of its rounds to those beside. */
export function loadTable(series: readonly Series[]): string {
  const head = ['Load', '', 'Program', 'Requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'Ratio', 'Rounds', 'To'];
  return table([head, ...series.filter(({ rounds }) => rounds.length > 0).map((one) => rowOf(one, series))]);
}

function rowOf(one: Series, series: readonly Series[]): string[] {
  const { load, program, rounds } = one;
  const middle = (of: (round: Round) => number) => median(rounds.map(of));
  const rate = middle((round) => round.rate);
  const figures = [
    load.name,
    load.title,
    program.name,
    decimal(rate, rate < 1_000 ? 1 : 0),
    decimal(
      middle(({ p50 }) => p50),
      1,
    ),
    decimal(
      middle(({ p99 }) => p99),
      1,
    ),
    decimal(
      middle(({ cpu }) => cpu),
      1,
    ),
  ];
  const other = series.find((some) => some.load === load && some.program.name === program.comparedWith);
  if (other === undefined) return figures;
  const ratios = rounds.map((round, n) => round.rate / (other.rounds[n]?.rate ?? Number.NaN));
  const range = `${decimal(Math.min(...ratios), 2)} … ${decimal(Math.max(...ratios), 2)}`;
  return [...figures, decimal(median(ratios), 2), range, other.program.name];
}
