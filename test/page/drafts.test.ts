/** No typed text is lost before the service has it, whatever happens to the page, the browser or the service. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { draft, jsonBody, noteIn, notesIn, startService, temporaryFolder } from '../support/service.ts';
import { intercept, leaveSearch, row, useStage } from './visit.ts';

const stage = useStage();
const title = (page: Page) => page.locator('.note-form [name=title]');
const content = (page: Page) => page.locator('.note-form [name=content]');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const isKept = (page: Page) => page.locator('.form-state', { hasText: /^Draft$/ }).waitFor();
const drafts = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('notes.draft')).length);

const keptTexts = (page: Page) =>
  page.evaluate(() =>
    Object.entries(localStorage)
      .filter(([key]) => key.startsWith('notes.draft'))
      .map(([, draft]) => JSON.parse(draft).fields.content),
  );
const notice = (page: Page, text: string) => page.locator('.notice', { hasText: text });

async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.press('n');
  await title(page).fill(text);
}

async function another(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(stage.service.url);
  await page.locator('#count').waitFor();
  await leaveSearch(page);
  return page;
}

/** Holds back changes until the returned function is called. */
async function holdChanges(page: Page, then: (route: Route) => Promise<void>): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await intercept(page, '**/api/notes/*', async (route) => {
    await gate.promise;
    await then(route);
  });
  return gate.resolve;
}

/** A note in the form of the detail pane. */
async function editing(options: { forgiven?: RegExp } = {}): Promise<{ page: Page; id: number }> {
  const [note, other] = await stage.add(draft({ title: 'Edited' }), draft({ title: 'Other' }));
  if (!note || !other) throw new Error('no notes');
  const page = await stage.showList({ query: `?note=${note.id}`, ...options });
  await page.keyboard.press('e');
  await content(page).fill('typed');
  return { page, id: note.id };
}

