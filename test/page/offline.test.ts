/** A service worker opens the page while the service is unreachable, and updates it. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createTemporaryFolder, readNotesBody, startService } from '../support/service.ts';
import { addNotes, clipboard, contentField, goOnByKeys, openAndWait, row, untilReady, useStage } from './visit.ts';

const stage = useStage();
const failedLoad = /Failed to load resource/;

test('while the service is unreachable the page opens, searches and copies, and it reconnects later', async () => {
  using folder = createTemporaryFolder();
  const settings = { DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}` };
  const before = await startService(settings);
  const [note] = await addNotes(before, [
    createDraft({ title: 'Bold', content: '**bold** words' }),
    createDraft({ title: 'Other', content: 'of little use' }),
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
  const copied = await isEventuallyTrue(async () => (await clipboard(page)) === note.content);
  await row(page, note).getByRole('link').click();
  await page.locator('.markdown strong').waitFor();
  await goOnByKeys(page);
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await using after = await startService({ ...settings, PORT: String(before.port) });
  await page.getByText('The service does not answer').waitFor({ state: 'detached' });
  await page.goto(`${after.url}/?note=${note.id}`);
  await page.locator('.markdown strong').waitFor();

  expect(copied).toBe(true);
});

test('what could not be saved is saved once when the service is back, after a reload without it', async () => {
  using folder = createTemporaryFolder();
  const settings = { DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}` };
  const before = await startService(settings);
  const [note] = await addNotes(before, [createDraft({ title: 'There' })]);
  await using visit = await stage.visit({
    url: before.url,
    query: `?note=${note?.id}`,
    serviceWorkers: 'allow',
    forgiven: failedLoad,
  });
  const { page } = visit;
  await untilReady(page);
  await page.locator('.detail-body').press('e');
  await page.locator('[name=title]').fill('Typed');
  await before.stop('SIGKILL');

  await page.keyboard.press('Control+Enter');
  await page.locator('.note-form').waitFor({ state: 'detached' });
  await page.locator('.notice', { hasText: 'Not sent yet' }).waitFor();
  await page.locator('#note-title', { hasText: 'Typed' }).waitFor();
  await page.reload();
  await page.locator('.banner', { hasText: 'The service does not answer' }).waitFor();
  const said = await page.locator('.message').count();
  await using after = await startService({ ...settings, PORT: String(before.port) });
  await page.getByText('Saved “Typed”').first().waitFor();

  expect((await readNotesBody(fetch(`${after.url}/api/notes`))).map(({ title }) => title)).toEqual(['Typed']);
  expect(said).toBe(0);
});

test('the text of a note that was edited offline is copied by Enter, its row, commands and with a selection', async () => {
  const [other, note] = await stage.add(
    createDraft({ title: 'Beside', content: 'unchanged' }),
    createDraft({ title: 'Edited on a train', content: 'as stored' }),
  );
  if (!note || !other) throw new Error('no notes');
  await using visit = await stage.visitList({ query: `?note=${note.id}`, forgiven: failedLoad });
  const { page } = visit;
  const copied: string[] = [];
  const moveCopiedText = async () => {
    await isEventuallyTrue(async () => (await clipboard(page)) !== '');
    copied.push(await clipboard(page));
    await page.evaluate(() => navigator.clipboard.writeText(''));
  };
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await page.keyboard.press('e');
  await contentField(page).editor.waitFor();
  await page.context().setOffline(true);
  await page.getByText('The service does not answer').waitFor();
  await contentField(page).fill('as edited');
  await page.keyboard.press('Control+Enter');
  await page.locator('.notice', { hasText: 'Not sent yet' }).waitFor();

  await page.locator('#search').fill('train');
  await page.locator('#search').press('Enter');
  await moveCopiedText();
  await row(page, note).hover();
  await row(page, note).getByRole('button', { name: 'Copy' }).click();
  await moveCopiedText();
  await row(page, note).getByRole('link').focus();
  await page.keyboard.press('Shift+Enter');
  await moveCopiedText();
  await page.locator('#search').fill('');
  await row(page, note).getByRole('checkbox').click();
  await row(page, other).getByRole('checkbox').click();
  await row(page, note).getByRole('link').focus();
  await page.keyboard.press('Enter');
  await moveCopiedText();

  expect(copied).toEqual(['as edited', 'as edited', 'as edited', 'as edited\n\nunchanged']);
});

test('notes that are begun and saved offline, also with a title alone, are stored one by one', async () => {
  await stage.add(createDraft());
  await using visit = await stage.visitList({ forgiven: failedLoad });
  const { page } = visit;
  const field = page.locator('.note-form [name=title]');
  const begun: string[] = [];
  await page.keyboard.press('n');
  await contentField(page).editor.waitFor();
  await page.keyboard.press('Escape');
  await page.context().setOffline(true);

  for (const name of ['First in a tunnel', 'Second in a tunnel']) {
    await page.getByRole('button', { name: 'New' }).click();
    begun.push(await field.inputValue());
    await field.fill(name);
    await page.keyboard.press('Control+Enter');
    await page.locator('.draft-row', { hasText: name }).getByText('Not sent yet').waitFor();
  }
  await page.context().setOffline(false);
  await page.locator('.draft-row').first().waitFor({ state: 'detached' });

  expect(begun).toEqual(['', '']);
  const stored = await readNotesBody(fetch(`${stage.service.url}/api/notes`));
  const written = stored.filter(({ title }) => title.endsWith('in a tunnel'));
  expect(written.map(({ title, content }) => [title, content]).toSorted()).toEqual([
    ['First in a tunnel', 'First in a tunnel'],
    ['Second in a tunnel', 'Second in a tunnel'],
  ]);
});

test('a note that is saved offline keeps the focus, as a draft and once it is sent', async () => {
  await stage.add(createDraft({ title: 'Another' }));
  await using visit = await stage.visitList({ forgiven: failedLoad });
  const { page } = visit;
  await page.locator('#note-title', { hasText: 'Another' }).waitFor();
  await page.keyboard.press('n');
  await contentField(page).editor.waitFor();
  await page.context().setOffline(true);
  await page.locator('.note-form [name=title]').fill('On a ferry');

  await page.keyboard.press('Control+Enter');
  await page.locator('.draft-row button:focus', { hasText: 'On a ferry' }).waitFor();
  const titlesBeside = await page.locator('#note-title').allInnerTexts();
  await page.context().setOffline(false);
  await page.locator('.draft-row').waitFor({ state: 'detached' });

  await page.locator('[data-row]:focus', { hasText: 'On a ferry' }).waitFor();
  await page.locator('#note-title', { hasText: 'On a ferry' }).waitFor();
  expect(titlesBeside).toEqual([]);
});

test('a link on a foreign page opens the page that it serves', async () => {
  await stage.add(createDraft());
  await using foreign = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('foreign') });
  await using visit = await stage.visit({ serviceWorkers: 'allow', forgiven: /^asked |Failed to load resource/ });
  const { page } = visit;
  await untilReady(page);

  await page.goto(`http://localhost:${foreign.port}/`);
  await page.evaluate((url) => {
    const link = Object.assign(document.createElement('a'), { href: `${url}/?q=title`, textContent: 'Notes' });
    document.body.append(link);
  }, stage.service.url);
  const opened = page.waitForResponse((response) => response.url() === `${stage.service.url}/?q=title`);
  await page.getByRole('link', { name: 'Notes' }).click();
  const response = await opened;

  expect([response.status(), response.fromServiceWorker()]).toEqual([200, true]);
  await page.locator('.row').first().waitFor();
});

test('it answers only for the page and its files', async () => {
  await stage.add(createDraft());
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
});

/** What the proxy serves: the page, a second version of it, a service without a worker, or nothing. */
type Version = 'one' | 'two' | 'no worker' | 'away';

