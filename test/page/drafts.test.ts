/** No typed text is lost before the service has it, whatever happens to the page, the browser or the service. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  readNoteBody,
  readNotesBody,
  startService,
} from '../support/service.ts';
import { contentField, goOnByKeys, intercept, leaveSearch, openAndWait, phone, row, useStage } from './visit.ts';

const stage = useStage();
beforeAll(() => stage.add(createDraft({ title: 'Stored' }))); // without notes, `n` would be the first letter of one
const title = (page: Page) => page.locator('.note-form [name=title]');
const content = (page: Page) => contentField(page);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const drafts = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('notes.draft')).length);

const keptTexts = (page: Page) =>
  page.evaluate(() =>
    Object.entries(localStorage)
      .filter(([key]) => key.startsWith('notes.draft'))
      .map(([, draft]) => JSON.parse(draft).fields.content),
  );

/** Waits until a draft has the text of the form, also what was typed last, and the form says so. */
async function isKept(page: Page): Promise<void> {
  const typed = await content(page).inputValue();
  expect(await isEventuallyTrue(async () => (await keptTexts(page)).includes(typed))).toBe(true);
  await page.locator('.form-state', { hasText: /^Draft$/ }).waitFor();
}

const draftRow = (page: Page, title: string) => page.locator('.draft-row', { hasText: title });
const waits = (page: Page) => page.getByText('Not sent yet').first().waitFor();
const notice = (page: Page, text: string) => page.locator('.notice', { hasText: text });

async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.press('n');
  await title(page).fill(text);
}

