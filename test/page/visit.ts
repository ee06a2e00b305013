/** Opens the page in a real browser, on a real service. */
import { afterAll, beforeAll, expect, setDefaultTimeout } from 'bun:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Note, NoteDraft } from '../../src/core/note.ts';
import { sharedBrowser } from '../support/browser.ts';
import { jsonBody, noteIn, type Service, startService } from '../support/service.ts';

/** A browser context of its own. Disposal fails if the page logged errors or contacted another host. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console errors and warnings, exceptions, and requests to other hosts. */
  readonly complaints: readonly string[];
  /** Resolves when the page has events. */
  readonly eventsOpen: Promise<unknown>;
}

export interface VisitOptions extends BrowserContextOptions {
  /** The query string, with its `?`. */
  readonly query?: string;
  /** Complaints that a test provokes. */
  readonly forgiven?: RegExp;
  /** Whether events reach the page; true by default. Without them it polls the list. */
  readonly hasEvents?: boolean;
  /** An address other than the service's. */
  readonly url?: string;
}

export interface Stage {
  readonly browser: Browser;
  readonly service: Service;
  /** Opens the page and waits until notes or their absence are shown, and the pane beside them is loaded. */
  visit(options?: VisitOptions): Promise<Visit>;
  /** The same, with the events open and the focus outside the search: letters are commands. */
  visitList(options?: VisitOptions): Promise<Visit>;
  /** Stores notes. */
  add(...drafts: readonly NoteDraft[]): Promise<Note[]>;
}

export const desktop = { width: 1440, height: 900 };
export const tablet = { width: 768, height: 1024 };
export const phone = { width: 360, height: 740 };

/** The browser, and an empty service for all tests of a file, each of which may take a minute. */
export function useStage(): Stage {
  setDefaultTimeout(60_000);
  let browser: Browser;
  let service: Service;
  beforeAll(async () => {
    [browser, service] = await Promise.all([sharedBrowser(), startService()]);
  });
  afterAll(() => service[Symbol.asyncDispose]());
  return {
    get browser() {
      return browser;
    },
    get service() {
      return service;
    },
    visit: (options) => visit(browser, { url: service.url, ...options }),
    async visitList(options = {}) {
      const opened = await visit(browser, { url: service.url, ...options });
      if (options.hasEvents !== false) await opened.eventsOpen; // opening counts as an answer: failed saves are retried
      await leaveSearch(opened.page);
      return opened;
    },
    add: (...drafts) => addNotes(service, drafts),
  };
}

/** Stores notes one by one, so that each is newer than the one before. */
export async function addNotes(service: Pick<Service, 'url'>, drafts: readonly NoteDraft[]): Promise<Note[]> {
  const notes: Note[] = [];
  for (const draft of drafts) notes.push(await noteIn(fetch(`${service.url}/api/notes`, jsonBody(draft))));
  return notes;
}

/** A service worker would bypass the routes of tests, so only tests of the worker allow it. */
const defaults = { viewport: desktop, locale: 'en-GB', serviceWorkers: 'block' } as const;

async function visit(
  browser: Browser,
  { url = '', query = '', forgiven, hasEvents = true, ...options }: VisitOptions,
): Promise<Visit> {
  const context = await browser.newContext({ ...defaults, ...options });
  context.setDefaultTimeout(30_000);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  if (!hasEvents) await context.route('**/api/events*', (route) => route.abort());
  const complaints: string[] = [];
  watch(context, new URL(url).host, complaints);
  const page = await context.newPage();
  const eventsOpen = page.waitForResponse(/\/api\/events/);
  eventsOpen.catch(() => {}); // not every page has them
  await page.goto(`${url}/${query}`);
  await page.locator('#count').or(page.getByRole('alert')).first().waitFor();
  await page.locator('#early').waitFor({ state: 'detached' }); // it moves the focus to the search
  await page.locator('#detail').waitFor({ state: 'attached' }); // loaded beside the list
  return {
    page,
    context,
    complaints,
    eventsOpen,
    async [Symbol.asyncDispose]() {
      await context.close();
      expect(complaints.filter((complaint) => !forgiven?.test(complaint))).toEqual([]);
    },
  };
}

function watch(context: BrowserContext, host: string, complaints: string[]): void {
  context.on('console', (said) => {
    if (said.location().url.includes('/api/events')) return; // tests and ending services interrupt the stream
    if (said.text().startsWith('Service Worker registration blocked')) return; // see `defaults`
    if (said.type() === 'error' || said.type() === 'warning') complaints.push(said.text());
  });
  context.on('weberror', ({ error }) => complaints.push(String(error())));
  context.on('request', (request) => {
    const asked = new URL(request.url());
    if (asked.protocol.startsWith('http') && asked.host !== host) complaints.push(`asked ${asked.host}`);
  });
}

/** The text that a paste would insert. */
export const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

/** The titles of the drawn rows, from top to bottom. */
export const titles = (page: Page): Promise<string[]> =>
  page
    .locator('.row')
    .evaluateAll((rows) =>
      rows
        .toSorted((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top)
        .map((row) => row.querySelector('[data-title]')?.textContent ?? ''),
    );

/** The row of a note. */
export const row = (page: Page, { id }: Pick<Note, 'id'>) => page.locator(`.row:has([data-row="${id}"])`);

/** The title of the row under the cursor. */
export const atCursor = (page: Page): Promise<string> => page.locator('.at-cursor [data-title]').innerText();

/**
 * Routes requests, as `page.route` does, and waits until the page itself knows. Without that, about one in fifty of the
 * requests that a key caused was missed: keys reach the page through another channel, evaluations through the same.
 */
export async function intercept(page: Page, ...args: Parameters<Page['route']>): Promise<void> {
  await page.route(...args);
  await page.evaluate(() => {});
}

/** From now on only the test advances the clock of the page. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
}

/** Reloads the page with its lazy parts held back, and leaves the search. Returns a function that lets them load. */
export async function withoutParts(page: Page): Promise<() => Promise<void>> {
  const gate = Promise.withResolvers<void>();
  await intercept(page, '**/assets/chunk-*.js', async (route) => {
    await gate.promise;
    await route.continue();
  });
  await page.reload({ waitUntil: 'commit' });
  await page.locator('.row').first().waitFor();
  await leaveSearch(page);
  return () => {
    gate.resolve();
    return page.unrouteAll({ behavior: 'wait' });
  };
}

/** Moves focus from the search to the row under the cursor, an empty list or the open note: letters are commands. */
export async function leaveSearch(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    if (document.querySelector('#early')) return false; // the page will still focus the search
    return ['.at-cursor', '#count', '.detail-body'].some((place) => {
      const element = document.querySelector<HTMLElement>(place);
      element?.focus({ preventScroll: true });
      return element !== null && element === document.activeElement;
    });
  });
}
