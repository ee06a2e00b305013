/** Filters are visible in the search, their counts follow it, and hits outside of them are one click away. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { categories } from '../../src/core/enums.ts';
import type { NoteDraft } from '../../src/core/note.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest } from '../support/service.ts';
import { atCursor, clipboard, desktop, phone, reloadAndWait, row, tablet, titles, useStage } from './visit.ts';

const stage = useStage();
const note = (title: string, fields: Partial<NoteDraft>) => createDraft({ title, content: 'text', ...fields });
beforeAll(async () => {
  const notes = await stage.add(
    note('Grid of boxes', { category: 'css', color: 'info' }),
    note('Flex of boxes', { category: 'css', group: 'second', color: 'info' }),
    note('Boxes by a prompt', { category: 'prompts', group: 'second' }),
    note('Tar', { category: 'bash-commands' }),
    note('Old boxes', { category: 'css', color: 'error' }),
    note('Old tar', { category: 'bash-commands' }),
  );
  for (const { id } of notes.slice(-2)) {
    await fetch(`${stage.service.url}/api/notes/${id}/archive`, createJsonRequest({}, 'PATCH'));
  }
});

const search = (page: Page) => page.locator('#search');
const untilAddress = (page: Page, expected: string) =>
  page.waitForFunction((expected) => location.search === expected, expected);
const place = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Filters' }).getByRole('button', { name: new RegExp(`^${name}\\b`) });
const chips = (page: Page) => page.locator('search .chip').allInnerTexts();

/** Waits for the counts beside places, which are shown after the hits. */
const untilCounts = (page: Page, counts: Readonly<Record<string, number>>) =>
  Promise.all(
    Object.entries(counts).map(([name, count]) =>
      place(page, name)
        .filter({ hasText: new RegExp(`\\D${count}$`) })
        .first()
        .waitFor(),
    ),
  );

describe('Counts', () => {
  test('follow the search and the other filters', async () => {
    const page = await stage.show();
    const names = ['All notes', 'css', 'prompts', 'bash-commands', 'first', 'second', 'Archived'];
    const until = (...counts: number[]) =>
      untilCounts(page, Object.fromEntries(names.map((name, index) => [name, counts[index] ?? 0])));

    await until(4, 2, 1, 1, 2, 2, 2);
    await search(page).fill('boxes');
    await until(3, 2, 1, 0, 1, 2, 1);
    await place(page, 'css').click();
    await until(3, 2, 1, 0, 1, 1, 1);

    expect(await page.getByRole('button', { name: 'Color info 2' }).isVisible()).toBe(true);
  });

  test('All notes keeps the search, and removes the filters and the archive', async () => {
    const page = await stage.show({ query: '?q=boxes&category=css&archived=true' });

    await place(page, 'All notes').click();
    await untilAddress(page, '?q=boxes');

    expect(await search(page).inputValue()).toBe('boxes');
    expect(await page.locator('.row').count()).toBe(3);
  });
});

describe('Nothing found', () => {
  const links = (page: Page) => page.locator('.list-pane li a');
  const places = async (page: Page) => {
    await links(page).first().waitFor();
    return links(page).allInnerTexts();
  };

  test('says where hits are, and offers them in one click', async () => {
    const page = await stage.show({ query: '?q=tar&category=css,prompts' });

    expect(await places(page)).toEqual(['1 in bash-commands']);
    await page.getByRole('link', { name: '1 in bash-commands' }).click();
    await untilAddress(page, '?q=tar&category=bash-commands');

    expect(await titles(page)).toEqual(['Tar']);
  });

  test('arrows go from the search through what is offered and back, and the focus never leaves the list', async () => {
    const page = await stage.show({ query: '?q=old' });
    await links(page).first().waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    const keys = ['ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp'];
    const seen: unknown[] = [];

    for (const key of keys) {
      await page.keyboard.press(key);
      seen.push(await focused());
    }
    await page.keyboard.press('Enter'); // a new note
    await page.locator('[name=content]:focus').press('Escape');
    await page.locator('#search:focus').press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('.at-cursor:focus').waitFor();
    await untilAddress(page, '?q=old&archived=true');

    expect(seen).toEqual(['EnterNew note “old”', '2 in the archive', 'EnterNew note “old”', '']);
  });

  test('says how many are in the archive, and behind several filters at once', async () => {
    const page = await stage.show({ query: '?q=tar&category=css&group=fifth' });
    const behind = await places(page);
    await search(page).fill('nowhereatall');
    await page.getByText('New note “').waitFor();

    expect(behind).toEqual(['1 in all notes', '1 in the archive']);
    expect(await links(page).count()).toBe(0);
  });
});

test('a key that filters keeps the focus at the cursor', async () => {
  const page = await stage.showList();

  await page.keyboard.press('g');
  await page.keyboard.press('2');
  await untilAddress(page, '?group=second');
  await page.keyboard.press('j');
  await page.keyboard.press('0');
  await untilAddress(page, '');

  expect(await page.locator('.at-cursor:focus').count()).toBe(1);
});

