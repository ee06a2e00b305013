/** Words typed without a key before them go to the search, whatever has the focus, and run no commands. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { createDraft } from '../support/sample-notes.ts';
import { atCursor, intercept, leaveSearch, titles, useStage, withoutParts } from './visit.ts';

const stage = useStage();
const main = /\/assets\/main-.*\.js$/;

const query = (page: Page) => page.locator('#search').inputValue();
const isInSearch = (page: Page) => page.locator('#search:focus').waitFor();

describe('8. Typing', () => {
  test('a word of letters that are commands, typed after loading, is searched for', async () => {
    await stage.add(createDraft({ title: 'How tar works' }), createDraft({ title: 'Other' }));
    const page = await stage.show();

    await page.keyboard.type('tar');
    await page.waitForFunction(() => document.querySelectorAll('.row').length === 1);

    expect(await query(page)).toBe('tar');
    expect(await titles(page)).toEqual(['How tar works']);
    expect(await page.locator('html[data-theme], dialog, [name=title]').count()).toBe(0);
  });

  test('the next letter changes the elements of the rows, and makes no others', async () => {
    await stage.add(createDraft({ title: 'Apricot jam' }), createDraft({ title: 'Apple pie' }));
    const page = await stage.show();
    await page.keyboard.type('ap');
    await page.waitForFunction(() => document.querySelectorAll('.row').length === 2);
    const [first] = await titles(page);
    const other = first === 'Apple pie' ? 'apr' : 'app';
    const row = await page.locator('.row').first().elementHandle();

    await page.keyboard.type(other.slice(2));
    await page.waitForFunction(() => document.querySelectorAll('.row').length === 1);

    expect(await titles(page)).not.toEqual([first ?? '']);
    expect(await row?.evaluate((row) => row.isConnected)).toBe(true);
  });

  test('letters typed before the scripts load are searched for, with those after them', async () => {
    await stage.add(createDraft({ title: 'Zebra crossing' }));
    const page = await stage.show();
    const gate = Promise.withResolvers<void>();
    await intercept(page, main, async (route) => {
      await gate.promise;
      await route.continue();
    });

    await page.reload({ waitUntil: 'commit' });
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('zeb');
    gate.resolve();
    await isInSearch(page);
    await page.keyboard.type('ra');
    await page.locator('.row', { hasText: 'Zebra crossing' }).waitFor();

    expect(await query(page)).toBe('zebra');
  });

  test('a search from the URL is selected, so that typing replaces it', async () => {
    const page = await stage.show({ query: '?q=old' });

    await page.keyboard.type('new');

    expect(await query(page)).toBe('new');
  });

  test('words are searched for when nothing has the focus, and beside the notes', async () => {
    const page = await stage.show();
    const places = {
      nothing: () =>
        page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur()),
      'a filter': () => page.getByRole('button', { name: /^css/ }).click(),
      'the bar': () => page.getByRole('button', { name: 'Menu' }).focus(),
    };

    const typed: Record<string, string> = {};
    for (const [name, go] of Object.entries(places)) {
      await page.locator('#search').fill('');
      await go();
      await page.keyboard.type('g1 ?tea');
      typed[name] = await query(page);
    }

    expect(typed).toEqual({ nothing: 'g1 ?tea', 'a filter': 'g1 ?tea', 'the bar': 'g1 ?tea' });
    expect(await page.locator('html[data-theme], dialog, [name=title]').count()).toBe(0);
  });

  test('letters are commands in a row and in a note, and after the last row of a filter is gone', async () => {
    await stage.add(createDraft({ title: 'Only', category: 'host-town' }));
    const page = await stage.show({ query: '?category=host-town' });

    await leaveSearch(page);
    await page.keyboard.press('o');
    await page.locator('.detail-body:focus').waitFor();
    await page.keyboard.press('a');
    await page.getByText('0 notes').first().waitFor();
    await page.keyboard.press('z');
    await page.locator('.row').waitFor();
    await page.keyboard.press('1');
    await page.keyboard.press('0');
    await page.waitForURL(({ search }) => search === '');

    expect(await query(page)).toBe('');
    expect(await atCursor(page)).toBe('Only');
  });

  test('no on-screen keyboard appears: on a touch screen nothing has the focus', async () => {
    await using visit = await stage.visit({ hasTouch: true, isMobile: true });

    expect(await visit.page.evaluate(() => document.activeElement === document.body)).toBe(true);
  });

  test('a slash before the first word still opens the search', async () => {
    const page = await stage.show();

    await page.keyboard.type('/usr');
    const first = await query(page);
    await page.locator('#search').fill('');
    await page.keyboard.type('/usr');

    expect([first, await query(page)]).toEqual(['usr', '/usr']);
  });

  test('a note opened before its pane is loaded gets the focus afterwards', async () => {
    await stage.add(createDraft({ title: 'Early' }));
    await using visit = await stage.visit();
    const { page } = visit;
    const load = await withoutParts(page);

    await page.keyboard.press('o');
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50))));
    const early = await page.locator('.detail-body').count();
    await load();
    await page.locator('.detail-body:focus').waitFor();

    expect(early).toBe(0);
  });

  test('Esc closes a dialog before it is loaded', async () => {
    await stage.add(createDraft());
    await using visit = await stage.visit();
    const { page } = visit;
    const load = await withoutParts(page);

    await page.keyboard.press('?');
    await page.keyboard.press('Escape');
    await page.keyboard.press('o'); // has no effect below a dialog
    await load();
    await page.locator('.detail-body:focus').waitFor();

    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});
