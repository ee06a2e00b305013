/** The browser caches the list: the next visit shows it before the service answers, and then adds later changes. */
import { expect, test } from 'bun:test';
import type { BrowserContext, Page } from 'playwright-core';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft, createPortableNote } from '../support/sample-notes.ts';
import { createJsonRequest, readNoteBody, type Service, startService } from '../support/service.ts';
import { addNotes, leaveSearch, row, titles, useStage } from './visit.ts';

const stage = useStage();
const api = '**/api/**';
const failedLoad = /Failed to load resource/;

/** Waits until the cached list of a page has a note with this title at the top. */
const untilKept = async (page: Page, title: string) =>
  expect(await isEventuallyTrue(async () => (await keptTitles(page)).includes(title))).toBe(true);

const keptTitles = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const name = `notes.list:${location.pathname}`;
    if (localStorage.getItem(name) === null) return [];
    const answer = <Value>(request: IDBRequest<Value>) =>
      new Promise<Value>((resolve) => {
        request.onsuccess = () => resolve(request.result);
      });
    const database = await answer(indexedDB.open(name));
    const head = await answer(database.transaction(name).objectStore(name).get('head'));
    database.close();
    return head.first.map((note: { title: string }) => note.title);
  });

/** Holds back API requests until the returned function is called. */
async function hold(context: BrowserContext, held = api): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await context.route(held, async (route) => {
    await gate.promise;
    await route.continue().catch(() => {}); // the page may have navigated
  });
  return gate.resolve;
}

function requests(context: BrowserContext): string[] {
  const asked: string[] = [];
  context.on('request', (request) => {
    if (request.url().includes('/api/')) asked.push(new URL(request.url()).pathname);
  });
  return asked;
}

const rename = ({ url }: Pick<Service, 'url'>, id: number, title: string) =>
  readNoteBody(fetch(`${url}/api/notes/${id}`, createJsonRequest({ id, title }, 'PUT')));

test('a second visit shows all notes before the service answers, then later changes, without the list', async () => {
  const many = Array.from({ length: 1_200 }, (_, index) => createPortableNote(index + 1, { title: `Many ${index}` }));
  await using service = await startService();
  await fetch(`${service.url}/merge`, createJsonRequest({ notes: many }));
  const [note] = await addNotes(service, [createDraft({ title: 'Newest' })]);
  if (!note) throw new Error('no note');
  await using visit = await stage.visit({ url: service.url });
  const { page, context } = visit;
  await untilKept(page, 'Newest');
  await rename(service, 7, 'Changed later');
  await untilKept(page, 'Changed later');
  await page.goto('about:blank');
  const letThrough = await hold(context);
  const asked = requests(context);

  await page.goto(service.url);
  await row(page, note).waitFor();
  await page.getByText('1,201 notes').waitFor();
  const shown = await titles(page);
  await rename(service, 3, 'Written meanwhile');
  letThrough();
  await page.getByText('Written meanwhile').first().waitFor();

  expect(shown.slice(0, 2)).toEqual(['Changed later', 'Newest']);
  expect(asked).toContain('/api/events');
  expect(asked).not.toContain('/api/notes');
});

test('the list of the last visit shows its date in one line while the service does not answer', async () => {
  await stage.add(createDraft({ title: 'Seen before' }));
  await using visit = await stage.visit({ forgiven: failedLoad });
  const { page, context } = visit;
  await untilKept(page, 'Seen before');

  const letThrough = await hold(context);
  await page.reload();
  await page.getByText('The list may be out of date: The service has not answered yet').waitFor();
  const old = await page.locator('.banner').innerText();
  letThrough();
  await page.getByText('The list may be out of date').waitFor({ state: 'detached' });
  await context.route(api, (route) => route.abort('connectionrefused'));
  await page.reload();
  await page.getByText('The service does not answer').waitFor();

  const away = await page.locator('.banner').innerText();
  const lineCounts: number[] = [];
  for (const width of [1024, 1440, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    const time = page.locator('.banner').getByText(/^As of/);
    lineCounts.push(
      await time.evaluate((text) =>
        Math.round(text.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(text).lineHeight)),
      ),
    );
  }

  expect([old, away].filter((text) => /As of .*\d:\d\d/.test(text))).toEqual([old, away]);
  expect(lineCounts).toEqual([1, 1, 1]);
  expect(await titles(page)).toContain('Seen before');
});

test('the link of a note that the last visit did not have shows a skeleton until the service has answered', async () => {
  await stage.add(createDraft({ title: 'Of the last visit' }));
  await using visit = await stage.visit({ forgiven: failedLoad });
  const { page, context } = visit;
  await untilKept(page, 'Of the last visit');
  await page.goto('about:blank');
  const [note] = await stage.add(createDraft({ title: 'Written since' }));
  if (!note) throw new Error('no note');
  const letThrough = await hold(context);
  const title = page.locator('#detail h2');

  await page.goto(`${stage.service.url}/?note=${note.id}`);
  await page.locator('#count', { hasText: /note/ }).waitFor(); // all notes of the last visit are shown
  await page.locator('#detail .note-skeleton').waitFor();
  const whileWaiting = await title.allInnerTexts();
  letThrough();
  await title.getByText('Written since').waitFor();

  expect(whileWaiting).toEqual([]);
});

