/**
 * The page with 10,000 notes, and with 100,000, in a real browser, against its budget:
 * `bun bench/page/run.ts [--rounds 5] [--texts 5] [--quick]`. Prints the figures, and exits with 1 when a bar is
 * missed. A run of at least three rounds over all texts also writes them to bench/PAGE.md. `--quick` measures only what
 * has a floor.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../../test/support/browser.ts';
import { createCorpus } from '../../test/support/data/corpus.ts';
import { createDraft } from '../../test/support/sample-notes.ts';
import { createTemporaryFolder, type Service, startService } from '../../test/support/service.ts';
import { describeMachine } from '../tools/machine.ts';
import { createStoreWithNotes } from '../tools/notes.ts';
import { type Figure, formatDecimal, formatFigureTable, getMedian, getQuantile, isBarMet } from '../tools/table.ts';
import { findKnownCommands, measureFindAndCopyMs, measureFloorVisitToCopyMs } from './find-and-copy.ts';
import { startFloor } from './floor-page.ts';
import { createRatioFigures, type Round } from './floor-ratio.ts';
import { measureKeyTimesMs } from './key-times.ts';
import { measureLongestOpeningMs } from './long-note.ts';
import {
  collectAndMeasureHeapMegabytes,
  readLongestTaskMs,
  scrollAndMeasureFramesMs,
  startRecordingLongestTask,
} from './probes.ts';
import { measurePageSizes } from './sizes.ts';
import { type Address, viewport } from './stage.ts';
import { measureKilobytesBesideWriter } from './transfer.ts';
import { measureTypingSession, openAndLearnLists, openSettled, type TypingSession, typedTexts } from './typing.ts';
import { measureFirstVisitMs, measureSecondVisitMs, prepareSecondVisits } from './visits.ts';

const count = 10_000;
const manyCount = 100_000;
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    texts: { type: 'string', default: String(typedTexts.length) },
    quick: { type: 'boolean', default: false },
  },
});
const rounds = parseCount('--rounds', values.rounds);
const texts = typedTexts.slice(0, parseCount('--texts', values.texts));
const isStored = rounds >= 3 && texts.length === typedTexts.length && !values.quick;

const printProgress = (text: string) => console.error(text);
const figures = await measureAll();
const text = formatReport(figures);
console.log(text);
if (isStored) await Bun.write(join(import.meta.dir, '..', 'PAGE.md'), text);
process.exitCode = figures.every(isBarMet) ? 0 : 1;

/** Throws unless the text is a number of at least 1. */
function parseCount(option: string, text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw new Error(`${option} must be a number of at least 1`);
  return count;
}

async function measureAll(): Promise<Figure[]> {
  using folder = createTemporaryFolder();
  const browser = await openBrowser();
  try {
    await using service = await startServiceWithNotes(join(folder.path, 'notes.db'), count);
    const besideFloor = await measurePageBesideFloor(browser, service);
    if (values.quick) return besideFloor;
    await using larger = await startServiceWithNotes(join(folder.path, 'many.db'), manyCount);
    return [
      ...(await measurePageSizes()),
      ...besideFloor,
      ...(await measureKeysFramesAndMemory(browser, service, 1)),
      ...(await measureKeysFramesAndMemory(browser, service, 4)),
      await measureHeapAfterMoves(browser, service),
      await measureLongNote(browser),
      ...(await measureWithManyNotes(browser, larger)),
    ];
  } finally {
    await browser.close();
  }
}

async function startServiceWithNotes(path: string, count: number): Promise<Service> {
  printProgress(`Storing ${formatDecimal(count)} notes`);
  const drafts = createCorpus(count);
  await createStoreWithNotes(path, count, (index) => drafts[index] ?? createDraft());
  return startService({ DATABASE_URL: `sqlite:${path}` });
}

/** What has a floor: page and floor take turns, in every round. */
async function measurePageBesideFloor(browser: Browser, service: Service): Promise<Figure[]> {
  await using floor = startFloor();
  return [
    ...(await measureVisits(browser, service, floor)),
    ...(await measureKeysBesideFloor(browser, service, floor)),
    ...(await measureFinding(browser, service, floor)),
  ];
}

