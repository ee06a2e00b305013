/** Groups and categories are shown by their labels everywhere; URLs have the values. */
import { afterEach, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { noLabels } from '../../src/core/value-labels.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest } from '../support/service.ts';
import { intercept, useStage } from './visit.ts';

const stage = useStage();
const put = (labels: object) => fetch(`${stage.service.url}/api/labels`, createJsonRequest(labels, 'PUT'));
const stored = async () => (await fetch(`${stage.service.url}/api/labels`)).json();
afterEach(() => put(noLabels));

const places = (page: Page) => page.getByRole('navigation', { name: 'Filters' });
const place = (page: Page, name: string) => places(page).getByRole('button', { name: new RegExp(`^${name}\\b`) });
const field = (page: Page, group: string) => page.getByRole('textbox', { name: `Name of the group ${group}` });

async function rename(page: Page, name: string): Promise<void> {
  await places(page)
    .getByRole('button', { name: `Name the group ${name}`, exact: true })
    .click();
  await places(page).getByRole('textbox').and(page.locator(':focus')).waitFor();
}

describe('Names of groups', () => {
  test('are edited in place: Enter saves, Esc cancels, and an empty one removes the label', async () => {
    await stage.add(createDraft({ title: 'koala', group: 'second' }));
    const page = await stage.show();

    await rename(page, 'second');
    await field(page, 'second').fill(' At home ');
    await page.keyboard.press('Enter');
    await place(page, 'At home').waitFor();
    const named = await stored();
    await place(page, 'At home').and(page.locator('.choice:focus-visible')).waitFor();
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
    expect(await stored()).toMatchObject({ second: null });
  });

  test('are shown wherever a group is, while the URL has the value', async () => {
    await put({ third: 'Work' });
    const [note] = await stage.add(createDraft({ title: 'wombat', group: 'third' }));
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
    await stage.add(
      createDraft({ title: 'wallaby', group: 'first' }),
      createDraft({ title: 'wallaby', group: 'third' }),
    );
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

describe('Names of categories', () => {
  test('are edited in place beside those of groups, which stay', async () => {
    await put({ second: 'At home', prompts: 'Questions' });
    await stage.add(createDraft({ title: 'quokka', category: 'css' }));
    const page = await stage.show();

    await places(page).getByRole('button', { name: 'Name the category css', exact: true }).click();
    await page.getByRole('textbox', { name: 'Name of the category css' }).fill('Styles');
    await page.keyboard.press('Enter');
    await place(page, 'Styles').waitFor();
    const named = await stored();
    await place(page, 'Styles').dblclick();
    await page.getByRole('textbox', { name: 'Name of the category css' }).fill('');
    await page.keyboard.press('Enter');
    await place(page, 'css').waitFor();

    expect(named).toEqual({ ...noLabels, second: 'At home', prompts: 'Questions', css: 'Styles' });
    expect(await stored()).toEqual({ ...noLabels, second: 'At home', prompts: 'Questions' });
  });

  test('are shown wherever a category is, while the URL has the value', async () => {
    await put({ css: 'Styles' });
    const [note] = await stage.add(createDraft({ title: 'numbat', category: 'css' }));
    const page = await stage.show({ query: `?category=css&note=${note?.id}` });

    await place(page, 'Styles').waitFor();
    await page.getByRole('button', { name: 'Remove the filter Styles' }).waitFor();
    const chip = page.getByRole('region', { name: 'Open note' }).getByRole('button', { name: 'Category: Styles' });
    await chip.click();
    await page.getByRole('menuitemradio', { name: 'Styles' }).waitFor();
    await page.keyboard.press('Escape');
    const row = page.getByRole('link', { name: /numbat.*Styles, group/ });

    await row.waitFor();
    expect(await place(page, 'Styles').getAttribute('title')).toMatch(/^css\b/);
  });

  test('name filters in the search, as their values do', async () => {
    await put({ 'chat-tool': 'Deep Talks' });
    await stage.add(
      createDraft({ title: 'potoroo', category: 'chat-tool' }),
      createDraft({ title: 'potoroo', category: 'css' }),
    );
    const page = await stage.show();

    await page.keyboard.type('potoroo c:deep');
    await page.getByRole('option', { name: 'Deep Talks' }).waitFor();
    await page.keyboard.type('-talks ');
    await page.getByRole('button', { name: 'Remove the filter Deep Talks' }).waitFor();
    await page.waitForURL('**/?q=potoroo+&category=chat-tool');
    await page.keyboard.type('c:css ');

    await page.getByRole('button', { name: 'Remove the filter css' }).waitFor();
  });
});
