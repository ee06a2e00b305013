/** What apps and foreign pages share with the installed page waits until a person keeps or discards it. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { type Service, startService } from '../support/service.ts';
import { addNotes, contentField, untilReady, useStage } from './visit.ts';

const stage = useStage();
/** The pages of these tests leave the service for a foreign one, or lose it. */
const forgiven = /^asked |Failed to load resource/;

type TextName = 'title' | 'text' | 'url';

interface ShareTarget {
  readonly action: string;
  readonly method: string;
  readonly enctype: string;
  readonly params: Readonly<Record<TextName, string>> & { readonly files: readonly { readonly name: string }[] };
}

interface SharedForm {
  readonly fields: Readonly<Partial<Record<TextName, string>>>;
  /** Texts of files, by their names. */
  readonly files?: Readonly<Record<string, string>>;
  /** The name of a frame. */
  readonly frame?: string;
}

async function fetchShareTarget({ url }: Service): Promise<ShareTarget> {
  const document = await (await fetch(url)).text();
  const path = /<link rel="manifest" href="([^"]+)"/.exec(document)?.[1] ?? 'none';
  const address = new URL(path, `${url}/`);
  const { share_target: target }: { share_target: ShareTarget } = await (await fetch(address)).json();
  return { ...target, action: new URL(target.action, address).href };
}

/** Posts a form as a browser does for a share, from whatever page is open. */
const postForm = (page: Page, target: ShareTarget, { fields, files = {}, frame }: SharedForm): Promise<void> =>
  page.evaluate(
    ({ target, fields, files, frame }) => {
      const form = document.createElement('form');
      Object.assign(form, { action: target.action, method: target.method, enctype: target.enctype });
      for (const name of ['title', 'text', 'url'] as const) {
        const field = document.createElement('textarea');
        if (fields[name] !== undefined) {
          form.append(Object.assign(field, { name: target.params[name], value: fields[name] }));
        }
      }
      const data = new DataTransfer();
      for (const [name, text] of Object.entries(files)) data.items.add(new File([text], name));
      const input = Object.assign(document.createElement('input'), { type: 'file', multiple: true });
      form.append(Object.assign(input, { name: target.params.files[0]?.name, files: data.files }));
      if (frame !== undefined) {
        document.body.append(Object.assign(document.createElement('iframe'), { name: frame }));
        form.target = frame;
      }
      document.body.append(form);
      form.submit();
    },
    { target, fields, files, frame },
  );

/** A foreign site, at another port and under two names. */
function startForeignSite() {
  const html = '<!doctype html><link rel="icon" href="data:,"><title>Foreign</title><body></body>';
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response(html, { headers: { 'Content-Type': 'text/html' } }),
  });
  return {
    url: `http://localhost:${server.port}/`,
    urlOfSameSite: `http://127.0.0.1:${server.port}/`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** Opens the page of a service with one note, served by its worker. */
async function openInstalled(service: Service) {
  await addNotes(service, [createDraft({ title: 'Stored before' })]);
  const visit = await stage.visit({ url: service.url, serviceWorkers: 'allow', forgiven });
  await untilReady(visit.page);
  await visit.page.reload(); // from now on the worker serves it
  await visit.page.locator('.row').first().waitFor();
  return visit;
}

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Keep what was shared?' });
const title = (page: Page) => page.locator('.note-form [name=title]');
const content = (page: Page) => contentField(page);
const waitForMessage = (page: Page, text: string) => page.locator('.message', { hasText: text }).first().waitFor();
const waitForContent = async (page: Page, start: string) =>
  expect(await isEventuallyTrue(async () => (await content(page).inputValue()).startsWith(start))).toBe(true);

/** The keys and fields of the stored drafts. */
const storedDrafts = (page: Page) =>
  page.evaluate(() =>
    Object.entries(localStorage)
      .filter(([key]) => key.startsWith('notes.draft'))
      .map(([key, draft]) => [key, JSON.parse(draft).fields]),
  );

const sharedCaches = (page: Page) =>
  page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith('shared')));

/** Waits until no share waits: a share is deleted after its draft is stored. */
const untilNoneWaits = (page: Page) =>
  page.waitForFunction(async () => (await caches.keys()).every((name) => !name.startsWith('shared')));

