/** Few of ten thousand notes are drawn, and removed rows are freed. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { CDPSession, Page } from 'playwright-core';
import { createCorpus } from '../support/data/corpus.ts';
import { createDraft } from '../support/sample-notes.ts';
import { intercept, leaveSearch, useStage } from './visit.ts';

const stage = useStage();
beforeAll(() => stage.add(createDraft()));

const many = createCorpus(10_000).map((note, index) => ({
  ...note,
  id: index + 1,
  archived: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: new Date(Date.UTC(2026, 0, 1) + index).toISOString(),
}));

const answerWithMany = (page: Page) => intercept(page, '**/api/notes', (route) => route.fulfill({ json: many }));

/** The nodes and listeners of the page after garbage collection. */
async function held(session: CDPSession): Promise<{ nodes: number; listeners: number }> {
  await session.send('HeapProfiler.collectGarbage');
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  return { nodes, listeners: jsEventListeners };
}

describe('4. Windowing', () => {
  test('of ten thousand notes only the visible ones are drawn, in the list and on the board', async () => {
    const page = await stage.show({ hasEvents: false }); // a list of the browser is then compared, not only updated
    await answerWithMany(page);
    await page.reload();
    await page.getByText('10,000 notes').waitFor();
    const drawn = [await page.locator('.row').count()];

    await page.locator('.scroller').evaluate((box) => box.scrollTo(0, box.scrollHeight / 2));
    await page.locator('.row[aria-posinset="5001"]').waitFor();
    drawn.push(await page.locator('.row').count());
    await page.locator('.scroller').evaluate((box) => box.scrollTo(0, box.scrollHeight));
    const last = page.locator('.row[aria-posinset="10000"]');
    await last.waitFor();
    const lowest = await last.boundingBox();
    const list = await page.locator('.scroller').boundingBox();
    drawn.push(await page.locator('.row').count());
    await page.getByRole('button', { name: 'Board', exact: true }).click();
    await page.locator('.board').waitFor();
    const inBoard = await page.locator('.row').count();

    expect((lowest?.y ?? 0) + (lowest?.height ?? 0)).toBe((list?.y ?? 0) + (list?.height ?? 0) - 64); // room for a message
    expect(Math.max(...drawn)).toBeLessThan(35);
    expect(inBoard).toBeLessThan(5 * 35);
  });

  test('a thousand moves leave no more nodes and listeners than ten', async () => {
    const page = await stage.showList({ hasEvents: false });
    await answerWithMany(page);
    await page.reload();
    await page.getByText('10,000 notes').waitFor();
    await leaveSearch(page);
    const session = await page.context().newCDPSession(page);
    const move = (times: number) =>
      page.evaluate(async (times) => {
        for (let time = 0; time < times; time++) {
          const target = document.activeElement ?? document.body;
          target.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true, cancelable: true }));
          await new Promise((drawn) => setTimeout(drawn));
        }
      }, times);

    await page.keyboard.press('o');
    await move(30);
    const before = await held(session);
    await move(1_000);
    await page.locator('.row[aria-posinset="1031"] .at-cursor').waitFor();
    const after = await held(session);

    expect(after.nodes).toBeLessThan(before.nodes * 1.5);
    expect(after.listeners).toBeLessThan(before.listeners * 1.5);
  });
});
