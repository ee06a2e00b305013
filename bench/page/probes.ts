/** What is measured inside the page. Times are in ms; each probe says what it begins and ends with. */
import type { BrowserContext, CDPSession, Page } from 'playwright-core';

declare global {
  /** Where the probes leave what they see. */
  interface Window {
    keyTimes: number[];
    frameTimes: number[];
    longest: number;
    openings: number[];
  }
}

/** Has every page of a context note when its first row of a note has been painted, since the navigation began. */
export async function markFirstNote(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const afterPaint = (done: () => void) =>
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = done;
        port2.postMessage(0);
      });
    new MutationObserver((_, observer) => {
      if (document.querySelector('[data-row]') === null) return;
      observer.disconnect();
      afterPaint(() => performance.mark('first note'));
    }).observe(document, { childList: true, subtree: true });
  });
}

export const firstNoteMs = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    while (performance.getEntriesByName('first note').length === 0) await new Promise((done) => setTimeout(done, 5));
    return performance.getEntriesByName('first note')[0]?.startTime ?? Number.NaN;
  });

/**
 * From each press of a key in the search box to the frame that shows what it brought. The text is typed, then taken
 * away letter by letter.
 */
export async function keyToPaint(page: Page, texts: readonly string[]): Promise<number[]> {
  await page.evaluate(() => {
    const times: number[] = [];
    window.keyTimes = times;
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: 'longtask' });
    addEventListener(
      'keydown',
      ({ timeStamp }) =>
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => times.push(performance.now() - timeStamp);
          port2.postMessage(0);
        }),
      true,
    );
  });
  await page.locator('#search').focus();
  for (const text of texts) {
    await page.keyboard.type(text, { delay: 60 });
    for (const _ of text) await page.keyboard.press('Backspace', { delay: 60 });
  }
  await page.waitForTimeout(200);
  return page.evaluate(() => window.keyTimes);
}

/** The longest task above 50 ms since keys were pressed, else 0. */
export const longestTask = (page: Page): Promise<number> => page.evaluate(() => window.longest);

/** The lengths of frames while the list is scrolled by a wheel. */
export async function scrollFrames(page: Page, turns: number): Promise<number[]> {
  await page.mouse.move(400, 500);
  await page.evaluate(() => {
    const frames: number[] = [];
    window.frameTimes = frames;
    let last = performance.now();
    const frame = (now: number) => {
      frames.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  for (let turn = 0; turn < turns; turn++) {
    await page.mouse.wheel(0, 300);
    await page.waitForTimeout(16);
  }
  return page.evaluate(() => window.frameTimes.slice(2));
}

/** What the page's scripts hold after a collection, in MB of 2^20 bytes. */
export async function heapMegabytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 2 ** 20;
}
