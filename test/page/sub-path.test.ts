/** The page, and the description of the interface, behind a reverse proxy that serves it under a sub-path. */
import { expect, test } from 'bun:test';
import { createDraft } from '../support/sample-notes.ts';
import { clipboard, goOnByKeys, reloadAndWait, row, useStage } from './visit.ts';

const stage = useStage();

/** Serves the service only under /some/path/. */
function startProxy(to: string) {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (!pathname.startsWith('/some/path/')) return new Response('elsewhere', { status: 404 });
      const { method, headers } = request;
      const url = `${to}${pathname.slice('/some/path'.length)}${search}`;
      const answer = await fetch(url, { method, headers, body: await request.bytes(), decompress: false });
      return new Response(answer.body, answer);
    },
  });
}

test('under a sub-path the page finds its files, the API and its own URLs', async () => {
  const [note] = await stage.add(createDraft({ title: 'Behind a proxy', content: '**bold**' }));
  await using proxy = startProxy(stage.service.url);
  const base = `http://127.0.0.1:${proxy.port}/some/path`;
  await using visit = await stage.visit({ url: base });
  const { page } = visit;
  const refused: string[] = [];
  page.on('response', (answer) => {
    if (answer.status() >= 400) refused.push(answer.url());
  });

  await row(page, { id: note?.id ?? 0 })
    .getByRole('link')
    .click();
  await page.locator('.markdown strong').waitFor();
  const opened = page.url();
  await goOnByKeys(page);
  await page.keyboard.press('l');
  await page.getByText('Copied the link').waitFor();
  const link = await clipboard(page);
  await page.getByRole('button', { name: 'Back to the list' }).click();
  const closed = page.url();
  await page.goBack();
  await reloadAndWait(page);
  await page.locator('.markdown strong').waitFor();
  await page.locator('.detail-body').press('a');
  await page.getByText('Archived “Behind a proxy”').waitFor();

  expect([opened, link, closed]).toEqual([`${base}/?note=${note?.id}`, `${base}/?note=${note?.id}`, `${base}/`]);
  const icons = await page
    .locator('link[rel=icon], link[rel=manifest]')
    .evaluateAll((links) =>
      Promise.all(links.map(async (link) => (await fetch((link as HTMLLinkElement).href)).status)),
    );
  expect(icons).toEqual([200, 200]);
  expect(refused).toEqual([]);
});

test('under a sub-path the description of the interface tries requests out there', async () => {
  await using proxy = startProxy(stage.service.url);
  const base = `http://127.0.0.1:${proxy.port}/some/path`;
  await using visit = await stage.visit({ url: base });
  const { page } = visit;
  await page.goto(`${base}/docs`);

  const operation = page.locator('#operations-notes-listNotes');
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().includes('/api/notes')),
    operation.getByRole('button', { name: 'Execute' }).click(),
  ]);

  expect([answer.url(), answer.status()]).toEqual([`${base}/api/notes`, 200]);
});