async function measureVisits(browser: Browser, service: Service, floor: Address): Promise<Figure[]> {
  await using kept = await prepareSecondVisits(browser, service);
  const first: Round[] = [];
  const second: Round[] = [];
  await measureFirstVisitMs(browser, service); // the first one warms the service up
  for (let round = 1; round <= rounds; round++) {
    printProgress(`Visits, round ${round}`);
    const floorMs = await medianOfThree(() => measureFirstVisitMs(browser, floor));
    first.push({ page: await medianOfThree(() => measureFirstVisitMs(browser, service)), floor: floorMs });
    second.push({ page: await medianOfThree(() => measureSecondVisitMs(kept, service)), floor: floorMs });
  }
  return [
    ...createRatioFigures('first note at the first visit', first, 3),
    ...createRatioFigures('first note at the second visit', second, 2.5),
  ];
}

async function medianOfThree(measure: () => Promise<number>): Promise<number> {
  return getMedian([await measure(), await measure(), await measure()]);
}

async function measureKeysBesideFloor(browser: Browser, service: Service, floor: Address): Promise<Figure[]> {
  printProgress('Learning what the list shows');
  const lists = await openAndLearnLists(browser, service, texts);
  const floorLists = await openAndLearnLists(browser, floor, texts);
  const sessions: { page: TypingSession; floor: TypingSession }[] = [];
  for (let round = 1; round <= rounds; round++) {
    printProgress(`Keys, round ${round}`);
    sessions.push({
      floor: await measureTypingSession(browser, floor, floorLists, texts),
      page: await measureTypingSession(browser, service, lists, texts),
    });
  }
  const roundsOf = (name: keyof TypingSession) =>
    sessions.map(({ page, floor }) => ({ page: page[name], floor: floor[name] }));
  return [
    ...createRatioFigures('key to shown result, median', roundsOf('medianMs'), 2.5),
    ...createRatioFigures('key to shown result, p95', roundsOf('p95Ms'), 3),
    ...createRatioFigures('processor time of the main thread per key', roundsOf('cpuMsPerKey'), 3),
  ];
}

async function measureFinding(browser: Browser, service: Service, floor: Address): Promise<Figure[]> {
  const commands = await findKnownCommands(service, 3);
  const found: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    printProgress(`Finding ${commands.length} commands, round ${round}`);
    const floorTimes: number[] = [];
    const pageTimes: number[] = [];
    for (const note of commands) {
      floorTimes.push(await measureFloorVisitToCopyMs(browser, floor, note));
      pageTimes.push(await measureFindAndCopyMs(browser, service, note));
    }
    found.push({ page: getMedian(pageTimes), floor: getMedian(floorTimes) });
  }
  return createRatioFigures('open, type the words, Enter: in the clipboard', found, 1.8);
}

/** Keys, frames and memory, with a CPU that is `slowdown` times as slow. */
async function measureKeysFramesAndMemory(browser: Browser, service: Service, slowdown: number): Promise<Figure[]> {
  printProgress(`Keys, with ${slowdown} x slower CPU`);
  const lists = await openAndLearnLists(browser, service, texts);
  await using context = await browser.newContext({ viewport });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await openSettled(page, service.url);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await startRecordingLongestTask(page);
  const keys = await measureKeyTimesMs(page, Array.from({ length: rounds }, () => texts).flat(), lists);
  if (slowdown !== 1) return [createKeyFigure(keys, 100, `, CPU ${slowdown} x slower`)];
  const longest = await readLongestTaskMs(page);
  const frames = await scrollAndMeasureFramesMs(page, 60 * rounds);
  return [
    { name: 'longest task while typing', value: longest, unit: 'ms', bar: 50 },
    {
      name: `frame while scrolling, p95 of ${formatDecimal(frames.length)}`,
      value: getQuantile(frames, 0.95),
      unit: 'ms',
      bar: 17,
      digits: 1,
    },
    {
      name: 'heap after all that',
      value: await collectAndMeasureHeapMegabytes(session),
      unit: 'MB',
      bar: 30,
      digits: 1,
    },
  ];
}

function createKeyFigure(keys: readonly number[], bar: number, detail = ''): Figure {
  const name = `key to shown result, p95 of ${formatDecimal(keys.length)}${detail}`;
  return { name, value: getQuantile(keys, 0.95), unit: 'ms', bar, digits: 1 };
}

/** What is held after a thousand rows have been under the cursor, with a note open. */
async function measureHeapAfterMoves(browser: Browser, service: Service): Promise<Figure> {
  printProgress('1,000 moves');
  await using context = await browser.newContext({ viewport });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await page.goto(service.url);
  await page.locator('[data-row]').first().focus();
  for (let move = 0; move < 1_000; move++) await page.keyboard.press('ArrowDown');
  return {
    name: 'heap after 1,000 moves',
    value: await collectAndMeasureHeapMegabytes(session),
    unit: 'MB',
    bar: 30,
    digits: 1,
  };
}

