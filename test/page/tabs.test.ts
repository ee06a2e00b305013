/** Changes by another tab or person appear automatically, with few requests, and without disturbing a form. */
import { describe, expect, test } from 'bun:test';
import type { BrowserContext, Page, Response, Route } from 'playwright-core';
import type { NotePatch } from '../../src/core/note.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, readNoteBody } from '../support/service.ts';
import { contentField, intercept, leaveSearch, openAndWait, row, useStage } from './visit.ts';

const stage = useStage();
const changeElsewhere = (id: number, patch: NotePatch) =>
  readNoteBody(fetch(`${stage.service.url}/api/notes/${id}`, createJsonRequest({ id, ...patch }, 'PUT')));
const focusPage = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event('focus')));
const title = (page: Page) => page.locator('.note-form [name=title]');
const content = (page: Page) => contentField(page);

async function another(context: BrowserContext, query: string): Promise<Page> {
  const page = await context.newPage();
  await openAndWait(page, `${stage.service.url}/${query}`);
  await leaveSearch(page);
  return page;
}

/** Delays the answer to the page's next request for the list until the returned function is called. */
async function holdList(page: Page): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  const isAsked = Promise.withResolvers<void>();
  const hold = async (route: Route) => {
    const response = await route.fetch();
    isAsked.resolve();
    await gate.promise;
    await route.fulfill({ response });
  };
  await intercept(page, '**/api/notes', hold, { times: 1 });
  await focusPage(page);
  await isAsked.promise;
  return gate.resolve;
}

/** Waits until the page has the answers to all requests that it has sent: to another one, which comes after them. */
const untilAnswered = (page: Page) => page.evaluate(() => fetch('docs').then((answer) => answer.text()));

/** Records the statuses of the lists that a page requests from now on. */
function lists(page: Page): number[] {
  const statuses: number[] = [];
  page.on('response', (answer: Response) => {
    if (answer.url().endsWith('/api/notes') && answer.request().method() === 'GET') statuses.push(answer.status());
  });
  return statuses;
}

