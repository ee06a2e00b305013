/** The URL is the state of the page: it can be bookmarked, shared and navigated; no other path serves the page. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Note } from '../../src/core/note.ts';
import { createCorpus } from '../support/data/corpus.ts';
import { createDraft } from '../support/sample-notes.ts';
import { atCursor, clipboard, desktop, goOnByKeys, leaveSearch, phone, row, useStage } from './visit.ts';

const stage = useStage();
let notes: Note[];
beforeAll(async () => {
  notes = await stage.add(...createCorpus(120));
});

const search = (page: Page) => page.evaluate(() => location.search);
const untilSearch = (page: Page, expected: string) =>
  page.waitForFunction((text) => location.search === text, expected);
const scroller = (page: Page) => page.locator('.scroller').first();
const scrollTo = (page: Page, top: number) => scroller(page).evaluate((box, top) => box.scrollTo(0, top), top);
const scrolledTo = (page: Page, top: number) =>
  page.waitForFunction((top) => document.querySelector('.scroller')?.scrollTop === top, top);

describe('3. Address', () => {
  test('a filter is a history entry, typing is not', async () => {
    const page = await stage.show();

    await page.getByRole('button', { name: /^css/ }).click();
    await page.locator('#search').pressSequentially('grid');
    await untilSearch(page, '?q=grid&category=css');
    await page.getByRole('button', { name: /^second/ }).click();
    const last = await search(page);
    await page.goBack();
    const before = await search(page);
    await page.goBack();

    expect([last, before, await search(page)]).toEqual([
      '?q=grid&category=css&group=second',
      '?q=grid&category=css',
      '',
    ]);
    expect(await page.locator('#search').inputValue()).toBe('');
    expect(await page.locator('#count').innerText()).toBe('120 notes');
  });

  test('opening five notes adds one history entry', async () => {
    const page = await stage.show();
    const before = await page.evaluate(() => history.length);

    for (let index = 0; index < 5; index++)
      await page
        .locator('[data-row]')
        .nth(index % 2)
        .click();
    const steps = (await page.evaluate(() => history.length)) - before;
    await page.goBack();

    expect(steps).toBe(1);
    expect(await search(page)).toBe('');
  });

  test('the archive, the board and the open note are in the URL, and restored from it', async () => {
    const page = await stage.show();

    await page.getByRole('button', { name: 'Board' }).click();
    await page.locator('.row').first().click();
    const open = Number(new URLSearchParams(await search(page)).get('note'));
    await page.getByRole('button', { name: 'Archived notes' }).click();
    const address = await search(page);
    await page.goto(`${stage.service.url}/${address}`);
    await page.locator('#detail h2').waitFor();

    expect(address).toBe(`?archived=true&view=board&note=${open}`);
    expect(await page.locator('#detail h2').innerText()).toBe(notes.find(({ id }) => id === open)?.title ?? '');
    expect(await page.getByRole('button', { name: 'Archived notes' }).getAttribute('aria-pressed')).toBe('true');
    expect(await page.getByRole('button', { name: 'Board' }).getAttribute('aria-pressed')).toBe('true');
  });

  test('reload restores the list and its scroll position, far from its cursor too', async () => {
    const page = await stage.showList({ query: '?group=first' });
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const cursor = await atCursor(page);
    await scrollTo(page, 99);
    await page.waitForFunction(() => history.state?.offsets.list?.top === 99);

    await page.reload();
    await scrolledTo(page, 99);

    expect(await atCursor(page)).toBe(cursor);
    expect(await search(page)).toBe('?group=first');
  });

  test('Back and Forward restore the scroll position of the list', async () => {
    const page = await stage.show();
    await scrollTo(page, 3_000);
    await page.locator('.row[aria-posinset="59"]').click();
    const opened = await atCursor(page); // the pane may still show the note before

    await page.getByRole('button', { name: /^third/ }).click();
    await scrolledTo(page, 0);
    await scrollTo(page, 300);
    await page.waitForFunction(() => history.state?.offsets.list?.top === 300);
    await page.goBack();
    await scrolledTo(page, 3_000);
    const cursor = await atCursor(page);
    await page.goForward();
    await scrolledTo(page, 300);

    expect(cursor).toBe(opened);
    expect(await search(page)).toContain('group=third');
  });

  test('Back and Forward restore the scroll position and the cursor of the moment before', async () => {
    const page = await stage.showList();
    const third = page.getByRole('button', { name: /^third/ });

    // each in one task, as on a busy machine: without an event of scrolling, or time, in between
    await third.evaluate((button: HTMLElement) => {
      document.querySelector('.scroller')?.scrollTo(0, 3_000);
      button.click();
    });
    await scrolledTo(page, 0);
    await leaveSearch(page);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const chosen = await atCursor(page);
    await page.evaluate(() => {
      document.querySelector('.scroller')?.scrollTo(0, 200);
      history.back();
    });
    await scrolledTo(page, 3_000);
    const returned = await search(page);
    await page.goForward();
    await scrolledTo(page, 200);

    expect(returned).toBe('');
    expect(await atCursor(page)).toBe(chosen);
  });

  test('Forward restores what was typed and the note that was shown in the moment before Back', async () => {
    const page = await stage.showList();
    await page.getByRole('button', { name: /^third/ }).click();
    await page.locator('.row').first().click();
    await page.locator('.detail-body').waitFor();
    await leaveSearch(page);

    // in one task, as on a busy machine: the address is written a moment after the last key
    const left = await page.evaluate(() => {
      for (const key of ['j', 'j'])
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      history.back();
      return document.querySelector('.at-cursor')?.getAttribute('href') ?? '';
    });
    await untilSearch(page, '?group=third');
    await page.locator('#search').fill('e');
    await page.evaluate(() => history.back());
    await untilSearch(page, '');
    await page.goForward();
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('#search')?.value === 'e');
    const typed = await search(page);
    await page.goForward();
    await page.waitForFunction(() => location.search.includes('note='));

    expect(typed).toBe('?q=e&group=third');
    expect(await search(page)).toBe(left);
  });

  test('Back, Forward and a reload restore the place in a long note, beside the list and on a phone', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `Paragraph ${index}`).join('\n\n');
    const [other, long] = await stage.add(
      createDraft({ title: 'Other', category: 'notes', content: 'short' }),
      createDraft({ title: 'Long', category: 'notes', content: `**long**\n\n${lines}\n\n[other](?note=1)` }),
    );
    if (!other || !long) throw new Error('no notes');
    const place = (page: Page) => page.locator('.detail-body').evaluate(({ scrollTop }) => scrollTop);
    const untilPlace = (page: Page, top: number) =>
      page.waitForFunction((top) => document.querySelector('.detail-body')?.scrollTop === top, top);

    for (const viewport of [desktop, phone]) {
      const page = await stage.show({ viewport });
      await row(page, long).locator('a').click();
      await page.getByText('Paragraph 199').waitFor();
      await page.locator('.detail-body').evaluate((body) => {
        body.scrollTo(0, 2_000);
        body.querySelector<HTMLElement>('a')?.click();
      });
      await page.getByRole('heading', { name: 'Long' }).waitFor({ state: 'detached' });
      await page.locator('.detail-body').waitFor();
      const placeOfOther = await place(page);
      await page.goBack();
      await page.getByRole('heading', { name: 'Long' }).waitFor();
      await untilPlace(page, 2_000);
      await page.locator('.detail-body').evaluate((body) => body.scrollTo(0, 1_500));
      await page.waitForFunction((name) => history.state?.offsets[name]?.top === 1_500, `note-${long.id}`);
      await page.reload();
      await untilPlace(page, 1_500);
      await page.goBack();
      await untilSearch(page, '');
      await page.goForward();
      await untilPlace(page, 1_500);

      expect(placeOfOther).toBe(0);
    }
  });

  test('a row that is cut off at the edge does not move the list that Back restores', async () => {
    const page = await stage.showList();
    await scrollTo(page, 3_000);
    await page.locator('.row[aria-posinset="59"] a').focus();
    await scrollTo(page, 3_042); // the row at the cursor is cut off at the top

    await page.getByRole('button', { name: /^third/ }).click();
    await scrolledTo(page, 0);
    await page.goBack();
    await untilSearch(page, '');
    await page.waitForFunction(() => document.querySelector('.scroller')?.scrollTop !== 0);

    expect(await scroller(page).evaluate(({ scrollTop }) => scrollTop)).toBe(3_042);
  });

  test('Back closes a form, then its note; a note that was closed stays closed', async () => {
    const page = await stage.showList();
    const form = page.locator('.note-form');
    await page.keyboard.press('n');
    await form.waitFor();
    await page.goBack();
    await form.waitFor({ state: 'detached' });

    await page.locator('.row').first().click();
    await goOnByKeys(page);
    await page.keyboard.press('e');
    await form.waitFor();
    await page.goBack();
    await page.locator('.detail-body').waitFor();
    const edited = await search(page);
    await page.locator('.detail-body').press('Escape');
    const closed = await search(page);
    await page.goBack();

    expect(edited).toMatch(/^\?note=/);
    expect(closed).toBe('');
    expect(await search(page)).toBe('');
  });

  test('a link to a note shows it in the list too, under the cursor, and Enter copies it', async () => {
    const old = notes[3];
    const page = await stage.show({ query: `?note=${old?.id}` });

    const box = await page.locator('.at-cursor').boundingBox();
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText(`Copied “${old?.title}”`).waitFor();

    expect(await atCursor(page)).toBe(old?.title ?? '');
    expect(box?.y).toBeWithin(0, 900);
  });

  test('a link focuses its note, also one that is not in the list: Enter copies it, and `e` edits it', async () => {
    const [note] = await stage.add(createDraft({ title: 'Linked', content: 'the linked one' }));
    await fetch(`${stage.service.url}/api/notes/${note?.id}/archive`, { method: 'PATCH' });
    const page = await stage.show({ query: `?note=${note?.id}` });
    await page.locator('#detail h2', { hasText: 'Linked' }).waitFor();

    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('Copied').waitFor();
    const linked = await clipboard(page);
    await page.keyboard.press('e');
    await page.locator('#detail [name=content]:focus').waitFor();

    expect(linked).toBe('the linked one');
    expect(await page.locator('#search').inputValue()).toBe('');
  });

  test('only / is the page: other paths are no endpoints', async () => {
    const answers = await Promise.all(
      ['/notes', '/notes/1', '/index.html', '/?view=wall', '/assets/'].map(async (path) => {
        const answer = await fetch(`${stage.service.url}${path}`);
        return [path, answer.status, answer.headers.get('content-type')?.split(';')[0]];
      }),
    );

    const missing = ['/notes', '/notes/1', '/index.html'].map((path) => [path, 404, 'application/json']);
    expect(answers).toEqual([...missing, ['/?view=wall', 200, 'text/html'], ['/assets/', 404, 'application/json']]);
  });

  test('an address that does not exist is a page with a way back for a browser, and JSON for all others', async () => {
    const { url } = stage.service;
    const visit = await stage.browser.newPage();

    const shown = await visit.goto(`${url}/old/address<b>?q=1`);
    const text = await visit.locator('main').innerText();
    await visit.getByRole('link', { name: 'To the notes' }).click();
    await visit.waitForURL(`${url}/`);
    await visit.close();
    const requests = [
      {},
      { Accept: '*/*' },
      { Accept: 'application/json' },
      { Accept: 'application/json, text/html;q=0' },
    ];
    const answers = await Promise.all(
      requests.map(async (headers) => {
        const answer = await fetch(`${url}/old/address`, { headers });
        return [answer.status, answer.headers.get('content-type'), await answer.text()];
      }),
    );
    const forBrowser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const ofInterface = await fetch(`${url}/api/old`, { headers: forBrowser });
    const written = await fetch(`${url}/old/address`, { method: 'POST', headers: forBrowser });

    expect([shown?.status(), shown?.headers()['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(text).toContain('There is nothing at /old/address%3Cb%3E.');
    const json = [404, 'application/json', '{"error":"No such endpoint: GET /old/address"}'];
    expect(answers).toEqual(requests.map(() => json));
    expect(await ofInterface.text()).toBe('{"error":"No such endpoint: GET /api/old"}');
    expect(await written.text()).toBe('{"error":"No such endpoint: POST /old/address"}');
  });

  test('reload restores each column of the board', async () => {
    await using visit = await stage.visit({ query: '?view=board', viewport: { width: 680, height: 700 } });
    const { page } = visit;
    const places = () =>
      page.locator('.board, .scroller').evaluateAll((boxes) => boxes.map((box) => [box.scrollLeft, box.scrollTop]));
    await page.locator('.board').waitFor();
    await page.locator('.board, .scroller').evaluateAll((boxes) => {
      for (const [index, box] of boxes.entries()) box.scrollTo(50, 20 * index);
    });
    const before = await places();
    await page.waitForFunction(() => history.state?.offsets.fifth?.top === 100);

    await page.reload();
    await page.waitForFunction(() => document.querySelector('.board')?.scrollLeft === 50);

    expect(before).toEqual([[50, 0], ...[20, 40, 60, 80, 100].map((top) => [0, top])]);
    expect(await places()).toEqual(before);
  });
});
