/** Groups are shown by their labels everywhere; URLs keep the values. */
import { afterEach, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { draft, jsonBody } from '../support/service.ts';
import { intercept, useStage } from './visit.ts';

const stage = useStage();
const put = (labels: object) => fetch(`${stage.service.url}/api/labels`, jsonBody(labels, 'PUT'));
const stored = async () => (await fetch(`${stage.service.url}/api/labels`)).json();
afterEach(() => put({}));

const places = (page: Page) => page.getByRole('navigation', { name: 'Filters' });
const place = (page: Page, name: string) => places(page).getByRole('button', { name: new RegExp(`^${name}\\b`) });
const field = (page: Page, group: string) => page.getByRole('textbox', { name: `Name of the group ${group}` });
const rename = (page: Page, name: string) =>
  places(page)
    .getByRole('button', { name: `Name the group ${name}`, exact: true })
    .click();

describe('Names of groups', () => {
  test('are edited in place: Enter saves, Esc cancels, and an empty one removes the label', async () => {
    await stage.add(draft({ title: 'koala', group: 'second' }));
    const page = await stage.show();

    await rename(page, 'second');
    await field(page, 'second').fill(' At home ');
    await page.keyboard.press('Enter');
    await place(page, 'At home').waitFor();
    const named = await stored();
    const focused = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await rename(page, 'At home');
    await page.keyboard.type('Elsewhere');
    await page.keyboard.press('Escape');
    await place(page, 'At home').waitFor();
    const kept = await stored();
    await rename(page, 'At home');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Enter');
    await place(page, 'second').waitFor();

    expect([named, kept]).toEqual([
      expect.objectContaining({ first: null, second: 'At home' }),
      expect.objectContaining({ second: 'At home' }),
    ]);
    expect(focused).toBe('Name the group At home');
    expect(await stored()).toMatchObject({ second: null });
  });

  test('are shown wherever a group is, while the URL has the value', async () => {
    await put({ third: 'Work' });
    const [note] = await stage.add(draft({ title: 'wombat', group: 'third' }));
    const page = await stage.show({ query: `?group=third&note=${note?.id}` });

    await place(page, 'Work').waitFor();
    await page.getByRole('button', { name: 'Remove the filter Work' }).waitFor();
    await page.getByRole('region', { name: 'Open note' }).getByRole('button', { name: /Work/ }).waitFor();
    await page.goto(`${stage.service.url}/?view=board`);
    await page.getByRole('heading', { name: /^Work/ }).waitFor();

    expect(await place(page, 'Work').getAttribute('title')).toMatch(/^third\b/);
  });

  test('are there at the first paint of a second visit, and follow changes by others', async () => {
    await put({ first: 'Work' });
    const page = await stage.show();
    await place(page, 'Work').waitFor();

    await intercept(page, '**/api/labels', () => {});
    await page.reload();
    await place(page, 'Work').waitFor();
    await page.unroute('**/api/labels');
    await put({ first: 'Private' });
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));

    await place(page, 'Private').waitFor();
  });

  test('name filters in the search too, in any case, and are edited after a double click', async () => {
    await put({ first: 'Deep Work', second: 'Home' });
    await stage.add(draft({ title: 'wallaby', group: 'first' }), draft({ title: 'wallaby', group: 'third' }));
    const page = await stage.show();

    await page.keyboard.type('wallaby g:dee');
    await page.getByRole('option', { name: 'Deep Work' }).waitFor();
    await page.locator('#count', { hasText: '2 notes' }).waitFor();
    await page.keyboard.type('p-work');
    await page.locator('#count', { hasText: /^1 note$/ }).waitFor();
    await page.keyboard.type(' ');
    await page.getByRole('button', { name: 'Remove the filter Deep Work' }).waitFor();
    await page.waitForURL('**/?q=wallaby+&group=first');
    await place(page, 'Home').dblclick();
    await field(page, 'second').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');

    await place(page, 'Home').waitFor();
  });

  test('that are refused stay in their field, with the reason', async () => {
    await put({ first: 'Work' });
    const page = await stage.show({ forgiven: /status of 400/ });

    await rename(page, 'second');
    await field(page, 'second').fill('work');
    await page.keyboard.press('Enter');
    await page.getByText('Not named: Invalid second. Must differ from first and its label').waitFor();
    const value = await field(page, 'second').inputValue();
    await field(page, 'second').fill('Home');
    await page.keyboard.press('Enter');
    await place(page, 'Home').waitFor();

    expect(value).toBe('work');
    expect(await stored()).toMatchObject({ first: 'Work', second: 'Home' });
  });
});