describe('Chips', () => {
  test('show active filters in windows of all sizes, and remove them', async () => {
    const page = await stage.show({ query: '?category=css,bash-commands&archived=true' });

    for (const viewport of [desktop, tablet, phone, { width: 320, height: 640 }]) {
      await page.setViewportSize(viewport);
      expect(await chips(page)).toEqual(['css', 'bash-commands', 'Archived']);
      const boxes = await page
        .locator('search .chip')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
      for (const { x, right, height } of boxes) {
        expect(x).toBeGreaterThanOrEqual(0);
        expect(right).toBeLessThanOrEqual(viewport.width);
        expect(height).toBeGreaterThanOrEqual(viewport.width < 640 ? 44 : 24);
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    }
    await page.getByRole('button', { name: 'Remove the filter bash-commands' }).click();
    await untilAddress(page, '?category=css&archived=true');
    await page.getByRole('button', { name: 'Remove the filter Archived' }).click();
    await untilAddress(page, '?category=css');
  });

  test('are typed, and removed by Backspace at the beginning of the text', async () => {
    const page = await stage.show();

    await search(page).pressSequentially('boxes c:css g:sec');
    const unfinished = await titles(page);
    await search(page).pressSequentially('ond ');
    await untilAddress(page, '?q=boxes+&category=css&group=second');
    const typed = [await chips(page), await search(page).inputValue(), await titles(page)];
    await search(page).press('Home');
    await search(page).press('Backspace');
    await untilAddress(page, '?q=boxes+&category=css');
    await search(page).press('End');
    await search(page).press('Backspace');
    await search(page).press('Backspace');

    expect(unfinished).toEqual(['Flex of boxes', 'Grid of boxes']);
    expect(typed).toEqual([['css', 'Group: second'], 'boxes ', ['Flex of boxes']]);
    expect(await chips(page)).toEqual(['css']);
    expect(await search(page).inputValue()).toBe('boxe');
    await page.goBack();
    await untilAddress(page, '?q=boxes+&category=css&group=second');
    await page.goBack();
    await untilAddress(page, '?q=boxes+&category=css');
  });

  test('appear for a filter typed before a text, and the caret stays in place', async () => {
    const page = await stage.show({ query: '?q=boxes' });

    await search(page).press('Home');
    await page.keyboard.type('c:css old ');

    expect(await chips(page)).toEqual(['css']);
    expect(await search(page).inputValue()).toBe('old boxes');
    expect(await page.title()).toBe('“c:css old boxes” · Notes');
  });
});

describe('Places', () => {
  test('are selected alone by a click, and together with Ctrl or among the filters of a tablet', async () => {
    const page = await stage.show();

    await place(page, 'css').click();
    await place(page, 'prompts').click();
    await untilAddress(page, '?category=prompts');
    await place(page, 'css').click({ modifiers: ['Control'] });
    await untilAddress(page, '?category=prompts,css');
    const several = await titles(page);
    await page.setViewportSize(tablet);
    await page.getByRole('button', { name: 'Filters' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^prompts/ }).click();
    await dialog.getByRole('button', { name: /^second/ }).click();
    await untilAddress(page, '?category=css&group=second');

    expect(several).toEqual(['Boxes by a prompt', 'Flex of boxes', 'Grid of boxes']);
  });

  test('one place shows the archive, and no other button has its name', async () => {
    const page = await stage.show({ query: '?note=1' });
    await untilCounts(page, { Archived: 2 });
    const names = await page
      .locator('button:not(.row *)')
      .evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.textContent));

    await place(page, 'Archived').click();
    await untilAddress(page, '?archived=true&note=1');

    expect(names.filter((name) => /^archive/i.test(name))).toEqual(['Archived notes2']);
    expect(await titles(page)).toEqual(['Old tar', 'Old boxes']);
    expect(await place(page, 'Archived').getAttribute('aria-pressed')).toBe('true');
  });
});

