/** All commands by name, and the menus that offer some of them. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { createDraft } from '../support/sample-notes.ts';
import { atCursor, clipboard, leaveSearch, phone, row, titles, useStage } from './visit.ts';

const stage = useStage();
const options = '[role=option]';
const field = (page: Page) => page.getByRole('combobox', { name: 'Command' });

test('`>` opens it: actions of the note, New note, files, themes, then the rest, none of which only moves, and new names last', async () => {
  await stage.add(createDraft({ title: 'To act on' }));
  const page = await stage.show();
  await page.locator('#search').press('>');
  await page.locator(options).first().waitFor();

  const top = await page.getByRole('dialog', { name: 'Commands' }).innerText();
  const names = (await page.locator(`${options} > span:first-child`).allInnerTexts()).map((name) => name.trim());
  await page.keyboard.press('Escape');

  const places = [
    'Copy',
    'Archive',
    'New note',
    'Import files',
    'Export all',
    'Theme: dark',
    'Show category: css',
    'Set category: css',
    'Rename group: first',
  ];
  const found = places.map((name) => names.indexOf(name));
  expect(found).toEqual(found.toSorted((one, other) => one - other));
  expect(found[0]).toBe(0);
  expect(top).toStartWith('Commands\n\nTo act on\n\nCopy');
  expect(names.filter((name) => /Next|Previous|upwards|downwards|Board: (left|right)/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  expect(await page.locator('#search').evaluate((box) => box === document.activeElement)).toBe(true);
});

test('typing filters it in place: whole words first, letters with gaps last; Enter runs what is chosen', async () => {
  const page = await stage.show();
  await page.keyboard.press('Control+Shift+K');
  await page.locator('[name=command]').fill('co');
  const first = await page.locator(options).first().innerText();
  await page.locator('[name=command]').fill('arch');
  const archive = await page.locator(`${options} > span:first-child`).allInnerTexts();
  await page.locator('[name=command]').fill('drk');
  const only = await page.locator(options).allInnerTexts();
  await page.keyboard.press('Enter');
  const theme = await page.evaluate(() => document.documentElement.dataset['theme']);
  await page.keyboard.press('Control+Shift+K');
  await field(page).and(page.locator(':focus')).waitFor();
  const before = await page.getByRole('dialog').boundingBox();
  await page.locator('[name=command]').fill('xyzzy');
  await page.getByText('No matching command').waitFor();

  expect(first).toContain('Copy');
  expect(archive).toEqual(['Archive', 'Show archived', 'Clear search and filters']);
  expect(only).toEqual(['Theme: dark']);
  expect(theme).toBe('dark');
  expect(await page.getByRole('dialog').boundingBox()).toEqual(before);
});

test('it has what the menus of the shown note offer: its headings, and how it is read', async () => {
  const content = '# Brew\n\nBoil water\n\n## 茶\n\nSteep\n\n## 水\n\nPour\n';
  const [note] = await stage.add(createDraft({ title: 'With headings', content, category: 'notes' }));
  const page = await stage.show({ query: `?note=${note?.id}` });
  await page.getByRole('heading', { name: 'Brew' }).waitFor();
  await page.keyboard.press('Control+Shift+K');
  await field(page).fill('jump');
  const jumps = await page.locator(`${options} > span:first-child`).allInnerTexts();
  const ids = await page.locator(options).evaluateAll((options) => options.map(({ id }) => id));
  await field(page).fill('show it raw');
  await page.keyboard.press('Enter');
  await page.locator('.note-raw').getByText('# Brew').waitFor();

  expect(jumps).toEqual(['Jump to: Brew', 'Jump to: 茶', 'Jump to: 水']);
  expect(new Set(ids).size).toBe(3);
});

test('it shows what is archived or pinned, and all again', async () => {
  const page = await stage.show();
  for (const [typed, search] of [
    ['archived', '?archived=true'],
    ['archived', ''],
    ['pinned', '?pinned=true'],
    ['pinned', ''],
  ] as const) {
    await page.keyboard.press('Control+Shift+K');
    await field(page).fill(typed);
    await page.keyboard.press('Enter');
    await page.waitForFunction((search) => location.search === search, search);
  }
});

test('it names a group: in the sidebar, and among the filters where there is none', async () => {
  for (const viewport of [{ width: 1440, height: 900 }, phone]) {
    const page = await stage.show({ viewport });
    await page.keyboard.press('Control+Shift+K');
    await page.locator('[name=command]').fill('rename third');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Name of the group third' }).waitFor();
  }
});

test('a right click on a row has the actions of its note; arrows move, Enter and the shown keys run, Esc gives the focus back', async () => {
  const [note] = await stage.add(
    createDraft({ title: 'Under the pointer', content: 'to copy' }),
    createDraft({ title: 'Newer' }),
  );
  if (!note) throw new Error('no note');
  const page = await stage.showList();
  await row(page, note).click({ button: 'right' });
  const menu = page.getByRole('menu');
  await menu.waitFor();
  const names = await menu.getByRole('menuitem').allInnerTexts();
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  const focused = await atCursor(page);
  const isFocused = await page.locator('.at-cursor').evaluate((link) => link === document.activeElement);
  await page.keyboard.press('Shift+F10');
  await menu.waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.getByText('Copied “Under the pointer”').waitFor();
  const copied = await clipboard(page);
  await row(page, note).click({ button: 'right' });
  await page.keyboard.press('a');
  await page.getByText('Archived “Under the pointer”').waitFor();

  expect(names.map((name) => name.split('\n')[0])).toEqual([
    'Copy',
    'Edit',
    'Pin',
    'Duplicate',
    'Copy link',
    'History',
    'Archive',
    'Export to a file',
    'Copy exactly',
  ]);
  expect([focused, isFocused]).toEqual(['Under the pointer', true]);
  expect(copied).toBe('to copy');
  expect(await titles(page)).not.toContain('Under the pointer');
});

test('a right click opens the menu before anything else happens: the next key is for it, however slow the machine is', async () => {
  const [note] = await stage.add(createDraft({ title: 'Clicked' }));
  if (!note) throw new Error('no note');
  const page = await stage.showList();

  const focused = await row(page, note).evaluate((row) => {
    row.querySelector('a')?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }));
    return document.activeElement?.closest('[role=menu]')?.getAttribute('aria-label'); // in the task of the click
  });

  expect(focused).toBe('Actions of Clicked');
});

test('a menu that opens while another one is closing stays open', async () => {
  const notes = await stage.add(createDraft({ title: 'Closing' }), createDraft({ title: 'Opening' }));
  const page = await stage.showList();
  const ids = notes.map(({ id }) => id);

  const label = await page.evaluate(async (ids) => {
    for (const id of ids) {
      document.querySelector<HTMLElement>('[role=menu]')?.hidePopover(); // its event comes after the next one opened
      const event = new MouseEvent('contextmenu', { bubbles: true, cancelable: true });
      document.querySelector(`[data-row="${id}"]`)?.dispatchEvent(event);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    return document.querySelector('[role=menu]:popover-open')?.getAttribute('aria-label');
  }, ids);

  expect(label).toBe('Actions of Opening');
});

test('The menu beside New, imports files when there are notes, and has the settings', async () => {
  await using visit = await stage.visit({ viewport: phone, hasTouch: true, isMobile: true });
  const { page } = visit;
  await page.getByRole('button', { name: 'Menu' }).tap();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('menuitem', { name: 'Import files' }).tap();
  await (await chooser).setFiles({ name: 'tea.txt', mimeType: 'text/plain', buffer: Buffer.from('Boil water\n') });
  await page.getByText('Boil water').first().waitFor();
  await page.keyboard.press('Escape');
  await leaveSearch(page);
  await page.getByRole('button', { name: 'Menu' }).tap();
  await page.getByRole('menuitem', { name: 'Settings', exact: true }).tap();
  await page.getByRole('dialog', { name: 'Settings', exact: true }).waitFor();

  expect(await page.locator('dialog kbd:visible').count()).toBe(0);
  expect(await page.getByText('The HTTP interface').isVisible()).toBe(false);
});

test('where the system forces its colors, the chosen command is outlined', async () => {
  const page = await stage.show();
  await page.emulateMedia({ forcedColors: 'active' });

  await page.keyboard.press('Control+Shift+K');
  await page.locator(options).first().waitFor();
  const styles = await page
    .locator('[role=option]:nth-of-type(-n + 2)')
    .evaluateAll((options) => options.map((option) => getComputedStyle(option).outlineStyle));

  expect(styles).toEqual(['solid', 'none']);
});

test('each value of a command is one of its commands, which runs', async () => {
  await stage.add(createDraft({ title: 'Colored', color: 'info', category: 'host-town' }));
  const page = await stage.show({ query: '?q=Colored' });

  await page.keyboard.press('Control+Shift+K');
  await field(page).fill('color warn');
  await page.locator(options).filter({ hasText: 'c 7' }).and(page.locator('[aria-selected=true]')).waitFor();
  await page.keyboard.press('Enter');

  await page.getByText('Color warning: “Colored”').waitFor();
});

test('on a phone it offers no actions of a note that one does not see to be meant', async () => {
  await stage.add(createDraft({ title: 'Not meant' }));
  await using visit = await stage.visit({ viewport: phone, hasTouch: true, isMobile: true });
  const { page } = visit;
  const openAndRead = async () => {
    await page.keyboard.press('Control+Shift+K');
    await page.locator(options).first().waitFor();
    const text = await page.getByRole('dialog', { name: 'Commands' }).innerText();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    return text;
  };

  const inList = await openAndRead();
  await page.locator('.row-link').first().tap();
  await page.getByRole('region', { name: 'Open note' }).waitFor();
  const inNote = await openAndRead();

  expect(inList).toMatch(/^Commands\s+New note/);
  expect(inList).not.toMatch(/Not meant|Archive\n|Set category|Select\n/);
  expect(inNote).toMatch(/^Commands\s+Not meant\s+Copy/);
});

test('it shows the board by name, and does not offer it on a phone', async () => {
  await stage.add(createDraft({ title: 'One' }));
  const page = await stage.show();

  await page.keyboard.type('>');
  await field(page).fill('board');
  await page.keyboard.press('Enter');
  await page.locator('.board').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator('.board').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Shift+K');
  await field(page).fill('board');

  await page.getByText('No matching command').waitFor();
});
