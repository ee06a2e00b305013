/** How long a note of one line of a megabyte takes to open. */
import type { Browser } from 'playwright-core';
import { categories } from '../../src/core/enums.ts';
import { draft, jsonBody, noteIn, startService } from '../../test/support/service.ts';

const content = 'a { color: red } '.repeat(2 ** 20 / 17);

/** The longest time in ms from a click on such a note, of any category, to the frame that shows its text. */
export async function longestOpeningMs(browser: Browser, rounds: number): Promise<number> {
  await using service = await startService();
  const ids: number[] = [];
  for (const category of categories) {
    const { id } = await noteIn(fetch(`${service.url}/api/notes`, jsonBody(draft({ category, content }))));
    ids.push(id);
  }
  await using context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
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
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => window.openings.push(performance.now() - timeStamp);
          return port2.postMessage(0);
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