async function another(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await openAndWait(page, stage.service.url);
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
  const [note, other] = await stage.add(createDraft({ title: 'Edited' }), createDraft({ title: 'Other' }));
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
    await draftRow(page, 'Reloaded').getByText('Draft', { exact: true }).waitFor();
    const messages = await page.locator('.message').count();
    await draftRow(page, 'Reloaded').getByRole('button').first().click();

    expect(await title(page).inputValue()).toBe('Reloaded');
    expect(messages).toBe(0);
    await isKept(page);
  });

  test('that have the focus in the list hand no key to the note at its cursor', async () => {
    const [note] = await stage.add(createDraft({ title: 'At the cursor' }));
    const page = await stage.showList();
    await type(page, 'Half done');
    await isKept(page);
    await page.keyboard.press('Escape');
    const draft = draftRow(page, 'Half done').getByRole('button').first();

    await draft.focus();
    for (const key of ['a', 'p', 'x', 'd']) await draft.press(key);

    expect(await page.locator('.message', { hasText: /Archived|Pinned/ }).count()).toBe(0);
    expect(await title(page).count()).toBe(0);
    const stored = await readNotesBody(fetch(`${stage.service.url}/api/notes?archived=false`));
    expect(stored.map(({ id }) => id)).toContain(note?.id ?? 0);
  });

  test('show the whole ring of the focus', async () => {
    await stage.add(createDraft({ title: 'A note' }));
    const page = await stage.showList();
    await type(page, 'Half done');
    await page.keyboard.press('Escape');
    const draft = draftRow(page, 'Half done').getByRole('button').first();
    await draft.waitFor();

    await page.keyboard.press('ArrowUp');
    await page.locator('.draft-row button:focus-visible').waitFor();

    const isCut = await draft.evaluate((button) => {
      const { outlineOffset, outlineWidth } = getComputedStyle(button);
      const ringPx = Number.parseFloat(outlineOffset) + Number.parseFloat(outlineWidth);
      const list = button.closest('.draft-rows')?.getBoundingClientRect();
      const { top, bottom } = button.getBoundingClientRect();
      return list === undefined || top - ringPx < list.top || bottom + ringPx > list.bottom;
    });
    expect(isCut).toBe(false);
  });

  test('are reached by the arrows above the first note, and Enter continues them', async () => {
    await stage.add(createDraft({ title: 'Second' }), createDraft({ title: 'First' }));
    const page = await stage.show();
    const fields = ['Lower', 'Upper'].map((title) => createDraft({ title }));
    await page.evaluate((all) => {
      for (const [keptAt, fields] of all.entries())
        localStorage.setItem(`notes.draft:/:new-${keptAt}`, JSON.stringify({ fields, keptAt }));
    }, fields);
    await page.reload();
    await page.locator('.draft-row').nth(1).waitFor();
    await leaveSearch(page);
    const focusedTitle = () =>
      page.evaluate(() => document.activeElement?.querySelector('[data-title]')?.textContent ?? '');
    const press = async (keys: readonly string[]) => {
      const seen: string[] = [];
      for (const key of keys) {
        await page.keyboard.press(key);
        seen.push(await focusedTitle());
      }
      return seen;
    };

    const up = await press(['ArrowDown', 'k', 'ArrowUp', 'k', 'ArrowUp']);
    const down = await press(['ArrowDown', 'j', 'j']);
    await press(['k', 'ArrowUp', 'Enter']);
    await title(page).waitFor();

    expect(up).toEqual(['Second', 'First', 'Lower', 'Upper', 'Upper']);
    expect(down).toEqual(['Lower', 'First', 'Second']);
    expect(await title(page).inputValue()).toBe('Lower');
  });

  test('are rows of the list after a reload, which can be discarded there, with an Undo', async () => {
    const { page } = await editing();
    await isKept(page);
    await page.reload();

    await button(page, 'Discard the draft “Edited”').click();
    await draftRow(page, 'Edited').waitFor({ state: 'detached' });
    const discarded = await drafts(page);
    await button(page, 'Undo').click();
    await content(page).editor.waitFor();

    expect([discarded, await content(page).inputValue()]).toEqual([0, 'typed']);
  });

  test('can be discarded in the message that follows their form', async () => {
    const page = await stage.showList();
    await type(page, 'Left at once');
    await page.keyboard.press('Escape');

    await page.getByRole('log').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Discarded draft: “Left at once”').waitFor();

    expect(await drafts(page)).toBe(0);
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
    await draftRow(next, 'Crashed').getByRole('button').first().click();

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
    await notice(page, 'Not saved: “Left behind”').getByRole('button', { name: 'Discard the older draft' }).click();
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
    // a timer of the page that ends after that of a draft: before the answer, each text has its own
    await page.evaluate(() => new Promise((done) => setTimeout(done, 500)));
    const unanswered = await keptTexts(page);
    await button(page, 'Keep this').click();
    await notice(other, 'changed in another tab').waitFor();
    const answered = await keptTexts(page);
    await button(other, 'Show that').click();

    expect([taken, unanswered.toSorted(), answered]).toEqual([
      'of the first tab',
      ['of the first tab, later', 'of the second tab'],
      ['of the first tab, later'],
    ]);
    expect(await content(other).inputValue()).toBe('of the first tab, later');
    expect(await drafts(page)).toBe(1);
  });

  test('of one note in two tabs are both there after a reload of the second one', async () => {
    await using visit = await stage.visitList();
    const { page, context } = visit;
    const [note] = await stage.add(createDraft({ title: 'In two tabs', content: 'stored' }));
    const edit = async (tab: Page) => {
      await row(tab, { id: note?.id ?? 0 })
        .getByRole('link')
        .click();
      await goOnByKeys(tab);
      await tab.keyboard.press('e');
      await content(tab).editor.waitFor();
    };
    await edit(page);
    const other = await another(context);
    await edit(other);
    await content(other).fill('of the second tab');
    await isKept(other);

    await notice(page, 'Another tab has a draft of this').waitFor();
    const asked = await button(page, 'Keep this').count();
    await content(page).fill('of the first tab');
    await notice(page, 'changed in another tab').waitFor();
    await page.reload();
    const kept = await keptTexts(page);
    await draftRow(page, 'of the first tab').getByRole('button').first().click();
    const continued = await content(page).inputValue();
    await button(page, 'Discard').click();

    expect(asked).toBe(0); // nothing was typed here
    expect(kept.toSorted()).toEqual(['of the first tab', 'of the second tab']);
    expect(continued).toBe('of the first tab');
    expect(await isEventuallyTrue(async () => (await keptTexts(other)).join() === 'of the second tab')).toBe(true);
  });

  test('in two tabs: the same text asks nothing, and Undo gives back the one that was not chosen', async () => {
    const [note] = await stage.add(createDraft({ title: 'Chosen', content: 'stored' }));
    const query = `?note=${note?.id}`;
    await using visit = await stage.visitList({ query });
    const { page, context } = visit;
    const other = await context.newPage();
    await openAndWait(other, `${stage.service.url}/${query}`);
    for (const tab of [page, other]) {
      await tab.locator('.detail-body').focus();
      await tab.keyboard.press('e');
      await content(tab).editor.waitFor();
    }
    await content(other).fill('of the second tab');
    await isKept(other);
    await notice(page, 'Another tab has a draft of this').waitFor();

    await content(page).fill('of the second tab');
    await notice(page, 'tab').waitFor({ state: 'detached' });
    await content(page).fill('of the first tab');
    await isKept(page);
    await notice(other, 'changed in another tab').waitFor();
    await button(other, 'Keep this').click();
    await notice(page, 'changed in another tab').waitFor();
    const kept = await keptTexts(other);
    await content(other).focus();
    await other.keyboard.press('Escape');
    await other.locator('.detail-body:focus').waitFor();
    await other.keyboard.press('z');
    await title(other).waitFor();

    expect(kept).toEqual(['of the second tab']);
    expect(await content(other).inputValue()).toBe('of the first tab');
    expect((await keptTexts(other)).toSorted()).toEqual(['of the first tab', 'of the second tab']);
  });

  test('typed on while they are saved stay when another tab has the form of the note open', async () => {
    await using visit = await stage.visitList();
    const { page: other, context } = visit;
    const [note] = await stage.add(createDraft({ title: 'Typed on', content: 'stored' }));
    const page = await context.newPage();
    for (const tab of [other, page]) {
      await openAndWait(tab, `${stage.service.url}/?note=${note?.id}`);
      await tab.locator('.detail-body').focus();
      await tab.keyboard.press('e');
      await content(tab).fill(tab === other ? 'one' : 'one two');
      await isKept(tab);
    }
    await notice(other, 'changed in another tab').waitFor();
    const answer = await holdChanges(page, (route) => route.continue());
    await page.keyboard.press('Control+Enter');
    await page.getByText('Saving …').waitFor();
    await content(page).fill('one two three');
    expect(await isEventuallyTrue(async () => (await keptTexts(page)).includes('one two three'))).toBe(true);

    answer();
    await page.getByText('Saved “Typed on”').first().waitFor();
    await page.getByText('Saving …').waitFor({ state: 'detached' });
    const isTold = other.evaluate(
      () => new Promise((done) => window.addEventListener('storage', ({ key }) => key === 'last' && done(key))),
    );
    await other.evaluate(() => {}); // the listener is there
    await page.evaluate(() => localStorage.setItem('last', 'change')); // the other tab hears of all changes before it
    await isTold;

    expect(await keptTexts(other)).toEqual(['one two three']);
  });

  test('of another tab stay when an earlier text is not saved after its form was closed', async () => {
    await using visit = await stage.visitList({ forgiven: /Failed to load resource/ });
    const { page, context } = visit;
    const [note] = await stage.add(createDraft({ title: 'Continued', content: 'stored' }));
    const edit = async (tab: Page, text: string) => {
      await openAndWait(tab, `${stage.service.url}/?note=${note?.id}`);
      await tab.locator('.detail-body').focus();
      await tab.keyboard.press('e');
      await content(tab).fill(text);
      await isKept(tab);
    };
    await edit(page, 'one');
    const fail = await holdChanges(page, (route) => route.fulfill({ status: 500, json: { error: 'Full' } }));
    await page.keyboard.press('Control+Enter');
    await page.getByText('Saving …').waitFor();
    await page.keyboard.press('Escape');
    await edit(await context.newPage(), 'one two');
    expect(await isEventuallyTrue(async () => (await keptTexts(page)).includes('one two'))).toBe(true);

    fail();
    await page.getByRole('log').getByText('Not saved, or its answer was lost: Full').waitFor();

    expect(await keptTexts(page)).toEqual(['one two']);
  });

  test.each(['saved', 'discarded'])('of another tab that has left its form stay when this one is %s', async (how) => {
    await using visit = await stage.visitList();
    const { page, context } = visit;
    const [note] = await stage.add(createDraft({ title: `Left, then ${how}`, content: 'stored' }));
    const query = `/?note=${note?.id}`;
    const other = await context.newPage();
    for (const tab of [page, other]) await openAndWait(tab, stage.service.url + query);
    const fill = async (tab: Page, text: string) => {
      await tab.bringToFront();
      await tab.locator('.detail-body, .note-form').first().waitFor();
      if (await tab.locator('.detail-body').isVisible()) {
        await tab.locator('.detail-body').focus();
        await tab.keyboard.press('e');
      }
      await content(tab).fill(text);
    };
    await fill(page, 'of the first tab');
    await isKept(page);
    await fill(other, 'of the second tab');
    await notice(page, 'changed in another tab').waitFor();
    await fill(page, 'of the first tab, later');
    expect(await isEventuallyTrue(async () => (await keptTexts(page)).length === 2)).toBe(true);
    await other.keyboard.press('Escape');

    await button(page, how === 'saved' ? 'Save' : 'Discard').click();
    await page.locator('.note-form').waitFor({ state: 'detached' });

    expect(await keptTexts(page)).toEqual(['of the second tab']);
  });

  test('stay after leaving a note by Esc or for another note; discarded beside it, they leave the focus there', async () => {
    const { page, id } = await editing();
    const typed: string[] = [];

    await page.keyboard.press('Escape');
    await page.getByText('Not saved: your changes to “Edited”').waitFor();
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

  test.each([
    ['a click on its row', (page: Page) => draftRow(page, 'Of many lines').getByRole('button').first().click()],
    ['Enter on its row', (page: Page) => draftRow(page, 'Of many lines').getByRole('button').first().press('Enter')],
    ['`n`', (page: Page) => page.keyboard.press('n')],
  ])('are continued by %s at the end of their text, which is in sight', async (_, proceed) => {
    const lines = Array.from({ length: 80 }, (_, index) => `line ${index}`).join('\n');
    const page = await stage.showList();
    await type(page, 'Of many lines');
    await content(page).fill(lines);
    await isKept(page);
    await page.keyboard.press('Escape');
    await draftRow(page, 'Of many lines').waitFor();
    await leaveSearch(page);

    await proceed(page);
    await page.keyboard.type(' more');
    const shown = content(page).editor.locator('.cm-line', { hasText: 'line 79' });
    const lastLine = await shown.innerText();
    const bottom = await page.locator('.form-text').evaluate((pane) => pane.getBoundingClientRect().bottom);
    const box = await shown.boundingBox();

    expect(lastLine).toBe('line 79 more');
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(bottom);
    expect(await content(page).inputValue()).toBe(`${lines} more`);
  });

  test('of a note are continued at their end', async () => {
    const { page } = await editing();
    await page.keyboard.press('Escape');
    await notice(page, 'Not saved').getByRole('button', { name: 'Continue' }).click();
    await page.keyboard.type(' on');

    expect(await content(page).inputValue()).toBe('typed on');
  });

  test('are offered on a phone by notices whose words are not cut off', async () => {
    const { page } = await editing();
    await page.keyboard.press('Escape');
    await page.setViewportSize(phone);
    const words = notice(page, 'Not saved').locator('span').first();
    await words.waitFor();

    expect(await words.evaluate((words) => words.scrollWidth - words.clientWidth)).toBe(0);
    expect(await words.innerText()).toBe('Not saved');
  });

  test('are discarded on demand, with an Undo, and removed when the text is back to the original', async () => {
    const { page } = await editing();
    await isKept(page);

    await button(page, 'Discard').click();
    await page.locator('.note-form').waitFor({ state: 'detached' });
    const dropped = await drafts(page);
    await goOnByKeys(page);
    await page.keyboard.press('z');
    await isKept(page);
    const back = await content(page).inputValue();
    await content(page).fill('Some content');
    expect(await isEventuallyTrue(async () => (await drafts(page)) === 0)).toBe(true);

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
    const stored = await readNotesBody(fetch(`${stage.service.url}/api/notes`));
    expect(stored.filter((note) => note.title === 'Survivor')).toHaveLength(1);
  });

  test('of a new note are saved automatically after a restart of the service, their form closed', async () => {
    using folder = createTemporaryFolder();
    const env = { DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}` };
    const first = await startService(env);
    await using visit = await stage.visitList({ url: first.url, forgiven: /Failed to load resource/ });
    const { page } = visit;
    await type(page, 'Survivor');
    await content(page).fill('typed while it was away');
    await first.stop('SIGKILL');
    await page.keyboard.press('Control+Enter');
    await waits(page);

    await using second = await startService({ ...env, PORT: String(first.port) });
    await page.getByText('Saved “Survivor”').first().waitFor();

    expect(await readNotesBody(fetch(`${second.url}/api/notes`))).toMatchObject([{ title: 'Survivor' }]);
    expect(await drafts(page)).toBe(0);
    expect(await page.getByText('Not saved').count()).toBe(0);
  });

  test.each(['a new note', 'a change'])('whose answer was lost are stored once after a reload: %s', async (kind) => {
    const name = `Reloaded, ${kind}`;
    const [note] = await stage.add(createDraft({ title: 'Before the reload' }));
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
    await waits(page);
    await page.unroute(/\/api\/notes/, away);
    await page.reload();
    expect(await isEventuallyTrue(async () => (await drafts(page)) === 0)).toBe(true);

    const stored = await readNotesBody(fetch(`${stage.service.url}/api/notes`));
    expect(stored.filter(({ title }) => title === name)).toHaveLength(1);
    expect(await page.getByText('Not saved: “').count()).toBe(0);
  });

  test('that could not be saved, and of a note changed since, are offered after a reload', async () => {
    const { page, id } = await editing({ forgiven: /Failed to load resource/ });
    await intercept(page, '**/api/notes/*', (route) => route.abort());
    await page.keyboard.press('Control+Enter');
    await waits(page);
    await readNoteBody(
      fetch(`${stage.service.url}/api/notes/${id}`, createJsonRequest({ id, content: 'theirs' }, 'PUT')),
    );
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

  test('that another tab has typed into stay when what was sent before is stored', async () => {
    const { page, id } = await editing({ forgiven: /Failed to load resource/ });
    await intercept(page, '**/api/notes/*', (route) => route.abort());
    await page.keyboard.press('Control+Enter');
    await waits(page);
    await page.unroute('**/api/notes/*');
    const isSentAgain = page.waitForRequest(`**/api/notes/${id}`);
    const answer = await holdChanges(page, (route) => route.continue());
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await isSentAgain;

    await page.evaluate(() => {
      for (const [key, draft] of Object.entries(localStorage)) {
        if (key.startsWith('notes.draft')) {
          const { fields, ...rest } = JSON.parse(draft);
          localStorage.setItem(key, JSON.stringify({ ...rest, fields: { ...fields, content: 'of the other tab' } }));
        }
      }
    });
    answer();
    await page.getByText('Saved “Edited”').first().waitFor();

    expect(await keptTexts(page)).toEqual(['of the other tab']);
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

    await content(page).editor.waitFor();
    expect([await title(page).inputValue(), await content(page).inputValue()]).toEqual(['Edited', 'typed']);
  });

  test('of a note are offered once the notes are loaded, and update that note instead of a new one', async () => {
    const { page, id } = await editing({ forgiven: /Failed to load resource/ });
    await isKept(page);
    const list = '**/api/notes';
    await intercept(page, list, (route) => route.abort());

    await page.goto(stage.service.url);
    await button(page, 'Retry').waitFor();
    const tooEarly = await draftRow(page, 'Edited').count();
    const { length: before } = await readNotesBody(fetch(`${stage.service.url}/api/notes`));
    await page.unroute(list);
    await button(page, 'Retry').click();
    await draftRow(page, 'Edited').getByRole('button').first().click();
    await content(page).editor.waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Saved “Edited”').first().waitFor();

    const after = await readNotesBody(fetch(`${stage.service.url}/api/notes`));
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
    await draftRow(page, 'Being typed').waitFor();
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
