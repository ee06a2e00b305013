/**
 * The search over HTTP: 10,000 notes, and 1,000,000 short ones. Prints figures with their bars and exits 1 when one is
 * missed. `bun bench/search.ts [notes]`
 */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { openSqlite } from '../src/store/sqlite/open.ts';
import { jsonBody, type Service, startService, temporaryFolder } from '../test/support/service.ts';
import { residentMemory } from './machine/machine.ts';
import { smallListPath } from './notes/corpus.ts';
import { createStore } from './notes/stores.ts';
import { table } from './output/table.ts';

const many = Number(process.argv[2] ?? 1_000_000);
const rounds = 100;
const probeMs = 3_000;

/** Words of many notes, a piece of code of few, a word with a mistake. */
const queries = { words: 'the file', code: 'const options = {', mistyped: 'docuemntation' };

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: 'ms' | 'MB' | 's' | 'x';
  /** What it must not exceed. */
  readonly bar?: number;
}

const figures = [...(await measureFew()), ...(await measureMany())];
const shown = ({ value, unit }: Pick<Figure, 'value' | 'unit'>) => `${value.toFixed(unit === 'MB' ? 0 : 1)} ${unit}`;
console.log(
  table([
    ['Figure', 'Value', 'Bar', 'Met'],
    ...figures.map(({ name, value, unit, bar }) => {
      if (bar === undefined) return [name, shown({ value, unit }), '', ''];
      return [name, shown({ value, unit }), shown({ value: bar, unit }), value <= bar ? 'yes' : 'NO'];
    }),
  ]),
);
process.exitCode = figures.every(({ value, bar = value }) => value <= bar) ? 0 : 1;

async function measureFew(): Promise<Figure[]> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  await createStore(path, 10_000);
  await using service = await startService({ DATABASE_URL: `sqlite:${path}` });
  const cold = await timed(() => search(service, queries.words));
  const figures: Figure[] = [{ name: 'first search of 10,000 notes', value: cold, unit: 'ms' }];
  for (const [kind, query] of Object.entries(queries)) {
    const times = await repeated(() => search(service, query));
    const written = await repeated(
      () => search(service, query),
      (turn) => change(service, turn),
    );
    figures.push(...quantiles(`${kind}`, times), ...quantiles(`${kind}, after a write each`, written));
  }
  const list = smallListPath;
  const alone = await probe(service, list, Bun.sleep(probeMs));
  const beside = await probe(service, list, searchesOf(service, 8, probeMs));
  const [before, during] = [quantile(alone, 0.99), quantile(beside, 0.99)];
  return [
    ...figures,
    { name: 'list of 20, p99 alone', value: before, unit: 'ms' },
    { name: 'list of 20, p99 beside 8 who search', value: during, unit: 'ms', bar: 50 },
    { name: 'ratio of the two', value: during / before, unit: 'x' },
  ];
}

async function measureMany(): Promise<Figure[]> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  await fillShort(path);
  await using service = await startService({ DATABASE_URL: `sqlite:${path}` });
  const count = many.toLocaleString('en');
  const before = memoryOf(service);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, memoryOf(service));
  }, 50);
  const list = '/api/notes?category=css';
  const alone = await probe(service, list, Bun.sleep(probeMs));
  let seconds = 0;
  const searching = async () => {
    seconds = (await timed(() => search(service, 'note 77777'))) / 1000;
    await Promise.all(Array.from({ length: 8 }, (_, n) => search(service, n % 2 === 0 ? `sentence ${n}` : 'sentnece')));
  };
  const beside = await probe(service, list, searching());
  clearInterval(timer);
  return [
    { name: `one search of ${count} notes`, value: seconds, unit: 's' },
    { name: `resident memory with ${count} notes, before`, value: before, unit: 'MB' },
    { name: 'most while 9 searches ran', value: most, unit: 'MB', bar: 400 },
    { name: 'empty list, p99 alone', value: quantile(alone, 0.99), unit: 'ms' },
    { name: 'empty list, p99 beside the searches', value: quantile(beside, 0.99), unit: 'ms', bar: 50 },
  ];
}

async function fillShort(path: string): Promise<void> {
  await (await openSqlite({ path }))[Symbol.asyncDispose]();
  using db = new Database(path);
  db.run(
    `WITH RECURSIVE series (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < ${many})
     INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
     SELECT 'Note ' || value, 'A sentence of some words', 'notes', 'first', 'info', 1767225600000, 1767225600000 + value
     FROM series`,
  );
}

async function change({ url }: Service, turn: number): Promise<void> {
  const answer = await fetch(`${url}/api/notes/1`, jsonBody({ id: 1, title: `Turn ${turn}` }, 'PUT'));
  await answer.text();
}

async function search({ url }: Service, query: string): Promise<void> {
  const answer = await fetch(`${url}/api/search?${new URLSearchParams({ q: query })}`);
  await answer.text();
  if (answer.status !== 200) throw new Error(`A search was answered ${answer.status}`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function repeated(work: () => Promise<void>, prepare = async (_: number) => {}): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < rounds; turn++) {
    await prepare(turn);
    times.push(await timed(work));
  }
  return times;
}

/** Concurrent clients that search sequentially for `ms`. */
async function searchesOf(service: Service, clients: number, ms: number): Promise<void> {
  const end = performance.now() + ms;
  const one = async () => {
    while (performance.now() < end) await search(service, queries.words);
  };
  await Promise.all(Array.from({ length: clients }, one));
}

/** The response times of sequential requests until `work` has ended, in ms. */
async function probe({ url }: Service, path: string, work: Promise<void>): Promise<number[]> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) {
    times.push(await timed(async () => void (await (await fetch(url + path)).text())));
    await Bun.sleep(1);
  }
  await ended;
  return times;
}

function memoryOf({ process: { pid } }: Service): number {
  const memory = residentMemory(pid);
  return typeof memory === 'number' ? memory : Number.NaN;
}

function quantiles(name: string, times: readonly number[]): Figure[] {
  return [
    { name: `${name}: p50`, value: quantile(times, 0.5), unit: 'ms' },
    { name: `${name}: p99`, value: quantile(times, 0.99), unit: 'ms', bar: 50 },
  ];
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
