/** Sessions of typing in the search, in the page and in the floor. */
import type { Browser, Page } from 'playwright-core';
import { getMedian, getQuantile } from '../tools/table.ts';
import { learnShownLists, measureKeyTimesMs, type ShownLists } from './key-times.ts';
import { measureMainThreadMs } from './main-thread.ts';
import { type Address, viewport } from './stage.ts';

/** Words, code, and one that is mistyped. */
export const typedTexts = ['undo the last commit', 'centre a div', '--no-cache', 'backup databse', 'host 10.0'];

/** The times of one session in ms, in the middle and for the slowest twentieth, and the main thread's time per key. */
export interface TypingSession {
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly cpuMsPerKey: number;
}

/** What the list shows for all that is typed. Do it once per service. */
export async function openAndLearnLists(browser: Browser, { url }: Address, texts = typedTexts): Promise<ShownLists> {
  await using context = await browser.newContext({ viewport });
  const page = await context.newPage();
  await openSettled(page, url);
  return await learnShownLists(page, texts);
}

/** One session in a new window. */
export async function measureTypingSession(
  browser: Browser,
  { url }: Address,
  lists: ShownLists,
  texts = typedTexts,
): Promise<TypingSession> {
  await using context = await browser.newContext({ viewport });
  const page = await context.newPage();
  await openSettled(page, url);
  const { result, cpuMs } = await measureMainThreadMs(browser, page, () => measureKeyTimesMs(page, texts, lists));
  const keys = texts.join('').length * 2;
  return { medianMs: getMedian(result), p95Ms: getQuantile(result, 0.95), cpuMsPerKey: cpuMs / keys };
}

/** Opens a page, and waits until it has loaded what it loads at first. The floor has no more than one row. */
export async function openSettled(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator('[data-row]').first().waitFor();
  await page.locator('#early').waitFor({ state: 'detached' });
  await page.waitForFunction(
    () => document.title === 'Floor' || /\d/.test(document.querySelector('#count')?.textContent ?? ''),
  );
  await page.waitForTimeout(1_000);
}