test('what a foreign page shares is shown as plain text, and changes no draft before it is kept', async () => {
  await using service = await startService();
  await using foreign = startForeignSite();
  await using visit = await openInstalled(service);
  const { page } = visit;
  const target = await fetchShareTarget(service);
  await page.getByRole('button', { name: 'New' }).click();
  await title(page).fill('My own');
  await page.locator('.form-state', { hasText: /^Draft$/ }).waitFor();
  const before = await storedDrafts(page);
  const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>\n<b>bold</b>';

  await page.goto(foreign.url);
  await postForm(page, target, { fields: { title: '<i>Win</i>', text: hostile, url: 'https://host.example/' } });
  await dialog(page).waitFor();
  const shown = await dialog(page).innerText();
  const elements = await dialog(page).locator('img, script, b, i, a').count();
  const focused = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  await waitForMessage(page, 'Shared, neither kept nor discarded: “<i>Win</i>”');
  const afterEscape = await storedDrafts(page);
  await page.reload();
  await dialog(page).getByRole('button', { name: 'Discard' }).click();
  await untilNoneWaits(page);
  await page.reload();
  await page.getByRole('list', { name: 'Not saved' }).getByText('My own').waitFor();

  expect(shown).toContain(`A page of ${new URL(foreign.url).host} wants to add this note.`);
  expect(shown).toContain('<i>Win</i>\n');
  expect(shown).toContain(`${hostile}\nhttps://host.example/`);
  expect([elements, focused]).toEqual([0, 'What was shared']);
  expect(before).toHaveLength(1);
  expect([afterEscape, await storedDrafts(page)]).toEqual([before, before]);
  expect(await dialog(page).count()).toBe(0);
});

test('a share that is kept becomes a draft, also while the service is unreachable', async () => {
  const service = await startService();
  await using foreign = startForeignSite();
  await using visit = await openInstalled(service);
  const { page } = visit;
  const target = await fetchShareTarget(service);
  await service.stop('SIGKILL');

  await page.goto(foreign.url);
  await postForm(page, target, { fields: { title: 'A page', text: 'worth keeping', url: 'https://host.example/' } });
  await dialog(page).getByRole('button', { name: 'Keep' }).click();
  await title(page).waitFor();
  await untilNoneWaits(page);
  const text = [await title(page).inputValue(), await content(page).inputValue(), new URL(page.url()).pathname];
  await page.reload();
  await page.getByRole('list', { name: 'Not saved' }).getByText('A page').waitFor();

  expect(text).toEqual(['A page', 'worth keeping\nhttps://host.example/', '/']);
});

test('of shared files one text opens in the form, and several are listed before they are imported', async () => {
  await using service = await startService();
  await using foreign = startForeignSite();
  await using visit = await openInstalled(service);
  const { page } = visit;
  const target = await fetchShareTarget(service);

  await page.goto(foreign.url);
  await postForm(page, target, { fields: {}, files: { 'shared.css': 'a { color: red }\n' } });
  await dialog(page).getByText('wants to add this file').waitFor();
  await dialog(page).getByText('shared.css').waitFor();
  await dialog(page).getByRole('button', { name: 'Keep' }).click();
  await waitForContent(page, 'a {');
  await untilNoneWaits(page);
  await page.goto(foreign.url);
  await postForm(page, target, { fields: {}, files: { 'one.txt': 'one', 'two.txt': 'two' } });
  await dialog(page).getByText('wants to add these 2 files').waitFor();
  await dialog(page).getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('dialog', { name: 'Import notes' }).getByRole('button', { name: 'Import 2 notes' }).click();
  await waitForMessage(page, 'Imported 2 notes');
  await untilNoneWaits(page);
});

test('shares wait for each other, and a message shows the next one', async () => {
  await using service = await startService();
  await using foreign = startForeignSite();
  await using visit = await openInstalled(service);
  const { page } = visit;
  const target = await fetchShareTarget(service);

  for (const text of ['first', 'second']) {
    await page.goto(foreign.url);
    await postForm(page, target, { fields: { text } });
    await dialog(page).getByText('first').waitFor();
  }
  await dialog(page).getByRole('button', { name: 'Keep' }).click();
  await waitForContent(page, 'first');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await dialog(page).getByText('second').waitFor();
  await dialog(page).getByRole('button', { name: 'Keep' }).click();
  await waitForContent(page, 'second');
  await untilNoneWaits(page);

  expect(await storedDrafts(page)).toHaveLength(2);
});

test('a foreign page can share nothing from within a frame, and nothing at all without the worker', async () => {
  await using service = await startService();
  await using foreign = startForeignSite();
  await using visit = await openInstalled(service);
  await using without = await stage.visit({ url: service.url, forgiven });
  const target = await fetchShareTarget(service);
  const fields = { text: 'Foreign' };
  const statuses: number[] = [];
  for (const { context } of [visit, without]) {
    context.on('response', (response) => {
      if (response.url() === target.action) statuses.push(response.status());
    });
  }

  await visit.page.goto(foreign.urlOfSameSite);
  const inFrame = visit.page.waitForResponse(target.action);
  await postForm(visit.page, target, { fields, frame: 'inside' });
  await inFrame;
  await visit.page.goto(service.url);
  await visit.page.locator('.row').first().waitFor();
  for (const url of [foreign.url, foreign.urlOfSameSite]) {
    await without.page.goto(url);
    await postForm(without.page, target, { fields });
    await without.page.waitForURL(target.action);
  }

  expect(statuses).toEqual([403, 403, 403]);
  expect(await sharedCaches(visit.page)).toEqual([]);
});
