/** Above 20,000 notes a worker searches: keys never wait for it, and Enter waits for its result. */
import { expect, test } from 'bun:test';
import { corpus } from '../support/data/corpus.ts';
import { draft, jsonBody, portableNote, startService } from '../support/service.ts';
import { addNotes, clipboard, titles, useStage } from './visit.ts';

const stage = useStage();

const many = corpus(20_100).map((drafted, index) => portableNote(index + 1, drafted));

test('a long list is searched in a worker like a short one, including later changes', async () => {
  await using service = await startService();
  for (let from = 0; from < many.length; from += 1_000) {
    await fetch(`${service.url}/merge`, jsonBody({ notes: many.slice(from, from + 1_000) }));
  }
  await addNotes(service, [
    draft({ title: 'Zebra crossing', content: 'stripes' }),
    draft({ title: 'zebra', content: 'one' }),
  ]);
  await using visit = await stage.visit({ url: service.url });
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
  await addNotes(service, [draft({ title: 'Quagga' })]);
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
  await page.goto(`${service.url}/?q=quagga`);
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
