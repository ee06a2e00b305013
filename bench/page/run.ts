/**
 * The page with 10,000 notes, and with 100,000, in a real browser, against its budget:
 * `bun bench/page/run.ts [--rounds 5]`. Prints the figures, writes them to bench/PAGE.md, and exits with 1 when a
 * bar is missed.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import type { Note } from '../../src/core/note.ts';
import { removeShellPrompts } from '../../src/core/text/shell-prompts.ts';
import { openBrowser } from '../../test/support/browser.ts';
import { corpus } from '../../test/support/data/corpus.ts';
import { draft, notesIn, type Service, startService, temporaryFolder } from '../../test/support/service.ts';
import { describeMachine } from '../tools/machine.ts';
import { createStore } from '../tools/notes.ts';
import { decimal, type Figure, figureTable, isMet, median, quantile } from '../tools/table.ts';
import { longestOpeningMs } from './long-note.ts';
import { firstNoteMs, heapMegabytes, keyToPaint, longestTask, markFirstNote, scrollFrames } from './probes.ts';
import { sizesOfPage } from './sizes.ts';
import { kilobytesBesideWriter } from './transfer.ts';

const count = 10_000;
const manyCount = 100_000;
const viewport = { width: 1440, height: 900 };
/** Words, code, and one that is mistyped. */
const typed = ['undo the last commit', 'centre a div', '--no-cache', 'backup databse', 'host 10.0'];

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error('--rounds must be a number of at least 1');

const print = (text: string) => console.error(text);
const figures = await measureAll();
const text = report(figures);
console.log(text);
await Bun.write(join(import.meta.dir, '..', 'PAGE.md'), text);
process.exitCode = figures.every(isMet) ? 0 : 1;

async function measureAll(): Promise<Figure[]> {
  using folder = temporaryFolder();
  const browser = await openBrowser();
  try {
    await using service = await startFilled(join(folder.path, 'notes.db'), count);
    await using larger = await startFilled(join(folder.path, 'many.db'), manyCount);
    return [
      ...(await sizesOfPage()),
      await measureFloor(browser),
      await measureFirstNote(browser, service, 150),
      await measureSecondVisit(browser, service, 80),
      ...(await measureUse(browser, service, 1)),
      ...(await measureUse(browser, service, 4)),
      await measureMoves(browser, service),
      await measureLongNote(browser),
      ...(await measureFinding(browser, service)),
      ...(await measureMany(browser, larger)),
    ];
  } finally {
    await browser.close();
  }
}

async function startFilled(path: string, count: number): Promise<Service> {
  print(`Storing ${decimal(count)} notes`);
  const drafts = corpus(count);
  await createStore(path, count, (index) => drafts[index] ?? draft());
  return startService({ DATABASE_URL: `sqlite:${path}` });
}

/** The least that any page takes here: a document with one note in it. */
async function measureFloor(browser: Browser): Promise<Figure> {
  const html = '<!doctype html><body><script>document.body.innerHTML = "<p data-row>A note"</script>';
  const server = Bun.serve({ port: 0, fetch: () => new Response(html, { headers: { 'Content-Type': 'text/html' } }) });
  try {
    return { ...(await measureFirstNote(browser, { url: server.url.href })), name: 'one note in a document, median' };
  } finally {
    await server.stop(true);
  }
}

/** In new windows, which have nothing in their caches. */
async function measureFirstNote(browser: Browser, service: Pick<Service, 'url'>, bar?: number): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    print(`First note, round ${round}`);
    await using context = await browser.newContext({ viewport });
    await markFirstNote(context);
    const page = await context.newPage();
    await page.goto(service.url);
    times.push(await firstNoteMs(page));
  }
  return { name: 'first note painted, median', value: median(times.slice(1)), unit: 'ms', ...(bar && { bar }) };
}

/** In a window whose browser has kept the list and the files of the page. */
async function measureSecondVisit(browser: Browser, service: Service, bar: number): Promise<Figure> {
  await using context = await browser.newContext({ viewport });
  await markFirstNote(context);
  const first = await context.newPage();
  await first.goto(service.url);
  await first.waitForFunction(() => Object.keys(localStorage).some((key) => key.startsWith('notes.list:')));
  await first.evaluate(async () => void (await navigator.serviceWorker.ready));
  await first.close();
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    print(`Second visit, round ${round}`);
    const page = await context.newPage();
    await page.goto(service.url);
    times.push(await firstNoteMs(page));
    await page.close();
  }
  return { name: 'first note painted at the second visit, median', value: median(times), unit: 'ms', bar };
}

/** What is held after a thousand rows have been under the cursor, with a note open. */
async function measureMoves(browser: Browser, service: Service): Promise<Figure> {
  print('1,000 moves');
  await using context = await browser.newContext({ viewport });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await page.goto(service.url);
  await page.locator('[data-row]').first().focus();
  for (let move = 0; move < 1_000; move++) await page.keyboard.press('ArrowDown');
  return { name: 'heap after 1,000 moves', value: await heapMegabytes(session), unit: 'MB', bar: 30, digits: 1 };
}

