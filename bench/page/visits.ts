/** From the beginning of a navigation to the frame that shows the first note. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Address, viewport } from './stage.ts';

declare global {
  interface Window {
    tellFirstNote(ms: number): void;
  }
}

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

/** In ms. A page without a note ends the run. */
const firstNoteTimeoutMs = 30_000;

/** Does not wait by a script in the page: while that began, the page would wait for it. */
async function openAndMeasureFirstNoteMs(page: Page, url: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  firstNoteListeners.set(page, resolve);
  setTimeout(() => reject(new Error('The page showed no note')), firstNoteTimeoutMs).unref();
  await page.goto(url, { waitUntil: 'commit' });
  return await promise;
}

/** By page, what is told the ms from the beginning of the navigation to the first note. */
const firstNoteListeners = new WeakMap<Page, (ms: number) => void>();

/** Has every page of a context tell when the frame with its first row of a note is done. */
async function installFirstNoteMark(context: BrowserContext): Promise<void> {
  await context.exposeBinding('tellFirstNote', ({ page }, ms: number) => firstNoteListeners.get(page)?.(ms));
  await context.addInitScript(() => {
    const tell = () => window.tellFirstNote(performance.now());
    new MutationObserver((_, observer) => {
      if (document.querySelector('[data-row]') === null) return;
      observer.disconnect();
      requestAnimationFrame(() => void scheduler.postTask(tell, { priority: 'user-blocking' }));
    }).observe(document, { childList: true, subtree: true });
  });
}
