/** How long a note of one line of a megabyte takes to open. */
import type { Browser } from 'playwright-core';
import { categories } from '../../src/core/enums.ts';
import { createDraft } from '../../test/support/sample-notes.ts';
import { createJsonRequest, readNoteBody, startService } from '../../test/support/service.ts';
import { viewport } from './stage.ts';

const content = 'a { color: red } '.repeat(2 ** 20 / 17);

/** The longest time in ms from a click on such a note, of any category, to the frame that shows its text. */
export async function measureLongestOpeningMs(browser: Browser, rounds: number): Promise<number> {
  await using service = await startService();
  const ids: number[] = [];
  for (const category of categories) {
    const { id } = await readNoteBody(
      fetch(`${service.url}/api/notes`, createJsonRequest(createDraft({ category, content }))),
    );
    ids.push(id);
  }
  await using context = await browser.newContext({ viewport });
  const page = await context.newPage();
  await page.goto(service.url);
  await page.locator('#detail .note-text, #detail .note-code').first().waitFor(); // the preview of the newest
  await page.evaluate(() => {
    window.openings = [];
    addEventListener(
      'click',
      ({ timeStamp, target }) => {
        const id = target instanceof Element && target.closest('[data-row]')?.getAttribute('data-row');
        const look = () => {
          const text = document.querySelector('#detail .detail-body')?.textContent ?? '';
          const isShown = new URLSearchParams(location.search).get('note') === id && text.length > 100_000;
          if (!isShown) return requestAnimationFrame(look);
          const record = () => void window.openings.push(performance.now() - timeStamp);
          return void scheduler.postTask(record, { priority: 'user-blocking' });
        };
        look();
      },
      true,
    );
  });
  const opened = Array.from({ length: rounds }, () => ids).flat();
  for (const [index, id] of opened.entries()) {
    await page.locator(`[data-row="${id}"]`).click();
    await page.waitForFunction((count) => window.openings.length === count, index + 1);
  }
  return Math.max(...(await page.evaluate(() => window.openings)));
}
