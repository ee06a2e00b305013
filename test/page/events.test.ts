/** Changes made elsewhere arrive as events; the page reads the list only once. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Note } from '../../src/core/note.ts';
import { cursorHeader } from '../../src/core/protocol.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  readNoteBody,
  type Service,
  startService,
} from '../support/service.ts';
import { intercept, row, useStage } from './visit.ts';

const stage = useStage();
const rename = ({ url }: Service, id: number, title: string) =>
  readNoteBody(fetch(`${url}/api/notes/${id}`, createJsonRequest({ id, title }, 'PUT')));

/** The number of clients that listen to a service. */
async function listeners({ url }: Service): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^notes_event_listeners (\d+)$/m.exec(metrics)?.[1]);
}

/** Records the lists that the page requests from now on. */
function listsOf(page: Page): string[] {
  const asked: string[] = [];
  page.on('response', (answer) => {
    if (answer.url().endsWith('/api/notes') && answer.request().method() === 'GET') asked.push(answer.url());
  });
  return asked;
}

const show = (page: Page, state: DocumentVisibilityState) =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);

test('changes by others appear without reading the list, also those made while the page was hidden', async () => {
  const { service } = stage;
  const [note] = await stage.add(createDraft({ title: 'Followed' }));
  if (!note) throw new Error('no note');
  const page = await stage.show();
  expect(await isEventuallyTrue(async () => (await listeners(service)) === 1)).toBe(true);
  const lists = listsOf(page);

  await rename(service, note.id, 'Followed at once');
  await row(page, note).getByText('Followed at once').waitFor();
  await show(page, 'hidden');
  expect(await isEventuallyTrue(async () => (await listeners(service)) === 0)).toBe(true);
  await rename(service, note.id, 'Written while hidden');
  await show(page, 'visible');
  await row(page, note).getByText('Written while hidden').waitFor();

  expect(lists).toEqual([]);
});

test('after a restart of the service the page reads the list, and follows events again', async () => {
  using folder = createTemporaryFolder();
  const settings = { DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}` };
  const before = await startService(settings);
  const note = await readNoteBody(fetch(`${before.url}/api/notes`, createJsonRequest(createDraft({ title: 'Kept' }))));
  await using visit = await stage.visit({ url: before.url, forgiven: /Failed to load resource/ });
  const { page } = visit;
  expect(await isEventuallyTrue(async () => (await listeners(before)) === 1)).toBe(true);
  const lists = listsOf(page);

  await before.stop();
  await using service = await startService({ ...settings, PORT: String(before.port) });
  await rename(service, note.id, 'Renamed after the restart');
  await row(page, note).getByText('Renamed after the restart').waitFor();
  expect(await isEventuallyTrue(async () => (await listeners(service)) === 1)).toBe(true);
  const count = lists.length;
  await rename(service, note.id, 'Renamed later');
  await row(page, note).getByText('Renamed later').waitFor();

  expect(count).toBeGreaterThan(0);
  expect(lists.length).toBeLessThanOrEqual(count + 1); // one may have been under way as the events opened
});

/**
 * The body of a stream with an event for a note, and then other events. It names no cursor, so that the page keeps its
 * own.
 */
const streamBody = (note: Note, otherEvents = '') => `event: note\ndata: ${JSON.stringify(note)}\n\n${otherEvents}`;

/** Lets the page reconnect to a stream that has this body and then breaks, and waits until it has read that. */
async function reconnectTo(page: Page, body: string): Promise<void> {
  const isRead = Promise.withResolvers<void>();
  let requests = 0;
  await show(page, 'hidden');
  await intercept(page, '**/api/events*', (route) => {
    requests++;
    if (requests === 1) return route.fulfill({ contentType: 'text/event-stream', body });
    isRead.resolve(); // it reconnects only then
    return route.abort();
  });
  await show(page, 'visible');
  await isRead.promise;
}

/** From now on, records whether a row with this title is ever in the list. */
const watchForRow = (page: Page, title: string) =>
  page.evaluate((title) => {
    const look = () => {
      const titles = [...document.querySelectorAll('[data-title]')].map(({ textContent }) => textContent);
      if (titles.includes(title)) Object.assign(window, { wasRowSeen: true });
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
  }, title);

/** Presses keys, beside which changes wait, until the returned function is called. */
async function keepTyping(page: Page): Promise<() => Promise<void>> {
  const timer = await page.evaluate(() => {
    const press = () => window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Shift' }));
    press();
    return Number(setInterval(press, 100));
  });
  return () => page.evaluate((timer) => clearInterval(timer), timer);
}

const wasRowSeen = (page: Page) => page.evaluate(() => 'wasRowSeen' in window);

test('a note that a reset removes does not return by a change of it that waited to be shown', async () => {
  const { service } = stage;
  const [note] = await stage.add(createDraft({ title: 'Stays after the reset' }));
  if (!note) throw new Error('no note');
  const page = await stage.showList();
  await watchForRow(page, 'Gone by the reset');

  const gone = { ...note, id: 987_654, title: 'Gone by the reset' };
  await reconnectTo(page, streamBody(gone, 'event: reset\ndata: {}\n\n'));
  await page.unrouteAll();
  await rename(service, note.id, 'Renamed after the reset');
  await row(page, note).getByText('Renamed after the reset').waitFor();
  await rename(service, note.id, 'Renamed again'); // after what waited
  await row(page, note).getByText('Renamed again').waitFor();

  expect(await wasRowSeen(page)).toBe(false);
});

test('a reset that arrives while the list is loading loads it again', async () => {
  const { service } = stage;
  const page = await stage.showList();
  const reset = Promise.withResolvers<string>();
  let streams = 0;
  await show(page, 'hidden');
  await intercept(page, '**/api/events*', async (route) => {
    streams++;
    if (streams > 1) return route.continue();
    return route.fulfill({ contentType: 'text/event-stream', body: await reset.promise });
  });
  const isOldListRead = Promise.withResolvers<void>();
  const mayOldListArrive = Promise.withResolvers<void>();
  await intercept(
    page,
    '**/api/notes',
    async (route) => {
      const response = await route.fetch();
      isOldListRead.resolve();
      await mayOldListArrive.promise;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await keepTyping(page); // so that the list is not polled
  await show(page, 'visible');
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await isOldListRead.promise;

  const note = await readNoteBody(
    fetch(`${service.url}/api/notes`, createJsonRequest(createDraft({ title: 'Newer than the list' }))),
  );
  const { headers } = await fetch(`${service.url}/api/notes`);
  reset.resolve(`event: reset\nid: ${headers.get(cursorHeader)}\ndata: {}\n\n`);
  expect(await isEventuallyTrue(() => Promise.resolve(streams > 0))).toBe(true);
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500))); // the reset is read meanwhile
  mayOldListArrive.resolve();

  await row(page, note).waitFor();
});

test('a note that a refresh of the list removes does not return by a change of it that waited to be shown', async () => {
  const { service } = stage;
  const [note] = await stage.add(createDraft({ title: 'Stays after the refresh' }));
  if (!note) throw new Error('no note');
  const page = await stage.showList();
  await watchForRow(page, 'Gone by the refresh');

  const stopTyping = await keepTyping(page);
  await reconnectTo(page, streamBody({ ...note, id: 987_655, title: 'Gone by the refresh' }));
  const refreshed = page.waitForResponse((response) => response.url().endsWith('/api/notes'));
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await refreshed;
  await stopTyping();
  await rename(service, note.id, 'Renamed after the refresh');
  await row(page, note).getByText('Renamed after the refresh').waitFor();

  expect(await wasRowSeen(page)).toBe(false);
});
