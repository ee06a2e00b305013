/** The page is opened while the service is away, by a service worker; so are its updates. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { draft, startService, temporaryFolder } from '../support/service.ts';
import { addNotes, clipboard, row, useStage } from './visit.ts';

const stage = useStage();
const failedLoad = /Failed to load resource/;

/** Waits until the page can be opened without the service, with its list. */
const untilReady = async (page: Page) => {
  const isReady = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      return (
        registration?.active?.state === 'activated' && localStorage.getItem(`notes.list:${location.pathname}`) !== null
      );
    });
  expect(await eventually(isReady)).toBe(true);
};

test('while the service is away the page is opened, found in and copied from, and goes on when it is back', async () => {
  using folder = temporaryFolder();
  const settings = { DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}` };
  const before = await startService(settings);
  const [note] = await addNotes(before, [
    draft({ title: 'Bold', content: '**bold** words' }),
    draft({ title: 'Other', content: 'of little use' }),
  ]);
  if (!note) throw new Error('no note');
  await using visit = await stage.visit({ url: before.url, serviceWorkers: 'allow', forgiven: failedLoad });
  const { page } = visit;
  await untilReady(page);
  await before.stop('SIGKILL');

  await page.goto('about:blank');
  await page.goto(`${before.url}/?q=bold`);
  await page.getByText('The service does not answer').waitFor();
  await page.locator('#search').press('Enter');
  const copied = await eventually(async () => (await clipboard(page)) === note.content);
  await row(page, note).getByRole('link').click();
  await page.locator('.markdown strong').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await using after = await startService({ ...settings, PORT: String(before.port) });
  await page.getByText('The service does not answer').waitFor({ state: 'detached' });
  await page.goto(`${after.url}/?note=${note.id}`);
  await page.locator('.markdown strong').waitFor();

  expect(copied).toBe(true);
}, 60_000);

test('it answers for the page and its files alone', async () => {
  await stage.add(draft());
  await using visit = await stage.visit({ serviceWorkers: 'allow', forgiven: failedLoad });
  const { page, context } = visit;
  await untilReady(page);

  await page.reload();
  const kept = await page.evaluate(async () => {
    const caches = await window.caches.keys();
    const requests = await Promise.all(caches.map(async (name) => (await window.caches.open(name)).keys()));
    return requests.flat().map(({ url }) => new URL(url).pathname);
  });
  const answered: string[] = [];
  context.on('response', (answer) => {
    if (answer.fromServiceWorker()) answered.push(new URL(answer.url()).pathname);
  });
  await page.evaluate(() => Promise.all(['api/notes', 'healthz', 'docs', 'assets/none.js'].map((path) => fetch(path))));
  const other = await context.newPage();
  await other.goto(`${stage.service.url}/docs`);

  expect(kept.filter((path) => path !== '/' && !path.startsWith('/assets/'))).toEqual([]);
  expect(kept).toContain('/');
  expect(answered.filter((path) => !path.startsWith('/assets/'))).toEqual([]);
}, 30_000);
