/** From the beginning of a navigation to the frame that shows the first note. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Address, viewport } from './stage.ts';

/** The ms to the first note in a new window, which has nothing in its caches. */
export async function measureFirstVisitMs(browser: Browser, { url }: Address): Promise<number> {
  await using context = await browser.newContext({ viewport });
  await installFirstNoteMark(context);
  return await openAndMeasureFirstNoteMs(await context.newPage(), url);
}

/** The ms to the first note in a window that `prepareSecondVisits` has made. */
export async function measureSecondVisitMs(context: BrowserContext, { url }: Address): Promise<number> {
  const page = await context.newPage();
  const ms = await openAndMeasureFirstNoteMs(page, url);
  await page.close();
  return ms;
}

/** A window whose browser has kept the list and the files of the page. The caller closes it. */
export async function prepareSecondVisits(browser: Browser, { url }: Address): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport });
  await installFirstNoteMark(context);
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForFunction(() => Object.keys(localStorage).some((key) => key.startsWith('notes.list:')));
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await page.close();
  return context;
}

async function openAndMeasureFirstNoteMs(page: Page, url: string): Promise<number> {
  await page.goto(url);
  await page.waitForFunction(() => performance.getEntriesByName('first note').length > 0);
  return page.evaluate(() => performance.getEntriesByName('first note')[0]?.startTime ?? Number.NaN);
}

/** Has every page of a context set a mark when the frame with its first row of a note is done. */
async function installFirstNoteMark(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const mark = () => void performance.mark('first note');
    new MutationObserver((_, observer) => {
      if (document.querySelector('[data-row]') === null) return;
      observer.disconnect();
      requestAnimationFrame(() => void scheduler.postTask(mark, { priority: 'user-blocking' }));
    }).observe(document, { childList: true, subtree: true });
  });
}