describe('Two tabs, two people', () => {
  test('without events a page polls every 5 s, gets 304 while nothing changes, and pauses while hidden', async () => {
    const [note] = await stage.add(createDraft({ title: 'Polled' }));
    if (!note) throw new Error('no note');
    await using visit = await stage.visitList({ hasEvents: false });
    const { page } = visit;
    await page.clock.install();
    await page.reload();
    await row(page, note).waitFor();
    await untilAnswered(page);
    await Promise.all([page.waitForResponse('**/api/notes'), page.clock.pauseAt(Date.now() + 60_000)]);
    await untilAnswered(page); // a poll of before the pause, too
    const statuses = lists(page);
    const wait = async (count: number) => {
      await page.clock.runFor(5_000);
      const isAnswered = await isEventuallyTrue(() => statuses.length === count);
      await untilAnswered(page); // the page has read the answer: until then it does not ask again
      return isAnswered;
    };

    const isAsked = [await wait(1), await wait(2)];
    await changeElsewhere(note.id, { title: 'Polled anew' });
    isAsked.push(await wait(3));
    await row(page, note).getByText('Polled anew').waitFor();
    isAsked.push(await wait(4));
    await page.evaluate(() =>
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true }),
    );
    await page.clock.runFor(30_000);
    await focusPage(page);
    await untilAnswered(page);
    const whileHidden = statuses.length;
    await page.evaluate(() => Object.defineProperty(document, 'visibilityState', { value: 'visible' }));
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    const isAskedAgain = await isEventuallyTrue(() => statuses.length === 5);

    expect([...isAsked, isAskedAgain]).toEqual([true, true, true, true, true]);
    expect(whileHidden).toBe(4);
    expect(statuses).toEqual([304, 304, 200, 304, 304]);
  });

  test('other tabs show changes without a request; an unchanged form follows, and the focus stays', async () => {
    const [note] = await stage.add(createDraft({ title: 'Shared', content: 'before' }));
    if (!note) throw new Error('no note');
    await using visit = await stage.visitList({ query: `?note=${note.id}` });
    const { page: here, context } = visit;
    const there = await another(context, `?note=${note.id}`);
    await there.keyboard.press('e');
    await content(there).focus();
    const statuses = lists(there);

    await here.bringToFront();
    await here.keyboard.press('e');
    await content(here).fill('after');
    await here.keyboard.press('Control+Enter');
    expect(await isEventuallyTrue(async () => (await content(there).inputValue()) === 'after')).toBe(true);

    expect(statuses).toEqual([]);
    expect(await there.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('content');
    expect(await there.getByText('changed elsewhere').count()).toBe(0);
    await content(there).fill('after that');
    await there.keyboard.press('Control+Enter');
    await there.getByText('Saved “Shared”').first().waitFor();
  });

  test('a change is not reverted by a list that was requested before', async () => {
    const [note, other] = await stage.add(
      createDraft({ title: 'Written', content: 'old' }),
      createDraft({ title: 'Poked' }),
    );
    if (!note || !other) throw new Error('no notes');
    const page = await stage.showList({ query: `?note=${note.id}`, hasEvents: false });
    await changeElsewhere(other.id, { title: 'Poked, writing' });
    const answer = await holdList(page);

    await page.keyboard.press('e');
    await content(page).fill('new');
    await page.keyboard.press('Control+Enter');
    await page.locator('.detail-body').getByText('new', { exact: true }).waitFor();
    await page.locator('#detail').evaluate((detail) => {
      const look = () => detail.textContent?.includes('old') && document.body.classList.add('saw-old');
      new MutationObserver(look).observe(detail, { childList: true, characterData: true, subtree: true });
    });
    answer();
    const isUpToDate = async () => {
      await focusPage(page);
      return row(page, other).getByText('Poked, writing').isVisible();
    };

    expect(await isEventuallyTrue(isUpToDate)).toBe(true);
    expect(await page.locator('.saw-old').count()).toBe(0);
  });

  test('after a write without an answer the page requests the whole list, and shows the result', async () => {
    const [note] = await stage.add(createDraft({ title: 'Asked for' }));
    if (!note) throw new Error('no note');
    const page = await stage.showList({
      query: `?note=${note.id}`,
      hasEvents: false,
      forgiven: /Failed to load resource/,
    });
    const listAsked = async () => {
      const [request] = await Promise.all([page.waitForRequest('**/api/notes'), focusPage(page)]);
      return request.headers()['if-none-match'];
    };
    await intercept(page, '**/api/notes/*', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });

    const before = await listAsked();
    await page.keyboard.press('e');
    await title(page).fill('Stored all the same');
    await page.keyboard.press('Control+Enter');
    await page.locator('.notice', { hasText: 'Not sent yet' }).waitFor();
    const after = await listAsked();

    expect([before, after]).toEqual([expect.any(String), undefined]);
    await row(page, note).getByText('Stored all the same').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' }); // the form retries
  });

  test('a form with changes is left alone, says so, and overwrites nothing silently', async () => {
    const [note] = await stage.add(createDraft({ title: 'Contested', content: 'before' }));
    if (!note) throw new Error('no note');
    const page = await stage.showList({ query: `?note=${note.id}`, forgiven: /412/ });
    await page.keyboard.press('e');
    await content(page).fill('mine');
    await content(page).select(2);

    await changeElsewhere(note.id, { title: 'Theirs', content: 'theirs' });
    await focusPage(page);
    await page.getByText('This note was changed elsewhere. When you save').waitFor();
    await page.keyboard.type('!');

    const typed = [await title(page).inputValue(), await content(page).inputValue()];
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'Theirs' }).waitFor();

    expect(typed).toEqual(['Contested', 'mi!ne']);
    await row(page, note).getByText('Theirs', { exact: true }).waitFor();
  });
});
