/** Pins are kept in this browser, and a place shows only pinned notes. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { draft } from '../support/service.ts';
import { leaveSearch, row, titles, useStage } from './visit.ts';

const stage = useStage();
const place = (page: Page) => page.getByRole('navigation').getByRole('button', { name: /^Pinned/ });
const countOf = (page: Page, count: number) =>
  place(page).getByText(String(count), { exact: true }).waitFor({ state: 'attached' });
const mark = '.row-pin svg';

describe('10. Pins', () => {
  test('p pins a note, as its row shows; the place Pinned has a count, and the search stays in it', async () => {
    const [alpha, beta] = await stage.add(draft({ title: 'Alpha' }), draft({ title: 'Beta', category: 'css' }));
    if (!alpha || !beta) throw new Error('no notes');
    const page = await stage.showList();
    await countOf(page, 0);

    await page.keyboard.press('p');
    await row(page, beta).locator(mark).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('p');
    await row(page, alpha).locator(mark).waitFor();
    await countOf(page, 2);
    await page.locator('#search').fill('alpha');
    await countOf(page, 1);
    await place(page).click();
    await page.getByText('1 note', { exact: true }).waitFor();
    await page.locator('#search').fill('');
    await page.getByText('2 notes', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^css/ }).filter({ hasText: /s1$/ }).waitFor();
    await page.waitForFunction(() => location.search === '?pinned=true');
    const heard = await row(page, alpha).getByRole('link').innerText();

    expect(heard).toContain(', pinned');
    expect((await titles(page)).toSorted()).toEqual(['Alpha', 'Beta']);
  });

  test('pins survive a reload, as does the place; Backspace removes its chip', async () => {
    const [note] = await stage.add(draft({ title: 'Kept' }), draft({ title: 'Other' }));
    if (!note) throw new Error('no note');
    const page = await stage.showList();
    await row(page, note).getByRole('link').focus();
    await page.keyboard.press('p');
    await row(page, note).locator(mark).waitFor();
    await place(page).click();

    await page.reload();
    await page.getByText('1 note', { exact: true }).waitFor();
    const shown = await titles(page);
    await page.locator('#search').press('Backspace');
    await page.getByText('Other').first().waitFor();

    expect(shown).toEqual(['Kept']);
    expect(new URL(page.url()).search).toBe('');
  });

  test('p on a selection pins all of it, or unpins it if all is pinned; z reverts either', async () => {
    await stage.add(draft({ title: 'One' }), draft({ title: 'Two' }), draft({ title: 'Three' }));
    const page = await stage.showList();
    const pins = (count: number) =>
      page.waitForFunction(([mark, count]) => document.querySelectorAll(mark).length === count, [mark, count] as const);
    await page.keyboard.press('p');
    await pins(1);

    for (const key of ['x', 'Shift+ArrowDown', 'Shift+ArrowDown', 'p']) await page.keyboard.press(key);
    await pins(3);
    await page.keyboard.press('z');
    await pins(1);
    await page.keyboard.press('p');
    await pins(3);
    await page.keyboard.press('p');
    await pins(0);
    await page.keyboard.press('z');
    await pins(3);
  });

  test('another tab follows the pins', async () => {
    await using visit = await stage.visitList();
    const { page, context } = visit;
    const other = await context.newPage();
    await other.goto(stage.service.url);
    await other.locator('.row').first().waitFor();

    await page.bringToFront();
    await leaveSearch(page);
    await page.keyboard.press('p');

    await other.locator(mark).waitFor();
  });
});
