/** What is measured inside the page. Times are in ms; each probe says what it begins and ends with. */
import type { CDPSession, Page } from 'playwright-core';

declare global {
  /** Where the probes leave what they see. */
  interface Window {
    frameTimes: number[];
    longest: number;
    openings: number[];
  }
}

/** From now on, `readLongestTaskMs` knows of the tasks of this page. */
export const startRecordingLongestTask = (page: Page): Promise<void> =>
  page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: 'longtask' });
  });

/** The longest task above 50 ms since `startRecordingLongestTask`, else 0. */
export const readLongestTaskMs = (page: Page): Promise<number> => page.evaluate(() => window.longest);

/** The lengths of frames while the list is scrolled by a wheel. */
export async function scrollAndMeasureFramesMs(page: Page, turns: number): Promise<number[]> {
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
export async function collectAndMeasureHeapMegabytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 2 ** 20;
}
