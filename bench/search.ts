/**
 * The search over HTTP: 10,000 notes, and 1,000,000 short ones. Prints figures with their bars and exits with 1 when
 * one is missed. `bun bench/search.ts [notes]`
 */
import { join } from 'node:path';
import { createDiskFolder, residentMegabytes } from './tools/machine.ts';
import { createStore, makeDrafts, smallListPath } from './tools/notes.ts';
import { now, type Program, startService } from './tools/programs.ts';
import { send, updateTitle } from './tools/requests.ts';
import { decimal, type Figure, figureTable, isMet, quantile } from './tools/table.ts';

const many = Number(process.argv[2] ?? 1_000_000);
const turns = 100;
const probeMs = 3_000;
const barMs = 50;

/** Words of many notes, a piece of code of few, a word with a mistake. */
const queries = { words: 'the file', code: 'const found = items', mistyped: 'bakcup' };

const folder = createDiskFolder();
const figures = [...(await measureFew()), ...(await measureMany())];
console.log(figureTable(figures));
process.exit(figures.every(isMet) ? 0 : 1);

async function measureFew(): Promise<Figure[]> {
  const drafts = makeDrafts(10_000);
  const service = await startOn('few', drafts.length, (index) => drafts[index] ?? short(index));
  const cold = await timed(() => search(service, queries.words));
  const figures: Figure[] = [{ name: 'first search of 10,000 notes', value: cold, unit: 'ms' }];
  for (const [kind, query] of Object.entries(queries)) {
    const times = await repeated(() => search(service, query));
    const afterWrites = await repeated(
      () => search(service, query),
      (turn) => send(service, service.urls[0] ?? '', updateTitle(1, `Turn ${turn}`)),
    );
    figures.push(...quantiles(kind, times), ...quantiles(`${kind}, after a write each`, afterWrites));
  }
  const alone = await probe(service, smallListPath, Bun.sleep(probeMs));
  const beside = await probe(service, smallListPath, searches(service, 8));
  return [
    ...figures,
    { name: 'list of 20, p99 alone', value: quantile(alone, 0.99), unit: 'ms', digits: 1 },
    { name: 'list of 20, p99 beside 8 who search', value: quantile(beside, 0.99), unit: 'ms', bar: barMs, digits: 1 },
  ];
}

async function measureMany(): Promise<Figure[]> {
  const service = await startOn('many', many, short);
  const [pid = 0] = service.pids;
  const before = residentMegabytes(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentMegabytes(pid));
  }, 50);
  const emptyList = '/api/notes?category=css';
  const alone = await probe(service, emptyList, Bun.sleep(probeMs));
  let seconds = 0;
  const searching = async () => {
    seconds = (await timed(() => search(service, 'note 77777'))) / 1_000;
    await Promise.all(Array.from({ length: 8 }, (_, n) => search(service, n % 2 === 0 ? `sentence ${n}` : 'sentnece')));
  };
  const beside = await probe(service, emptyList, searching());
  clearInterval(timer);
  const count = decimal(many);
  return [
    { name: `one search of ${count} notes`, value: seconds, unit: 's', digits: 1 },
    { name: `resident memory with ${count} notes`, value: before, unit: 'MB' },
    { name: 'at most while 9 searches ran', value: most, unit: 'MB', bar: 400 },
    { name: 'empty list, p99 alone', value: quantile(alone, 0.99), unit: 'ms', digits: 1 },
    { name: 'empty list, p99 beside them', value: quantile(beside, 0.99), unit: 'ms', bar: barMs, digits: 1 },
  ];
}

function short(index: number) {
  const named = { title: `Note ${index + 1}`, content: 'A sentence of some words' };
  return { ...named, category: 'notes', group: 'first', color: 'info' } as const;
}

async function startOn(name: string, count: number, draftAt: Parameters<typeof createStore>[2]): Promise<Program> {
  const path = join(folder, `${name}.db`);
  await createStore(path, count, draftAt);
  return startService(now, { name, database: `sqlite:${path}` });
}

/** Throws unless something is found. */
async function search(service: Program, query: string): Promise<void> {
  const path = `/api/search?${new URLSearchParams({ q: query })}`;
  const found = await send(service, service.urls[0] ?? '', { method: 'GET', path, body: '' });
  if (!found.includes('"id":')) throw new Error(`“${query}” was not found: ${found}`);
}

/** Clients that search one after the other, for as long as a probe takes. */
async function searches(service: Program, clients: number): Promise<void> {
  const end = performance.now() + probeMs;
  const one = async () => {
    while (performance.now() < end) await search(service, queries.words);
  };
  await Promise.all(Array.from({ length: clients }, one));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function repeated(work: () => Promise<void>, prepare: (turn: number) => Promise<unknown> = async () => {}) {
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    await prepare(turn);
    times.push(await timed(work));
  }
  return times;
}

/** The times of sequential requests until `work` has ended, in ms. */
async function probe(service: Program, path: string, work: Promise<void>): Promise<number[]> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) {
    times.push(await timed(() => send(service, service.urls[0] ?? '', { method: 'GET', path, body: '' })));
    await Bun.sleep(1);
  }
  await ended;
  return times;
}

function quantiles(name: string, times: readonly number[]): Figure[] {
  return [
    { name: `${name}, p50`, value: quantile(times, 0.5), unit: 'ms', digits: 1 },
    { name: `${name}, p99`, value: quantile(times, 0.99), unit: 'ms', bar: barMs, digits: 1 },
  ];
}