test('the link of a note that does not exist says so with its number, once the service has answered', async () => {
  await stage.add(createDraft({ title: 'Of this visit' }));
  await using visit = await stage.visit({ forgiven: failedLoad });
  const { page, context } = visit;
  await untilKept(page, 'Of this visit');
  const letThrough = await hold(context);

  await page.goto(`${stage.service.url}/?note=987654`);
  await page.locator('#detail .note-skeleton').waitFor();
  const whileWaiting = await page.locator('#detail').innerText();
  letThrough();
  await page.getByRole('heading', { name: 'Not found' }).waitFor();

  expect(whileWaiting).not.toContain('987654');
  expect(await page.locator('#detail').innerText()).toContain('Note with ID 987654 not found');
});

test('the link of an unknown note says that the service is away, and shows the note when it is back', async () => {
  await stage.add(createDraft({ title: 'Of a former visit' }));
  await using visit = await stage.visit({ forgiven: failedLoad });
  const { page, context } = visit;
  await untilKept(page, 'Of a former visit');
  await page.goto('about:blank');
  const [note] = await stage.add(createDraft({ title: 'Written while away' }));
  await context.route(api, (route) => route.abort('connectionrefused'));

  await page.goto(`${stage.service.url}/?note=${note?.id}`);
  await page.locator('#detail').getByText('is not in this browser').waitFor();
  await context.unroute(api);
  await page.locator('#detail h2').getByText('Written while away').waitFor();
});

test('one of the first notes keeps the focus until the list is loaded, and then', async () => {
  await stage.add(createDraft({ title: 'Focused early' }));
  await using visit = await stage.visit();
  const { page, context } = visit;
  const focused = () => page.evaluate(() => document.activeElement?.querySelector('[data-title]')?.textContent);
  await page.evaluate(() => localStorage.clear()); // no cached list
  const letThrough = await hold(context, '**/api/notes');
  await page.reload({ waitUntil: 'commit' });
  await page.locator('.row').first().waitFor();
  await leaveSearch(page);
  await page.evaluate(async () => {
    for (let frame = 0; frame < 5; frame++) await new Promise(requestAnimationFrame);
  });

  const early = await focused();
  letThrough();
  await page.locator('#count', { hasText: /note/ }).waitFor();

  expect([early, await focused()]).toEqual(['Focused early', 'Focused early']);
});

test('another store at the same address replaces the cached list', async () => {
  const one = await startService();
  const [before] = await addNotes(one, [createDraft({ title: 'Of one' }), createDraft({ title: 'Also of one' })]);
  await using visit = await stage.visit({ url: one.url, forgiven: failedLoad });
  const { page } = visit;
  await untilKept(page, 'Also of one');
  await page.goto('about:blank');
  await one.stop('SIGKILL');
  await using other = await startService({ PORT: String(one.port) });
  // same id and times, another text: only the whole note differs
  await fetch(`${other.url}/merge`, createJsonRequest({ notes: [{ ...before, title: 'Of another' }] }));

  await page.goto(other.url);
  await page.getByText('1 note').waitFor();
  await untilKept(page, 'Of another');
  await page.reload();
  await page.getByText('1 note').waitFor();

  expect(await titles(page)).toEqual(['Of another']);
});

test('unsaved changes are not cached', async () => {
  const [note] = await stage.add(createDraft({ title: 'Archived in vain' }));
  if (!note) throw new Error('no note');
  await using visit = await stage.visit({ forgiven: failedLoad });
  const { page, context } = visit;
  await untilKept(page, 'Archived in vain');
  const letThrough = await hold(context);

  await row(page, note).getByRole('link').press('a');
  await row(page, note).waitFor({ state: 'detached' });
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange')); // saves the cache at once
  });
  const kept = await keptTitles(page);
  await page.reload();
  await row(page, note).waitFor();
  letThrough();

  expect(kept).toContain('Archived in vain');
});

test.each([
  [
    'throws',
    () =>
      Object.defineProperty(window, 'indexedDB', {
        get: () => {
          throw new DOMException('', 'SecurityError');
        },
      }),
  ],
  ['never answers', () => Object.assign(IDBFactory.prototype, { open: () => ({}) })],
])('when the database %s, the page loads its list', async (_, block) => {
  await stage.add(createDraft({ title: 'From the service' }));
  await using visit = await stage.visit();
  const { page, context } = visit;
  await page.evaluate(() => localStorage.setItem(`notes.list:${location.pathname}`, 'kept'));
  await context.addInitScript(block);

  await page.reload();
  await page.getByText('From the service').first().waitFor();
  await stage.add(createDraft({ title: 'Told by an event' }));

  await page.getByText('Told by an event').first().waitFor();
});