async function measureLongNote(browser: Browser): Promise<Figure> {
  printProgress('Notes of 1 MB');
  const value = await measureLongestOpeningMs(browser, rounds);
  return { name: 'click to text of a note of one line of 1 MB, longest', value, unit: 'ms', bar: 200 };
}

async function measureWithManyNotes(browser: Browser, service: Service): Promise<Figure[]> {
  const first: number[] = [];
  const second: number[] = [];
  await using kept = await prepareSecondVisits(browser, service);
  for (let round = 1; round <= rounds; round++) {
    printProgress(`Visits with ${formatDecimal(manyCount)} notes, round ${round}`);
    first.push(await measureFirstVisitMs(browser, service));
    second.push(await measureSecondVisitMs(kept, service));
  }
  const figures: Figure[] = [
    { name: 'first note at the first visit, median', value: getMedian(first), unit: 'ms', bar: 1_000 },
    { name: 'first note at the second visit, median', value: getMedian(second), unit: 'ms', bar: 200 },
    ...(await measureTypingInMany(browser, service)),
    await measureBesideWriter(browser, service),
  ];
  return figures.map((figure) => ({ ...figure, name: `${formatDecimal(manyCount)} notes: ${figure.name}` }));
}

async function measureTypingInMany(browser: Browser, service: Service): Promise<Figure[]> {
  printProgress(`Keys, with ${formatDecimal(manyCount)} notes`);
  const lists = await openAndLearnLists(browser, service, texts);
  await using context = await browser.newContext({ viewport });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await openSettled(page, service.url);
  const keys = await measureKeyTimesMs(page, texts, lists);
  return [
    createKeyFigure(keys, 50),
    { name: 'heap', value: await collectAndMeasureHeapMegabytes(session), unit: 'MB', bar: 120, digits: 1 },
  ];
}

async function measureBesideWriter(browser: Browser, service: Service): Promise<Figure> {
  printProgress('20 s beside one writer');
  const value = await measureKilobytesBesideWriter(browser, service);
  return { name: 'transferred in 20 s beside one writer', value, unit: 'KB', bar: 200 };
}

function formatReport(figures: readonly Figure[]): string {
  return `# The page: last run

${new Date().toISOString().slice(0, 10)}, ${describeMachine()}, ${rounds} rounds.

${formatFigureTable(figures)}

${formatExplanation()}`;
}

function formatExplanation(): string {
  return `Browser and service run on the same cores, in headless Chromium at ${viewport.width} x ${viewport.height}, with
${formatDecimal(count)} notes of about 500 bytes unless a row says otherwise.

## How to print it again

\`npx bun bench/page/run.ts\` measures everything in five rounds and writes this page. \`--quick\` measures only what has a
floor, \`--rounds\` sets the number of rounds, and \`--texts 1\` types one text instead of five. A run of fewer than three
rounds, of fewer texts or with \`--quick\` prints its figures and writes nothing. Use a machine that does nothing else.

## What the figures are

- **The floor** is a plain document with one note, a plain input and twelve rows, served beside the page
  ([floor-page.ts](page/floor-page.ts)). It is the least that any page takes here. In each round, page and floor are
  measured in turns.
- **To the floor** is the median of the ratios of the rounds: what slows the machine down for a while slows both down. The
  rows below it are the medians in ms of which it consists. If the slowest floor of a run took more than one and a half times
  as long as the quickest, the machine was busy with something else: the row says so, and no bar is held against it.
- **First note** is the time from the beginning of a navigation to the first task after the frame that shows the first row.
  The first visit has nothing in its caches, the second one has the files and the list of the first. A round has three
  visits of each kind, and their median counts.
- **Key to shown result** is the time from the event of a key to the first task after the frame in which the list shows the
  result for the text: the count, and the first twelve rows. What the list will show for each text is learned in a page of
  its own before, so it does not matter whether the main thread or a worker finds it. Five texts are typed and taken away
  letter by letter. The first five keys of a session do not count, nor do those that leave the list as it was. A key that
  is overtaken by later ones counts to the frame that shows the list of one of those.
- **Processor time of the main thread per key** is what all tasks of the page's main thread have spent on a processor during
  such a session, from a trace, divided by the number of keys. What other processes take is not in it.
- **Open, type the words, Enter** is the time from the beginning of a navigation until the page says that it has copied a
  note whose whole title was typed at once. A round has the same three commands, and their median counts. The floor copies
  what was typed.
`;
}