describe('11. Drafts', () => {
  test('begin with the first letter, survive a reload at once, and are offered afterwards', async () => {
    await using visit = await stage.visitList();
    const { page } = visit;
    await type(page, 'Reloade');
    await page.clock.install(); // nothing happens after a while
    await title(page).press('End');
    await title(page).press('d');
    await isKept(page);

    await page.reload();
    await page.getByText('Not saved: “Reloaded”').waitFor();
    await button(page, 'Continue').click();

    expect(await title(page).inputValue()).toBe('Reloaded');
    await isKept(page);
  });

  test('survive a crash of the tab', async () => {
    await using visit = await stage.visitList();
    const { page, context } = visit;
    await type(page, 'Crashed');
    await isKept(page);

    const crashed = page.waitForEvent('crash');
    void page.goto('chrome://crash').catch(() => {});
    await crashed;
    const next = await another(context);
    await next.getByText('Not saved: “Crashed”').waitFor();
    await button(next, 'Continue').click();

    expect(await title(next).inputValue()).toBe('Crashed');
  });

  test('of another tab are offered in the form of a new note, and can be discarded and restored', async () => {
    await using visit = await stage.visitList();
    const { page, context } = visit;
    const closed = await another(context);
    await type(closed, 'Left behind');
    await isKept(closed);
    await closed.close({ runBeforeUnload: false });

    await page.bringToFront();
    await type(page, 'Here');
    await notice(page, 'Not saved: “Left behind”').getByRole('button', { name: 'Discard' }).click();
    await notice(page, 'Not saved: “Left behind”').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByText('Not saved: “Here”').waitFor();
    await page.getByRole('button', { name: 'Show 1 more' }).click();
    await page
      .locator('.message-undoable', { hasText: 'Discarded draft' })
      .getByRole('button', { name: 'Undo' })
      .click();
    await notice(page, 'Not saved: “Here”').waitFor();

    expect(await page.locator('.message', { hasText: 'Not saved' }).count()).toBe(0);
    expect(await title(page).inputValue()).toBe('Left behind');
    expect(await drafts(page)).toBe(2);
  });

  test('in two tabs are one: what the other has typed is shown, or replaced, when the user says so', async () => {
    await using visit = await stage.visitList();
    const { page, context } = visit;
    await type(page, 'One draft');
    await content(page).fill('of the first tab');
    await isKept(page);
    const other = await another(context);
    await other.keyboard.press('n');
    await notice(other, 'Not saved: “One draft”').getByRole('button', { name: 'Continue' }).click();
    const taken = await content(other).inputValue();

    await content(other).fill('of the second tab');
    await notice(page, 'changed in another tab').waitFor();
    await content(page).fill('of the first tab, later');
    // a timer of the page that ends after that of a draft: none is kept before the answer
    await page.evaluate(() => new Promise((done) => setTimeout(done, 500)));
    const unanswered = await keptTexts(page);
    await button(page, 'Keep this').click();
    await notice(other, 'changed in another tab').waitFor();
    const answered = await keptTexts(page);
    await button(other, 'Show that').click();

    expect([taken, unanswered, answered]).toEqual([
      'of the first tab',
      ['of the second tab'],
      ['of the first tab, later'],
    ]);
    expect(await content(other).inputValue()).toBe('of the first tab, later');
    expect(await drafts(page)).toBe(1);
  });

  test('stay after leaving a note by Esc or for another note; discarded beside it, they leave the focus there', async () => {
    const { page, id } = await editing();
    const typed: string[] = [];

    await page.keyboard.press('Escape');
    await page.getByText('Not saved: your changes').waitFor();
    await button(page, 'Continue').click();
    typed.push(await content(page).inputValue());
    await content(page).fill('typed more');
    await page.getByRole('link', { name: 'Other' }).first().click();
    await page.getByText('Not saved: “Edited”').waitFor();
    await row(page, { id }).getByRole('link').click();
    await page.locator('#detail').getByRole('button', { name: 'Continue' }).click();
    typed.push(await content(page).inputValue());
    await page.keyboard.press('Escape');
    await notice(page, 'Not saved').getByRole('button', { name: 'Discard' }).click();
    await page.locator('.detail-body:focus').waitFor();

    expect(typed).toEqual(['typed', 'typed more']);
  });

  test('are discarded on demand, with an Undo, and removed when the text is back to the original', async () => {
    const { page } = await editing();
    await isKept(page);

    await button(page, 'Discard').click();
    await page.locator('.note-form').waitFor({ state: 'detached' });
    const dropped = await drafts(page);
    await page.keyboard.press('z');
    await isKept(page);
    const back = await content(page).inputValue();
    await content(page).fill('Some content');
    expect(await eventually(async () => (await drafts(page)) === 0)).toBe(true);

    expect([dropped, back]).toEqual([0, 'typed']);
    await button(page, 'Discard').waitFor({ state: 'detached' });
  });

  test('stay while the service fails, and are saved when it does not', async () => {
    const page = await stage.showList({ forgiven: /Failed to load resource/ });
    const fail = '**/api/notes';
    await intercept(page, fail, (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status: 500,
            headers: { 'Notes-Outcome': 'none' },
            json: { error: 'Der Speicher ist voll' }, // the code decides, not the sentence
          })
        : route.continue(),
    );
    await type(page, 'Survivor');
    await content(page).fill('text');

    await page.keyboard.press('Control+Enter');
    await page.getByText('Not saved: Der Speicher ist voll').waitFor();
    const kept = await drafts(page);
    await page.unroute(fail);
    await page.keyboard.press('Control+Enter');
    await page.getByText('Saved “Survivor”').first().waitFor();

    expect([kept, await drafts(page)]).toEqual([1, 0]);
    const stored = await notesIn(fetch(`${stage.service.url}/api/notes`));
    expect(stored.filter((note) => note.title === 'Survivor')).toHaveLength(1);
  });

  test('of a new note are saved automatically after a restart of the service, their form closed', async () => {
    using folder = temporaryFolder();
    const env = { DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}` };
    const first = await startService(env);
    await using visit = await stage.visitList({ url: first.url, forgiven: /Failed to load resource/ });
    const { page } = visit;
    await type(page, 'Survivor');
    await content(page).fill('typed while it was away');
    await first.stop('SIGKILL');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Draft, saved when the service is back').waitFor();
    await page.keyboard.press('Escape');

    await using second = await startService({ ...env, PORT: String(first.port) });
    await page.getByText('Saved “Survivor”').first().waitFor();

    expect(await notesIn(fetch(`${second.url}/api/notes`))).toMatchObject([{ title: 'Survivor' }]);
    expect(await drafts(page)).toBe(0);
    expect(await page.getByText('Not saved').count()).toBe(0);
  });

  test.each(['a new note', 'a change'])('whose answer was lost are stored once after a reload: %s', async (kind) => {
    const name = `Reloaded, ${kind}`;
    const [note] = await stage.add(draft({ title: 'Before the reload' }));
    const page = await stage.showList({ query: `?note=${note?.id}`, forgiven: /Failed to load resource/ });
    const away = async (route: Route) => {
      if (route.request().method() === 'GET') return route.fallback();
      await route.fetch();
      await route.abort('connectionreset');
    };
    await page.locator('.detail-body').focus();
    await page.keyboard.press(kind === 'a change' ? 'e' : 'n');
    await title(page).fill(name);
    await content(page).fill('typed while it was away');
    await intercept(page, /\/api\/notes/, away);

    await page.keyboard.press('Control+Enter');
    await page.getByText('Draft, saved when the service is back').waitFor();
    await page.unroute(/\/api\/notes/, away);
    await page.reload();
    expect(await eventually(async () => (await drafts(page)) === 0)).toBe(true);

    const stored = await notesIn(fetch(`${stage.service.url}/api/notes`));
    expect(stored.filter(({ title }) => title === name)).toHaveLength(1);
    expect(await page.getByText('Not saved: “').count()).toBe(0);
  });

  test('that could not be saved, and of a note changed since, are offered after a reload', async () => {
    const { page, id } = await editing({ forgiven: /Failed to load resource/ });
    await intercept(page, '**/api/notes/*', (route) => route.abort());
    await page.keyboard.press('Control+Enter');
    await page.getByText('Draft, saved when the service is back').waitFor();
    await noteIn(fetch(`${stage.service.url}/api/notes/${id}`, jsonBody({ id, content: 'theirs' }, 'PUT')));
    await page.unroute('**/api/notes/*');

    await page.reload();
    await page.getByRole('log').getByRole('button', { name: 'Continue' }).click();

    await page.getByRole('region', { name: 'Mine' }).getByText('typed').waitFor();
    await page.getByRole('region', { name: 'Theirs' }).getByText('theirs', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Not saved: your changes').waitFor();
    expect(await drafts(page)).toBe(1);
  });

  test('newer than the request stay when the answer comes after the form was closed and reopened', async () => {
    const { page } = await editing();
    const answer = await holdChanges(page, (route) => route.continue());

    await page.keyboard.press('Control+Enter');
    await page.getByText('Saving …').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.detail-body').waitFor();
    await page.keyboard.press('e');
    await content(page).fill('typed, and a long second part');
    await page.waitForFunction(() => Object.values(localStorage).some((kept) => kept.includes('second part')));
    answer();
    await page.getByText('Saved “Edited”').first().waitFor();
    const inForm = await content(page).inputValue();
    await page.reload();
    await page.locator('.detail-body').getByText('typed', { exact: true }).waitFor(); // no longer the cached list
    await page.locator('#detail').getByRole('button', { name: 'Continue' }).click();

    expect(inForm).toBe('typed, and a long second part');
    await page.getByRole('region', { name: 'Mine' }).getByText(inForm).waitFor();
    await page.getByRole('region', { name: 'Theirs' }).getByText('typed', { exact: true }).waitFor();
  });

  test('are offered if their form was closed before the service failed', async () => {
    const { page } = await editing({ forgiven: /Failed to load resource/ });
    const fail = await holdChanges(page, (route) => route.fulfill({ status: 500, json: { error: 'Full' } }));

    await page.keyboard.press('Control+Enter');
    await page.getByText('Saving …').waitFor();
    await page.getByRole('link', { name: 'Other' }).first().click();
    await page.locator('#detail h2', { hasText: 'Other' }).waitFor();
    fail();
    const failure = page.getByRole('log').locator('.message', { hasText: 'Not saved, or its answer was lost: Full' });
    await failure.getByRole('button', { name: 'Continue' }).click();

    await content(page).waitFor();
    expect([await title(page).inputValue(), await content(page).inputValue()]).toEqual(['Edited', 'typed']);
  });

  test('of a note are offered once the notes are loaded, and update that note instead of a new one', async () => {
    const { page, id } = await editing({ forgiven: /Failed to load resource/ });
    await isKept(page);
    const list = '**/api/notes';
    await intercept(page, list, (route) => route.abort());

    await page.goto(stage.service.url);
    await button(page, 'Retry').waitFor();
    const tooEarly = await button(page, 'Continue').count();
    const { length: before } = await notesIn(fetch(`${stage.service.url}/api/notes`));
    await page.unroute(list);
    await button(page, 'Retry').click();
    await button(page, 'Continue').click();
    await content(page).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Saved “Edited”').first().waitFor();

    const after = await notesIn(fetch(`${stage.service.url}/api/notes`));
    expect([tooEarly, after.length]).toEqual([0, before]);
    expect(after.find((note) => note.id === id)?.content).toBe('typed');
  });

  test('stay when another tab discards them while they are edited', async () => {
    await using visit = await stage.visitList();
    const { page, context } = visit;
    await type(page, 'Being typed');
    await isKept(page);
    await page.evaluate(() =>
      window.addEventListener('storage', ({ newValue }) => newValue === null && document.body.classList.add('told')),
    );
    const other = await another(context);

    await other.keyboard.press('n');
    await notice(other, 'Being typed').getByRole('button', { name: 'Discard' }).click();
    await page.locator('body.told').waitFor();

    expect(await drafts(page)).toBe(1);
    await page.reload();
    await page.getByText('Not saved: “Being typed”').waitFor();
  });

  test('are kept as long as the page is open when local storage is full, with a message', async () => {
    const page = await stage.showList();
    await page.evaluate(() => {
      for (let size = 5 * 1024 * 1024; size >= 1; size >>= 1) {
        try {
          for (;;) localStorage.setItem(`x${Math.random()}`, 'x'.repeat(size));
        } catch {} // until nothing more fits
      }
    });
    await type(page, 'Nowhere to keep');

    await page.getByText('Draft. This browser cannot keep it').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.note-form').waitFor({ state: 'detached' });
    await page.keyboard.press('n');

    expect(await title(page).inputValue()).toBe('Nowhere to keep');
    const asked = page.waitForEvent('dialog');
    const reloaded = page.reload();
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.accept();
    await reloaded;
  });

  test('stay in the form after the Esc that ends a composition', async () => {
    await using visit = await stage.visitList();
    const { page, context } = visit;
    const ime = await context.newCDPSession(page);
    await type(page, 'かな');

    await ime.send('Input.imeSetComposition', { text: 'か', selectionStart: 1, selectionEnd: 1 });
    await page.keyboard.press('Escape');
    const whileComposing = await page.locator('.note-form').count();
    await ime.send('Input.insertText', { text: '' });
    await page.keyboard.press('Escape');

    expect(whileComposing).toBe(1);
    await page.locator('.note-form').waitFor({ state: 'detached' });
  });
});
