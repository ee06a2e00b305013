/** The order of the list: its menu, the address, and what this browser keeps. */
import { beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { createDraft } from '../support/sample-notes.ts';
import { titles, useStage } from './visit.ts';

const stage = useStage();

beforeAll(async () => {
  for (const title of ['Grid 10', 'Apple', 'grid 9', 'Zebra']) {
    await stage.add(createDraft({ title, content: title === 'Apple' ? 'A grid of apples' : 'Text', category: 'css' }));
  }
});

const sortButton = (page: Page) => page.getByRole('button', { name: /^Sort: / });

async function sortBy(page: Page, name: string): Promise<void> {
  await sortButton(page).click();
  await page.getByRole('menuitemradio', { name }).click();
  await page.getByRole('button', { name: `Sort: ${name}` }).waitFor();
}

const byTitle = ['Apple', 'grid 9', 'Grid 10', 'Zebra'];

test('the menu changes the order, which the address and this browser keep', async () => {
  const page = await stage.showList();
  const before = await titles(page);
  await sortButton(page).click();
  await page.getByRole('menu').waitFor();
  const offered = await page.getByRole('menuitemradio').allInnerTexts();
  await page.getByRole('menuitemradio', { name: 'Title' }).click();
  await page.locator('.list-head h2', { hasText: 'Title' }).waitFor();
  const sorted = await titles(page);
  const { search } = new URL(page.url());
  await page.goto(stage.service.url);
  await page.locator('.list-head h2', { hasText: 'Title' }).waitFor();

  expect(before).toEqual(['Zebra', 'grid 9', 'Apple', 'Grid 10']);
  expect(offered).toEqual(['Last changed', 'Last created', 'Title', 'Most copied']);
  expect(sorted).toEqual(byTitle);
  expect(search).toBe('?sort=title');
  expect(await titles(page)).toEqual(byTitle);
});

test('an order in the address holds without that of this browser, and Back restores the one before', async () => {
  const page = await stage.showList({ query: '?sort=title&category=css' });
  const linked = await titles(page);
  await sortBy(page, 'Last changed');
  const changed = await titles(page);
  await page.goBack();
  await page.getByRole('button', { name: 'Sort: Title' }).waitFor();

  expect(linked).toEqual(byTitle);
  expect(changed).toEqual(['Zebra', 'grid 9', 'Apple', 'Grid 10']);
  expect(await titles(page)).toEqual(byTitle);
});

test('a search begins with the best match, and ends with the order of the list', async () => {
  const page = await stage.show();
  await sortBy(page, 'Title');
  await page.locator('#search').fill('grid');
  await page.getByRole('button', { name: 'Sort: Best match' }).waitFor();
  const found = await titles(page);
  await sortBy(page, 'Title');
  const sorted = await titles(page);
  await page.locator('#search').fill('grid 1');
  const longer = await titles(page);
  await page.locator('#search').fill('');
  await page.getByRole('button', { name: 'Sort: Title' }).waitFor();

  expect(found).toEqual(['grid 9', 'Grid 10', 'Apple']); // hits in titles first
  expect(sorted).toEqual(['Apple', 'grid 9', 'Grid 10']);
  expect(longer).toEqual(['Grid 10']);
  expect(await titles(page)).toEqual(byTitle);
});

test('copies order the list by the command of the palette, and move no row in use', async () => {
  const page = await stage.showList();
  const copy = async (title: string) => {
    await page.locator('.row', { hasText: title }).hover();
    await page.locator('.row', { hasText: title }).locator('.row-copy').click();
    await page.getByText(`Copied “${title}”`).waitFor();
  };
  await copy('Apple');
  await copy('Apple');
  await copy('Grid 10');
  await page.keyboard.press('Control+Shift+K');
  await page.locator('[name=command]').fill('most copied');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sort: Most copied' }).waitFor();
  const sorted = await titles(page);
  await copy('Zebra');
  const inUse = await titles(page);
  await page.reload();
  await page.locator('.row').first().waitFor();

  expect(sorted).toEqual(['Apple', 'Grid 10', 'Zebra', 'grid 9']);
  expect(inUse).toEqual(sorted);
  expect((await titles(page)).slice(0, 3).toSorted()).toEqual(['Apple', 'Grid 10', 'Zebra']);
});
