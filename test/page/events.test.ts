/** Changes made elsewhere arrive as events; the page reads the list only once. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { draft, jsonBody, noteIn, type Service, startService, temporaryFolder } from '../support/service.ts';
import { row, useStage } from './visit.ts';

const stage = useStage();
const rename = ({ url }: Service, id: number, title: string) =>
  noteIn(fetch(`${url}/api/notes/${id}`, jsonBody({ id, title }, 'PUT')));

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
  const [note] = await stage.add(draft({ title: 'Followed' }));
  if (!note) throw new Error('no note');
  const page = await stage.show();
  expect(await eventually(async () => (await listeners(service)) === 1)).toBe(true);
  const lists = listsOf(page);

  await rename(service, note.id, 'Followed at once');
  await row(page, note).getByText('Followed at once').waitFor();
  await show(page, 'hidden');
  expect(await eventually(async () => (await listeners(service)) === 0)).toBe(true);
  await rename(service, note.id, 'Written while hidden');
  await show(page, 'visible');
  await row(page, note).getByText('Written while hidden').waitFor();

  expect(lists).toEqual([]);
});

test('after a restart of the service the page reads the list, and follows events again', async () => {
  using folder = temporaryFolder();
  const settings = { DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}` };
  const before = await startService(settings);
  const note = await noteIn(fetch(`${before.url}/api/notes`, jsonBody(draft({ title: 'Kept' }))));
  await using visit = await stage.visit({ url: before.url, forgiven: /Failed to load resource/ });
  const { page } = visit;
  expect(await eventually(async () => (await listeners(before)) === 1)).toBe(true);
  const lists = listsOf(page);

  await before.stop();
  await using service = await startService({ ...settings, PORT: String(before.port) });
  await rename(service, note.id, 'Renamed after the restart');
  await row(page, note).getByText('Renamed after the restart').waitFor();
  expect(await eventually(async () => (await listeners(service)) === 1)).toBe(true);
  const count = lists.length;
  await rename(service, note.id, 'Renamed later');
  await row(page, note).getByText('Renamed later').waitFor();

  expect(count).toBeGreaterThan(0);
  expect(lists.length).toBeLessThanOrEqual(count + 1); // one may have been under way as the events opened
});
