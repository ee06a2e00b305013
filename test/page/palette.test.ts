/** The command palette. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { commands, keymap } from '../../src/page/keyboard/keymap.ts';
import { draft } from '../support/service.ts';
import { clipboard, titles, useStage } from './visit.ts';

const stage = useStage();
const field = (page: Page) => page.getByRole('combobox', { name: 'Command' });
const options = (page: Page) => page.getByRole('option');
/** The text that a screen reader announces while the focus is in the field. */
const active = (page: Page) =>
  field(page).evaluate((box) => document.getElementById(box.getAttribute('aria-activedescendant') ?? '')?.innerText);

test('`>` at the start of the search opens it, with all commands and their keys; Esc returns to the search', async () => {
  await stage.add(draft({ title: 'One', category: 'css' }));
  await using visit = await stage.visit();
  const { page } = visit;

  await page.keyboard.type('>');
  await field(page).and(page.locator(':focus')).waitFor();
  const shown = (await options(page).allInnerTexts()).join('\n');
  await page.keyboard.press('Escape');
  await page.locator('#search:focus').waitFor();
  const query = await page.locator('#search').inputValue();
  await page.keyboard.type('a>');

  const labels = commands
    .filter((name) => !['palette', 'category', 'group', 'color'].includes(name))
    .map((name) => keymap[name].label)
    .filter((label) => !label.startsWith('Board'));
  for (const label of [...labels, 'Category: css', 'Group: first', 'Color: info']) expect(shown).toContain(label);
  expect(shown).toContain('Ctrl+Enter');
  expect(query).toBe('');
  expect(await page.locator('#search').inputValue()).toBe('a>');
  expect(await page.getByRole('dialog').count()).toBe(0);
}, 60_000);

test('it stays in place when nothing matches', async () => {
  await using visit = await stage.visit();
  const { page } = visit;
  const box = () => page.getByRole('dialog').boundingBox();

  await page.keyboard.type('>');
  await field(page).and(page.locator(':focus')).waitFor();
  const before = await box();
  await page.keyboard.type('zzz');
  await page.getByText('No matching command').waitFor();

  expect(await box()).toEqual(before);
}, 60_000);

test('where the system forces its colors, the chosen command is outlined', async () => {
  await using visit = await stage.visit({ forcedColors: 'active' });
  const { page } = visit;

  await page.keyboard.press('Control+Shift+K');
  await options(page).first().waitFor();
  const styles = await page
    .locator('[role=option]:nth-child(-n + 2)')
    .evaluateAll((options) => options.map((option) => getComputedStyle(option).outlineStyle));

  expect(styles).toEqual(['solid', 'none']);
}, 60_000);

test('commands with words that begin as typed come before those that hold it elsewhere', async () => {
  await using visit = await stage.visit();
  const { page } = visit;

  await page.keyboard.press('Control+Shift+K');
  await field(page).fill('arch');
  await page.waitForFunction(() => document.querySelectorAll('[role=option]').length < 9);
  const names = (await options(page).allInnerTexts()).map((text) => text.split('\n')[0]);

  expect(names[0]).toBe(keymap.archive.label);
  expect(names).toContain(keymap.search.label);
}, 60_000);

test('each value of a command is one of its commands, which runs', async () => {
  await stage.add(draft({ title: 'Colored', color: 'info', category: 'host-town' }));
  await using visit = await stage.visit({ query: '?q=Colored' });
  const { page } = visit;

  await page.keyboard.press('Control+Shift+K');
  await field(page).fill('color warn');
  await options(page).filter({ hasText: 'c 7' }).and(page.locator('[aria-selected=true]')).waitFor();
  await page.keyboard.press('Enter');

  await page.getByText('Changed “Colored” to color warning').waitFor();
}, 60_000);

test('Ctrl+Shift+K opens it from the search, typing filters it, arrows and Enter run the selection', async () => {
  await stage.add(
    draft({ title: 'Two', content: 'to copy', category: 'prompts' }),
    draft({ title: 'Three', category: 'notes' }),
  );
  await using visit = await stage.visit({ query: '?category=prompts,notes' });
  const { page } = visit;

  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Control+Shift+K');
  await page.keyboard.type('COPY'); // before the palette is loaded
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[name=command]')?.value === 'COPY');
  const first = await active(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const third = await active(page);
  await page.keyboard.press('ArrowDown');
  const again = await active(page);
  await page.keyboard.press('Enter');
  await page.getByText('Copied “Two”').waitFor();
  await page.locator('#search:focus').waitFor();
  await page.keyboard.press('Control+Shift+K');
  await field(page).pressSequentially('category not');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/?category=notes');
  await page.keyboard.press('Control+Shift+K');
  await field(page).pressSequentially('zzz');
  await page.getByText('No matching command').waitFor();

  expect([first, third, again].map((text) => text?.split('\n')[0])).toEqual([
    keymap.copy.label,
    keymap.link.label,
    keymap.copy.label,
  ]);
  expect(await clipboard(page)).toBe('to copy');
  expect(await titles(page)).toEqual(['Three']);
}, 60_000);

test('it shows the board by name, and does not offer it on a phone', async () => {
  await stage.add(draft({ title: 'One' }));
  await using visit = await stage.visit();
  const { page } = visit;

  await page.keyboard.type('>');
  await field(page).fill('board');
  await page.keyboard.press('Enter');
  await page.locator('.board').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator('.board').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Shift+K');
  await field(page).fill('board');

  await page.getByText('No matching command').waitFor();
}, 60_000);
