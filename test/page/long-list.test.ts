/** Above 20,000 notes a worker searches: keys never wait for it, and Enter waits for its result. */
import { beforeAll, expect, test } from 'bun:test';
import { createCorpus } from '../support/data/corpus.ts';
import { createDraft, createPortableNote } from '../support/sample-notes.ts';
import { createJsonRequest } from '../support/service.ts';
import { clipboard, titles, useStage } from './visit.ts';

const stage = useStage();

const many = createCorpus(20_100).map((drafted, index) => createPortableNote(index + 1, drafted));

beforeAll(async () => {
  for (let from = 0; from < many.length; from += 1_000) {
    await fetch(`${stage.service.url}/merge`, createJsonRequest({ notes: many.slice(from, from + 1_000) }));
  }
  await stage.add(
    createDraft({ title: 'Zebra crossing', content: 'stripes' }),
    createDraft({ title: 'zebra', content: 'one' }),
  );
});

test('a long list is searched in a worker like a short one, including later changes', async () => {
  await using visit = await stage.visit();
  const { page, context } = visit;
  await page.getByText('20,102 notes').waitFor();

  await page.keyboard.type('zebra cros');
  await page.keyboard.press('Enter');
  await page.getByText('Copied “Zebra crossing”').waitFor();
  const copied = await clipboard(page);
  await page.locator('#search').fill('zebar');
  await page.getByText('2 notes', { exact: true }).waitFor();
  const mistyped = await titles(page);
  await page.locator('#search').fill('zebra g:fif');
  await page.getByText('2 notes', { exact: true }).waitFor();
  await page.locator('#search').fill('quagga');
  await page.getByText('New note “').waitFor();
  await stage.add(createDraft({ title: 'Quagga' }));
  await page.getByText('1 note', { exact: true }).waitFor();
  const written = await titles(page);
  await page.locator('#search').fill('');
  await page.getByText('20,103 notes').waitFor();
  const gate = Promise.withResolvers<void>();
  await context.route('**/search-worker-*.js', async (route) => {
    await gate.promise;
    await route.continue();
  });
  const asked = page.waitForRequest('**/search-worker-*.js');
  await page.goto(`${stage.service.url}/?q=quagga`);
  await asked;
  const early = [await titles(page), await page.locator('#count').allInnerTexts()].flat().join('');
  gate.resolve();
  await page.getByText('1 note', { exact: true }).waitFor();

  expect(copied).toBe('stripes');
  expect(mistyped).toEqual(['zebra', 'Zebra crossing']);
  expect(written).toEqual(['Quagga']);
  expect(early).toBe('');
  expect(page.workers().some((worker) => worker.url().includes('search-worker'))).toBe(true);
});

test('a long list whose worker cannot be loaded is searched by the page', async () => {
  await using visit = await stage.visit({ forgiven: /search-worker|ERR_FAILED/ });
  const { page, context } = visit;
  await context.route('**/search-worker-*.js', (route) => route.abort());
  await page.reload();
  await page.getByText(/^20,10\d notes$/).waitFor();

  await page.locator('#search').fill('zebra cros');
  await page.getByText('1 note', { exact: true }).waitFor();

  expect(await titles(page)).toEqual(['Zebra crossing']);
});

test('Back to a search restores the scroll position once its result is there again', async () => {
  await using visit = await stage.visit();
  const { page } = visit;
  const count = page.locator('#count', { hasText: /notes/ });
  await page.getByText(/^20,10\d notes$/).waitFor();
  await page.locator('#search').fill('review');
  await page.locator('#count', { hasText: /^[\d,]{1,5} notes/ }).waitFor();
  const found = await count.innerText();
  await page.locator('.scroller').evaluate((box) => box.scrollTo(0, 1_000));
  await page.waitForFunction(() => history.state?.offsets.list?.top === 1_000);
  await page.getByRole('button', { name: /^first/ }).click();
  await page.locator('#search').fill('zebra');
  await page.getByText(/^[23] notes$/).waitFor();

  await page.goBack();
  await page.waitForFunction(() => document.querySelector('.scroller')?.scrollTop === 1_000);

  expect(await count.innerText()).toBe(found);
});
