/** Opens the page in a real browser, on a real service. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout } from 'bun:test';
import type { Browser, BrowserContext, BrowserContextOptions, Dialog, Page } from 'playwright-core';
import type { Note, NoteDraft } from '../../src/core/note.ts';
import { getSharedBrowser } from '../support/browser.ts';
import { hangsAfterMs, isEventuallyTrue, waitsForMs } from '../support/eventually.ts';
import { createJsonRequest, readNoteBody, type Service, startService } from '../support/service.ts';

/** A browser context of its own. Disposal fails if the page logged errors or contacted another host. */
interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console errors and warnings, exceptions, and requests to other hosts. */
  readonly complaints: string[];
}

interface Opened extends Visit {
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

/** What pages need that the tests of a file may share. */
export type ShowOptions = Pick<VisitOptions, 'query' | 'forgiven' | 'hasEvents' | 'colorScheme' | 'reducedMotion'> & {
  readonly viewport?: typeof desktop;
};

export interface Stage {
  readonly browser: Browser;
  readonly service: Service;
  /** Opens the page and waits until notes or their absence are shown, and the pane beside them is loaded. */
  visit(options?: VisitOptions): Promise<Visit>;
  /** The same, with the events open and the focus outside the search: letters are commands. */
  visitList(options?: VisitOptions): Promise<Visit>;
  /** Opens the one page that tests of a file share, which has forgotten what it kept. */
  show(options?: ShowOptions): Promise<Page>;
  /** The same, with the events open and the focus outside the search. */
  showList(options?: ShowOptions): Promise<Page>;
  /** Stores notes. */
  add(...drafts: readonly NoteDraft[]): Promise<Note[]>;
}

export const desktop = { width: 1440, height: 900 };
export const tablet = { width: 768, height: 1024 };
export const phone = { width: 360, height: 740 };

/** The browser, and an empty service for all tests of a file. */
export function useStage(): Stage {
  setDefaultTimeout(hangsAfterMs);
  let browser: Browser;
  let service: Service;
  let shared: Visit | undefined;
  let forgiven: RegExp | undefined;
  beforeAll(async () => {
    [browser, service] = await Promise.all([getSharedBrowser(), startService()]);
  });
  afterEach(async () => {
    if (!shared) return;
    const complaints = shared.complaints.splice(0);
    await resetPageAndPins(shared.page, service); // nothing that a test began goes on during the next one
    expect(unforgiven(complaints, forgiven)).toEqual([]);
  });
  afterAll(async () => {
    await shared?.[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  async function open(options: VisitOptions): Promise<Opened> {
    const visit = await newVisit(browser, options);
    return { ...visit, ...(await load(visit.page, `${options.url ?? service.url}/${options.query ?? ''}`)) };
  }

  async function reopen(options: ShowOptions = {}): Promise<Opened> {
    const { query = '', viewport = desktop, colorScheme = null, reducedMotion = null } = options;
    shared ??= await newVisit(browser, { url: service.url });
    forgiven = options.forgiven;
    const { page, complaints } = shared;
    if (!page.url().endsWith('/healthz')) await resetPageAndPins(page, service); // of the same test
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, reducedMotion, forcedColors: null, media: null });
    if (options.hasEvents === false) await page.route('**/api/events*', (route) => route.abort());
    complaints.length = 0;
    return { ...shared, ...(await load(page, `${service.url}/${query}`)) };
  }

  async function asList(opened: Opened, hasEvents = true): Promise<Opened> {
    if (hasEvents) await opened.eventsOpen; // opening counts as an answer: failed saves are retried
    await leaveSearch(opened.page);
    return opened;
  }

  return {
    get browser() {
      return browser;
    },
    get service() {
      return service;
    },
    visit: (options) => open({ url: service.url, ...options }),
    visitList: async (options) => asList(await open({ url: service.url, ...options }), options?.hasEvents),
    show: async (options) => (await reopen(options)).page,
    showList: async (options) => (await asList(await reopen(options), options?.hasEvents)).page,
    add: (...drafts) => addNotes(service, drafts),
  };
}

/** Stores notes one by one, so that each is newer than the one before. */
export async function addNotes(service: Pick<Service, 'url'>, drafts: readonly NoteDraft[]): Promise<Note[]> {
  const notes: Note[] = [];
  for (const draft of drafts)
    notes.push(await readNoteBody(fetch(`${service.url}/api/notes`, createJsonRequest(draft))));
  return notes;
}

/** A service worker would bypass the routes of tests, so only tests of the worker allow it. */
const defaults = { viewport: desktop, locale: 'en-GB', serviceWorkers: 'block' } as const;

async function newVisit(
  browser: Browser,
  { url = '', forgiven, hasEvents = true, query: _, ...options }: VisitOptions,
): Promise<Visit> {
  const context = await browser.newContext({ ...defaults, ...options });
  context.setDefaultTimeout(waitsForMs);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  if (!hasEvents) await context.route('**/api/events*', (route) => route.abort());
  const complaints: string[] = [];
  collectComplaints(context, new URL(url).host, complaints);
  return {
    page: await context.newPage(),
    context,
    complaints,
    async [Symbol.asyncDispose]() {
      await context.close();
      expect(unforgiven(complaints, forgiven)).toEqual([]);
    },
  };
}

const unforgiven = (complaints: readonly string[], forgiven?: RegExp) =>
  complaints.filter((complaint) => !forgiven?.test(complaint));

/** Opens the page as `openAndWait` does. */
async function load(page: Page, url: string): Promise<Pick<Opened, 'eventsOpen'>> {
  const eventsOpen = page.waitForResponse(/\/api\/events/);
  eventsOpen.catch(() => {}); // not every page has them
  await openAndWait(page, url);
  return { eventsOpen };
}

/** Opens an address of the page, and waits until notes or their absence are shown, and keys reach what has the focus. */
export async function openAndWait(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await untilLoaded(page);
}

/** Loads the page again, and waits as after its first visit. */
export async function reloadAndWait(page: Page): Promise<void> {
  await page.reload();
  await untilLoaded(page);
}

async function untilLoaded(page: Page): Promise<void> {
  await page.locator('#count').or(page.getByRole('alert')).first().waitFor();
  await page.locator('#early').waitFor({ state: 'detached' }); // it moves the focus to the search
  await page.locator('#detail').waitFor({ state: 'attached' }); // loaded beside the list
}

/** Ends the page's routes, and removes its storage and history, at an address where none of its scripts runs. */
async function resetPageAndPins(page: Page, { url }: Service): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const leave = (question: Dialog) => question.accept(); // of a page with text that it cannot keep
  page.on('dialog', leave);
  await page.goto(`${url}/healthz`);
  page.off('dialog', leave);
  await page.evaluate(async () => {
    localStorage.clear();
    for (const { name = '' } of await indexedDB.databases()) indexedDB.deleteDatabase(name);
  });
  await fetch(`${url}/api/pins`, createJsonRequest({ ids: [] }, 'PUT'));
  const session = await page.context().newCDPSession(page);
  await session.send('Page.resetNavigationHistory');
  await session.detach();
}

function collectComplaints(context: BrowserContext, host: string, complaints: string[]): void {
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

/** Waits until the page can be opened without the service, with its list. */
export async function untilReady(page: Page): Promise<void> {
  const hasWorker = () =>
    page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state === 'activated');
  expect(await isEventuallyTrue(hasWorker)).toBe(true);
  await untilListIsCached(page);
}

/** Waits until the next visit can show the list before the service answers. */
export async function untilListIsCached(page: Page): Promise<void> {
  await page.waitForFunction(() => localStorage.getItem(`notes.list:${location.pathname}`) !== null);
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

/** The text in the form of a note. Waits for its editor: until that is loaded, a text area stands in for it. */
export function contentField(page: Page) {
  const editor = page.locator('.note-form content-editor[name=content]');
  return {
    editor,
    /** The element that has the focus, and the attributes of a field. */
    text: editor.getByRole('textbox', { name: 'Content' }),
    inputValue: () => editor.evaluate((editor) => ('value' in editor ? String(editor.value) : '')),
    focus: () => editor.focus(),
    isVisible: () => editor.isVisible(),
    /** Replaces the text as a person does: selects all of it, and types or pastes. */
    async fill(text: string): Promise<void> {
      await editor.focus();
      await page.keyboard.press('ControlOrMeta+A');
      if (text === '') await page.keyboard.press('Delete');
      else await page.keyboard.insertText(text);
    },
    select: (start: number, end = start) =>
      editor.evaluate(
        (editor, range) => {
          if ('setSelectionRange' in editor && typeof editor.setSelectionRange === 'function')
            editor.setSelectionRange(...range);
        },
        [start, end] as const,
      ),
  };
}

/** Presses an arrow that moves nothing in a list or a note: letters are commands again after a click. */
export const goOnByKeys = (page: Page): Promise<void> => page.keyboard.press('ArrowLeft');
