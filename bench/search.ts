/**
 * The search over HTTP: 10,000 notes, and 1,000,000 short ones. Prints figures with their bars and exits with 1 when
 * one is missed. `bun bench/search.ts [notes]`
 */
import { join } from 'node:path';
import { createDiskFolder, readResidentMegabytesOrNaN } from './tools/machine.ts';
import { createDrafts, createStoreWithNotes, smallListPath } from './tools/notes.ts';
import { currentVersion, type Program, startServiceInstances } from './tools/programs.ts';
import { createTitleUpdateRequest, sendAndReadTextOrThrow } from './tools/requests.ts';
import { type Figure, formatDecimal, formatFigureTable, getQuantile, isBarMet } from './tools/table.ts';

const many = Number(process.argv[2] ?? 1_000_000);
const turns = 100;
const probeMs = 3_000;
const barMs = 50;

/** Words of many notes, a piece of code of few, a word with a mistake. */
const queries = { words: 'the file', code: 'const found = items', mistyped: 'bakcup' };

const folder = createDiskFolder();
const figures = [...(await measureSearchesWithFewNotes()), ...(await measureSearchesWithManyNotes())];
console.log(formatFigureTable(figures));
process.exit(figures.every(isBarMet) ? 0 : 1);

async function measureSearchesWithFewNotes(): Promise<Figure[]> {
  const drafts = createDrafts(10_000);
  const service = await startProgramWithNotes(
    'few',
    drafts.length,
    (index) => drafts[index] ?? createShortDraft(index),
  );
  const cold = await measureMs(() => searchOrThrowIfNothingFound(service, queries.words));
  const figures: Figure[] = [{ name: 'first search of 10,000 notes', value: cold, unit: 'ms' }];
  for (const [kind, query] of Object.entries(queries)) {
    const times = await measureRepeatedly(() => searchOrThrowIfNothingFound(service, query));
    const afterWrites = await measureRepeatedly(
      () => searchOrThrowIfNothingFound(service, query),
      (turn) => sendAndReadTextOrThrow(service, service.urls[0] ?? '', createTitleUpdateRequest(1, `Turn ${turn}`)),
    );
    figures.push(
      ...createQuantileFigures(kind, times),
      ...createQuantileFigures(`${kind}, after a write each`, afterWrites),
    );
  }
  const alone = await measureRequestTimesDuring(service, smallListPath, Bun.sleep(probeMs));
  const beside = await measureRequestTimesDuring(service, smallListPath, searchConcurrentlyForProbe(service, 8));
  return [
    ...figures,
    { name: 'list of 20, p99 alone', value: getQuantile(alone, 0.99), unit: 'ms', digits: 1 },
    {
      name: 'list of 20, p99 beside 8 who search',
      value: getQuantile(beside, 0.99),
      unit: 'ms',
      bar: barMs,
      digits: 1,
    },
  ];
}

async function measureSearchesWithManyNotes(): Promise<Figure[]> {
  const service = await startProgramWithNotes('many', many, createShortDraft);
  const [pid = 0] = service.pids;
  const before = readResidentMegabytesOrNaN(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, readResidentMegabytesOrNaN(pid));
  }, 50);
  const emptyList = '/api/notes?category=css';
  const alone = await measureRequestTimesDuring(service, emptyList, Bun.sleep(probeMs));
  let seconds = 0;
  const searching = async () => {
    seconds = (await measureMs(() => searchOrThrowIfNothingFound(service, 'note 77777'))) / 1_000;
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        searchOrThrowIfNothingFound(service, n % 2 === 0 ? `sentence ${n}` : 'sentnece'),
      ),
    );
  };
  const beside = await measureRequestTimesDuring(service, emptyList, searching());
  clearInterval(timer);
  const count = formatDecimal(many);
  return [
    { name: `one search of ${count} notes`, value: seconds, unit: 's', digits: 1 },
    { name: `resident memory with ${count} notes`, value: before, unit: 'MB' },
    { name: 'at most while 9 searches ran', value: most, unit: 'MB', bar: 400 },
    { name: 'empty list, p99 alone', value: getQuantile(alone, 0.99), unit: 'ms', digits: 1 },
    { name: 'empty list, p99 beside them', value: getQuantile(beside, 0.99), unit: 'ms', bar: barMs, digits: 1 },
  ];
}

function createShortDraft(index: number) {
  const named = { title: `Note ${index + 1}`, content: 'A sentence of some words' };
  return { ...named, category: 'notes', group: 'first', color: 'info' } as const;
}

async function startProgramWithNotes(
  name: string,
  count: number,
  draftAt: Parameters<typeof createStoreWithNotes>[2],
): Promise<Program> {
  const path = join(folder, `${name}.db`);
  await createStoreWithNotes(path, count, draftAt);
  return startServiceInstances(currentVersion, { name, database: `sqlite:${path}` });
}

/** Throws unless something is found. */
async function searchOrThrowIfNothingFound(service: Program, query: string): Promise<void> {
  const path = `/api/search?${new URLSearchParams({ q: query })}`;
  const found = await sendAndReadTextOrThrow(service, service.urls[0] ?? '', { method: 'GET', path, body: '' });
  if (!found.includes('"id":')) throw new Error(`“${query}” was not found: ${found}`);
}

/** Clients that search one after the other, for as long as a probe takes. */
async function searchConcurrentlyForProbe(service: Program, clients: number): Promise<void> {
  const end = performance.now() + probeMs;
  const one = async () => {
    while (performance.now() < end) await searchOrThrowIfNothingFound(service, queries.words);
  };
  await Promise.all(Array.from({ length: clients }, one));
}

async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function measureRepeatedly(
  work: () => Promise<void>,
  prepare: (turn: number) => Promise<unknown> = async () => {},
) {
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    await prepare(turn);
    times.push(await measureMs(work));
  }
  return times;
}

/** The times of sequential requests until `work` has ended, in ms. */
async function measureRequestTimesDuring(service: Program, path: string, work: Promise<void>): Promise<number[]> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) {
    times.push(
      await measureMs(() => sendAndReadTextOrThrow(service, service.urls[0] ?? '', { method: 'GET', path, body: '' })),
    );
    await Bun.sleep(1);
  }
  await ended;
  return times;
}

function createQuantileFigures(name: string, times: readonly number[]): Figure[] {
  return [
    { name: `${name}, p50`, value: getQuantile(times, 0.5), unit: 'ms', digits: 1 },
    { name: `${name}, p99`, value: getQuantile(times, 0.99), unit: 'ms', bar: barMs, digits: 1 },
  ];
}