async function measureLongNote(browser: Browser): Promise<Figure> {
  print('Notes of 1 MB');
  const value = await longestOpeningMs(browser, rounds);
  return { name: 'click to text of a note of one line of 1 MB, longest', value, unit: 'ms', bar: 200 };
}

async function measureMany(browser: Browser, service: Service): Promise<Figure[]> {
  const figures = [
    await measureFirstNote(browser, service, 1_000),
    await measureSecondVisit(browser, service, 200),
    ...(await measureTyping(browser, service)),
    await measureBesideWriter(browser, service),
  ];
  return figures.map((figure) => ({ ...figure, name: `${decimal(manyCount)} notes: ${figure.name}` }));
}

async function measureBesideWriter(browser: Browser, service: Service): Promise<Figure> {
  print('20 s beside one writer');
  const value = await kilobytesBesideWriter(browser, service);
  return { name: 'transferred in 20 s beside one writer', value, unit: 'KB', bar: 200 };
}

async function measureTyping(browser: Browser, service: Service): Promise<Figure[]> {
  print(`Keys, with ${decimal(manyCount)} notes`);
  await using context = await browser.newContext({ viewport });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await page.goto(service.url);
  await page.locator('#count', { hasText: /\d/ }).waitFor();
  const keys = await keyToPaint(page, typed);
  return [keyFigure(keys, 50), { name: 'heap', value: await heapMegabytes(session), unit: 'MB', bar: 120, digits: 1 }];
}

/** A function, as the run begins above. */
function keyFigure(keys: readonly number[], bar: number): Figure {
  const name = `key to paint, p95 of ${decimal(keys.length)}`;
  return { name, value: quantile(keys, 0.95), unit: 'ms', bar, digits: 1 };
}

/** Keys, frames and memory, with a CPU that is `slowdown` times as slow. */
async function measureUse(browser: Browser, service: Service, slowdown: number): Promise<Figure[]> {
  print(`Keys, with ${slowdown} x slower CPU`);
  await using context = await browser.newContext({ viewport });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await page.goto(service.url);
  await page.locator('[data-row]').first().waitFor();
  await page.waitForTimeout(1_000);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  const keys = await keyToPaint(page, Array.from({ length: rounds }, () => typed).flat());
  const figure = keyFigure(keys, slowdown === 1 ? 16 : 100);
  if (slowdown !== 1) return [{ ...figure, name: `${figure.name}, CPU ${slowdown} x slower` }];
  const long = await longestTask(page);
  const frames = await scrollFrames(page, 60 * rounds);
  return [
    figure,
    { name: 'longest task while typing', value: long, unit: 'ms', bar: 50 },
    {
      name: `frame while scrolling, p95 of ${decimal(frames.length)}`,
      value: quantile(frames, 0.95),
      unit: 'ms',
      bar: 17,
      digits: 1,
    },
    { name: 'heap after all that', value: await heapMegabytes(session), unit: 'MB', bar: 30, digits: 1 },
  ];
}

/** From nothing to a known command in the clipboard: open the page, type words of it, press Enter. */
async function measureFinding(browser: Browser, service: Service): Promise<Figure[]> {
  const notes = await notesIn(fetch(`${service.url}/api/notes?category=bash-commands`));
  const isKnown = ({ title, content }: Note) =>
    !content.includes('{{') && notes.filter((other) => other.title.includes(title)).length === 1;
  const wanted = notes
    .filter((_, index) => index % 30 === 0)
    .filter(isKnown)
    .slice(0, rounds);
  const times: number[] = [];
  for (const note of wanted) {
    print(`Finding “${note.title}”`);
    times.push(await findAndCopy(browser, service, note));
  }
  const name = 'open, type the words, Enter: in the clipboard';
  return [
    { name: `${name}, median`, value: median(times), unit: 'ms', bar: 1_200 },
    { name: `${name}, longest`, value: Math.max(...times), unit: 'ms' },
  ];
}

/** Types the whole title as fast as a quick typist, and checks that what runs of the note can be pasted. */
async function findAndCopy(browser: Browser, service: Service, note: Note): Promise<number> {
  await using context = await browser.newContext({ viewport, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  const started = performance.now();
  await page.goto(service.url);
  await page.keyboard.type(note.title, { delay: 10 });
  await page.keyboard.press('Enter');
  await page.getByText('Copied').first().waitFor();
  const ms = performance.now() - started;
  await expectPasted(page, note);
  return ms;
}

async function expectPasted(page: Page, { title, content }: Note): Promise<void> {
  const pasted = await page.evaluate(() => navigator.clipboard.readText());
  if (pasted !== removeShellPrompts(content))
    throw new Error(`Another note than “${title}” was copied: ${pasted.slice(0, 200)}`);
}

function report(figures: readonly Figure[]): string {
  return `# The page: last run

${new Date().toISOString().slice(0, 10)}, ${describeMachine()}. \`bun bench/page/run.ts\` writes this page.

${decimal(count)} notes of about 500 bytes, headless Chromium at ${viewport.width} x ${viewport.height}, browser and service on the same
cores, ${rounds} rounds.

${figureTable(figures)}
`;
}