describe('A filter being typed', () => {
  const values = (page: Page) => page.getByRole('option').allInnerTexts();

  test('leaves the results as they are, and lists its values below the caret: arrows and Enter, Tab or a click choose', async () => {
    const page = await stage.show();
    await page.locator('.row').last().hover();
    await page.locator('.row').last().locator('.row-copy').click();
    await page.getByText('Copied “').waitFor();
    await reloadAndWait(page);
    await page.getByText('Recently copied').waitFor();
    const before = await titles(page);
    await search(page).pressSequentially('c:');
    await page.getByRole('option').first().waitFor();
    const list = await page.getByRole('listbox').boundingBox();
    const field = await search(page).boundingBox();
    const during = [await titles(page), await values(page)];
    await search(page).press('ArrowDown');
    await search(page).press('Enter');
    await page.locator('search .chip').nth(0).waitFor();
    const byEnter = await chips(page);
    await search(page).pressSequentially('g:f');
    const some = await values(page);
    await search(page).press('Tab');
    await page.locator('search .chip').nth(1).waitFor();
    const byTab = await chips(page);
    await search(page).pressSequentially('color:');
    await page.getByRole('option', { name: 'info' }).click();
    await page.locator('search .chip').nth(2).waitFor();
    const byClick = await chips(page);
    await search(page).pressSequentially('c:');
    await search(page).press('Escape');

    expect(during).toEqual([before, [...categories]]);
    expect(list?.y).toBeGreaterThanOrEqual((field?.y ?? 0) + (field?.height ?? 0));
    expect([byEnter, byTab, byClick]).toEqual([
      [categories[1]],
      [categories[1], 'Group: first'],
      [categories[1], 'Group: first', 'Color: info'],
    ]);
    expect(some).toEqual(['first', 'fourth', 'fifth']);
    expect(await page.getByRole('listbox').count()).toBe(0);
    expect(await search(page).inputValue()).toBe('c:');
  });

  test('may be is:pinned or is:archived, which are chips as well', async () => {
    const page = await stage.show();

    await search(page).pressSequentially('old is:');
    const offered = await values(page);
    await search(page).pressSequentially('arc ');
    await untilAddress(page, '?q=old+&archived=true');
    const archived = [await chips(page), (await titles(page)).toSorted()];
    await search(page).fill('');
    await search(page).pressSequentially('is:pin');
    await page.keyboard.press('Enter');
    await untilAddress(page, '?archived=true&pinned=true');

    expect(offered).toEqual(['pinned', 'archived']);
    expect(archived).toEqual([['Archived'], ['Old boxes', 'Old tar']]);
    expect(await chips(page)).toEqual(['Archived', 'Pinned']);
  });

  test('is completed by a space, by Enter or by Tab if only one value is left; other words stay words', async () => {
    const page = await stage.show();
    await page.evaluate(() => navigator.clipboard.writeText('before'));
    const clear = async () => {
      await page.getByRole('button', { name: 'Remove the filter bash-commands' }).click();
      await search(page).fill('');
    };

    await search(page).pressSequentially('tar c:bas ');
    const bySpace = [await chips(page), await search(page).inputValue()];
    await clear();
    await search(page).pressSequentially('c:bash tar');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await untilAddress(page, '?q=tar&category=bash-commands');
    await clear();
    await search(page).pressSequentially('http://x c:nothing ');
    const words = await search(page).inputValue();
    await search(page).fill('');
    await search(page).pressSequentially('c:bash');
    await page.keyboard.press('Enter');
    await untilAddress(page, '?category=bash-commands');
    const afterOne = await clipboard(page);
    await page.keyboard.press('Enter');

    expect(bySpace).toEqual([['bash-commands'], 'tar ']);
    expect(words).toBe('http://x c:nothing ');
    expect(afterOne).toBe('before');
    expect(await isEventuallyTrue(async () => (await clipboard(page)) !== 'before')).toBe(true);
  });

  test('without a match is explained on a phone, where the search has no room for it', async () => {
    const page = await stage.show({ viewport: phone, query: '?q=c:bash+' });

    await page.getByText('“c:bash” is not a filter').waitFor();
    await page.getByRole('button', { name: 'bash-commands' }).click();
    await untilAddress(page, '?category=bash-commands');

    expect(await chips(page)).toEqual(['bash-commands']);
  });
});

describe('Enter with an open note', () => {
  const openTitle = (page: Page) => page.locator('#note-title').innerText();

  test.each(['Control+K', '/'])(
    'copies the first note of a filter that it does not pass, after %s, and leaves it open',
    async (key) => {
      const [first, open] = await stage.add(
        note('Asked first', { category: 'prompts', group: 'fifth', content: 'of the filter' }),
        note('Read before', { category: 'notes', group: 'fifth', content: 'of the reader' }),
      );
      if (!first || !open) throw new Error('no notes');
      const page = await stage.show();

      await row(page, open).getByRole('link').click();
      await page.locator('#note-title', { hasText: open.title }).waitFor();
      await place(page, 'prompts').click();
      await page.locator('.at-cursor', { hasText: first.title }).waitFor();
      await page.keyboard.press(key);
      await page.locator('#search:focus').press('Enter');
      await page.getByRole('log').getByText('Copied').waitFor();

      expect([await clipboard(page), await openTitle(page)]).toEqual([first.content, open.title]);
    },
  );

  test('copies it after a filter that it passes, under the cursor', async () => {
    const [open, newer] = await stage.add(
      note('Read on', { category: 'prompts', group: 'fifth', content: 'of the reader' }),
      note('Never read', { category: 'prompts', group: 'fifth', content: 'of a newer note' }),
    );
    if (!open || !newer) throw new Error('no notes');
    const page = await stage.show();

    await row(page, open).getByRole('link').click();
    await page.locator('#note-title', { hasText: open.title }).waitFor();
    await place(page, 'prompts').click();
    await untilAddress(page, `?category=prompts&note=${open.id}`);
    const title = await atCursor(page);
    await page.keyboard.press('Control+K');
    await page.locator('#search:focus').press('Enter');
    await page.getByRole('log').getByText('Copied').waitFor();

    expect([title, await clipboard(page)]).toEqual([open.title, open.content]);
  });
});