/** A proxy for the service. As version two, its files have other names, and those of version one are gone. */
function startVersions(to: string) {
  const state: { version: Version } = { version: 'one' };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const isTwo = state.version === 'two';
      const isFile = pathname.startsWith('/assets/');
      if (state.version === 'away') return new Response('away', { status: 502 });
      if (state.version === 'no worker' && pathname === '/service-worker.js') return new Response('', { status: 404 });
      if (isFile && isTwo !== pathname.startsWith('/assets/two-')) return new Response('gone', { status: 404 });
      const url = `${to}${pathname.replace('/assets/two-', '/assets/')}${search}`;
      const answer = await fetch(url, { method: request.method }); // without ETags, which identify version one
      const { 'content-encoding': _, 'content-length': __, etag: ___, ...headers } = Object.fromEntries(answer.headers);
      const isText = isFile || pathname === '/' || pathname === '/service-worker.js';
      if (!isTwo || !isText || !/text/.test(headers['content-type'] ?? ''))
        return new Response(answer.body, { ...answer, status: answer.status, headers });
      const text = (await answer.text()).replaceAll('assets/', 'assets/two-').replaceAll('"./', '"./two-');
      return new Response(pathname === '/' ? text.replace('<html', '<html data-version="two"') : text, { headers });
    },
  });
  return { state, url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
}

const shownVersion = (page: Page) => page.evaluate(() => document.documentElement.dataset['version'] ?? 'one');

/** The versions of the cached files. */
const keptVersions = (page: Page) =>
  page.evaluate(async () => {
    const names = await caches.keys();
    return names.map((name) => (name.includes('two-') ? 'two' : 'one'));
  });

test('an update is shown at the next visit, while a page of the former version keeps its files', async () => {
  await stage.add(createDraft({ title: 'Stays' }));
  await using versions = startVersions(stage.service.url);
  const { url, state } = versions;
  await using visit = await stage.visit({ url, serviceWorkers: 'allow', forgiven: failedLoad });
  const { page, context } = visit;
  await untilReady(page);

  state.version = 'two';
  const other = await context.newPage();
  await other.goto(url);
  await other.locator('.row').first().waitFor();
  const updated = await shownVersion(other);
  expect(await isEventuallyTrue(async () => (await keptVersions(other)).includes('two'))).toBe(true);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitem', { name: 'Settings and keys' }).click(); // a part that was not loaded before
  await page.getByRole('dialog').waitFor();
  const before = await keptVersions(page);
  await page.close();
  await other.goto('about:blank');
  expect(
    await isEventuallyTrue(async () => {
      await openAndWait(other, url); // none of its requests is aborted while the next worker takes over
      const versions = await keptVersions(other);
      await other.goto('about:blank');
      return versions.join() === 'two';
    }),
  ).toBe(true);
  state.version = 'away';
  await other.goto(url);
  await other.locator('.row').first().waitFor();

  expect([updated, before.toSorted(), await shownVersion(other)]).toEqual(['two', ['one', 'two'], 'two']);
});

test('a service without a service worker removes the installed one', async () => {
  await stage.add(createDraft());
  await using versions = startVersions(stage.service.url);
  await using visit = await stage.visit({ url: versions.url, serviceWorkers: 'allow', forgiven: failedLoad });
  const { page } = visit;
  await untilReady(page);

  versions.state.version = 'no worker';
  await page.reload();
  const isGone = () =>
    page.evaluate(async () => {
      const registrations = await navigator.serviceWorker.getRegistrations();
      // Chromium recreates a cache, empty, when it is searched during its removal
      const kept = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
      return registrations.length === 0 && kept.flat().length === 0;
    });

  expect(await isEventuallyTrue(isGone)).toBe(true);
});
