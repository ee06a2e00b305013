/** The page in a real browser, before a real service: what every test of the page begins with. */
import { afterAll, beforeAll, expect } from 'bun:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Note, NoteDraft } from '../../src/domain/note.ts';
import { sharedBrowser } from '../support/browser.ts';
import { jsonBody, noteIn, type Service, startService } from '../support/service.ts';

/** A window of its own, with an empty browser's store. Closing it fails when the page complained or asked a foreign host. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors in the console, exceptions, breaches of the content security policy. */
  readonly complaints: readonly string[];
}

export interface VisitOptions extends BrowserContextOptions {
  /** The query string, with its `?`. */
  readonly query?: string;
  /** Complaints that a test provokes. */
  readonly forgiven?: RegExp;
  /** Whether events reach the page; true when left out. Without them it asks for the list. */
  readonly hasEvents?: boolean;
  /** Another address than the service's. */
  readonly url?: string;
}

export interface Stage {
  readonly browser: Browser;
  readonly service: Service;
  /** Opens the page and waits until it shows notes, or that there are none, and what stands beside them. */
  visit(options?: VisitOptions): Promise<Visit>;
  /** The same, out of the search: letters are commands. */
  visitList(options?: VisitOptions): Promise<Visit>;
  /** Stores notes. */
  add(...drafts: readonly NoteDraft[]): Promise<Note[]>;
}

export const desktop = { width: 1440, height: 900 };
export const tablet = { width: 768, height: 1024 };
export const phone = { width: 360, height: 740 };

/** The browser, and an empty service for all tests of a file. */
export function useStage(): Stage {
  let browser: Browser;
  let service: Service;
  beforeAll(async () => {
    [browser, service] = await Promise.all([sharedBrowser(), startService()]);
  }, 60_000);
  afterAll(() => service[Symbol.asyncDispose]());
  return {
    get browser() {
      return browser;
    },
    get service() {
      return service;
    },
    visit: (options) => visit(browser, { url: service.url, ...options }),
    async visitList(options) {
      const opened = await visit(browser, { url: service.url, ...options });
      await leaveSearch(opened.page);
      return opened;
    },
    add: (...drafts) => addNotes(service, drafts),
  };
}

/** Stores notes one after the other, so that each is newer than the one before. */
export async function addNotes(service: Pick<Service, 'url'>, drafts: readonly NoteDraft[]): Promise<Note[]> {
  const notes: Note[] = [];
  for (const draft of drafts) notes.push(await noteIn(fetch(`${service.url}/api/notes`, jsonBody(draft))));
  return notes;
}

/** A service worker would ask for what tests answer by themselves: those that are about it allow it. */
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
  await page.goto(`${url}/${query}`);
  await page.locator('#count').or(page.getByRole('alert')).first().waitFor();
  await page.locator('#early').waitFor({ state: 'detached' }); // it gives the focus to the search
  await page.locator('#detail').waitFor({ state: 'attached' }); // loaded beside the list
  return {
    page,
    context,
    complaints,
    async [Symbol.asyncDispose]() {
      await context.close();
      expect(complaints.filter((complaint) => !forgiven?.test(complaint))).toEqual([]);
    },
  };
}

function watch(context: BrowserContext, host: string, complaints: string[]): void {
  context.on('console', (said) => {
    if (said.location().url.includes('/api/events')) return; // a service that ends, or a test, breaks the stream off
    if (said.text().startsWith('Service Worker registration blocked')) return; // as `defaults` say
    if (said.type() === 'error' || said.type() === 'warning') complaints.push(said.text());
  });
  context.on('weberror', ({ error }) => complaints.push(String(error())));
  context.on('request', (request) => {
    const asked = new URL(request.url());
    if (asked.protocol.startsWith('http') && asked.host !== host) complaints.push(`asked ${asked.host}`);
  });
}

/** What a paste would give. */
export const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

/** The titles of the rows that are drawn, from top to bottom. */
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

/** From now on time passes as a test says, not as the machine is busy. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
}

/** Reloads the page without the parts that it loads later, and leaves the search. Returns what lets them through. */
export async function withoutParts(page: Page): Promise<() => Promise<void>> {
  const gate = Promise.withResolvers<void>();
  await page.route('**/assets/chunk-*.js', async (route) => {
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

/** Leaves the search for the row under the cursor, an empty list or the open note, where letters are commands. */
export async function leaveSearch(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    if (document.querySelector('#early')) return false; // the page is still to take the focus into the search
    return ['.at-cursor', '#count', '.detail-body'].some((place) => {
      const element = document.querySelector<HTMLElement>(place);
      element?.focus({ preventScroll: true });
      return element !== null && element === document.activeElement;
    });
  });
}
