/** The appearance of the list and its frame: rows, colors, headings, messages, panes. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { colors } from '../../src/core/enums.ts';
import { corpus } from '../support/data/corpus.ts';
import { draft } from '../support/service.ts';
import { desktop, intercept, leaveSearch, phone, tablet, useStage } from './visit.ts';

const stage = useStage();
const finger = { hasTouch: true, isMobile: true };

beforeAll(async () => {
  await stage.add(
    ...corpus(30),
    ...colors.map((color) => draft({ title: `In ${color}`, color })),
    draft({ title: 'Marked', content: '# Marked\n\n**Bold** and `code`\nnext line\n' }),
    draft({ title: 'set -e', content: '#!/bin/sh\nset -e\nmake deploy', category: 'bash-commands' }),
    draft({ title: 'A *starred* title', content: 'A *starred* title\n===\nThe text' }),
  );
});

const boxOf = async (page: Page, selector: string) =>
  (await page.locator(selector).first().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };

const styleOf = (page: Page, selector: string, name: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), name);

/** How many rows are seen as a whole. */
const wholeRows = (page: Page) =>
  page.locator('.row').evaluateAll((rows) => {
    const list = document.querySelector('.scroller')?.getBoundingClientRect();
    return rows.filter((row) => row.getBoundingClientRect().bottom <= (list?.bottom ?? 0)).length;
  });

describe('Rows', () => {
  test('at 1440 × 900 px there are twelve of 64 px, or twenty-two of 36 px by a setting that this browser keeps', async () => {
    await using visit = await stage.visitList();
    const { page } = visit;
    const comfortable = [(await boxOf(page, '.row')).height, await wholeRows(page)];

    await page.keyboard.press('?');
    await page.getByRole('radio', { name: 'compact' }).check();
    await page.reload();
    await page.locator('.row').first().waitFor();
    const compact = [(await boxOf(page, '.row')).height, await wholeRows(page)];

    expect(comfortable).toEqual([64, 12]);
    expect(compact).toEqual([36, 22]);
  });

  test('a title and an excerpt take a line each: without its title, its syntax, or anything bold', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    const excerptOf = (title: string) =>
      page.locator('[data-row]', { hasText: title }).locator('.row-excerpt').innerText();

    const excerpts = await Promise.all(['Marked', 'set -e', 'A *starred* title'].map(excerptOf));
    const weights = await page
      .locator('.list-pane :is(.row-title, .row-excerpt, .row-time, h2, p)')
      .evaluateAll((texts) => [...new Set(texts.map((text) => Number(getComputedStyle(text).fontWeight)))]);

    expect(excerpts).toEqual(['Bold and code ⏎ next line', 'make deploy', 'The text']);
    expect(Math.max(...weights)).toBe(500);
    expect((await boxOf(page, '.row-title')).height).toBe(20);
    expect((await boxOf(page, '.row-excerpt')).height).toBe(18);
  });

  test('each color is a dot of 8 px with a contrast of 3 in both themes, as in the sidebar; neutral has none', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await using visit = await stage.visit({ query: '?q=In', colorScheme, viewport: { width: 1440, height: 1400 } });
      const { page } = visit;
      const contrasts = await page.locator('.row-dot').evaluateAll((dots) => {
        const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        const luminance = (color: string) => {
          if (!context) return 0;
          context.fillStyle = color;
          context.fillRect(0, 0, 1, 1);
          const [r = 0, g = 0, b = 0] = [...context.getImageData(0, 0, 1, 1).data]
            .map((part) => part / 255)
            .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const pane = getComputedStyle(document.querySelector('.list-pane') ?? document.body).backgroundColor;
        return dots.map((dot) => {
          const ends = [luminance(getComputedStyle(dot).backgroundColor), luminance(pane)];
          return (Math.max(...ends) + 0.05) / (Math.min(...ends) + 0.05);
        });
      });

      const colorsOf = (selector: string) =>
        page.locator(selector).evaluateAll((dots) => dots.map((dot) => getComputedStyle(dot).backgroundColor));

      expect(Math.min(...contrasts)).toBeGreaterThan(2.9);
      expect(await colorsOf('.sidebar .swatch')).toEqual(expect.arrayContaining(await colorsOf('.row-dot')));
      expect(await page.locator('[data-row]', { hasText: 'In neutral' }).locator('.row-dot').count()).toBe(0);
      expect(await page.locator('[data-row]', { hasText: 'In accent' }).locator('.row-dot').count()).toBe(1);
      expect(await boxOf(page, '.row-dot')).toMatchObject({ width: 8, height: 8 });
    }
  });

  test('the cursor is a tint, and a ring only with the focus of a key; a finger sees neither it nor keys', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    const outlines = [await styleOf(page, '.at-cursor', 'outline-style')];
    await leaveSearch(page);
    await page.keyboard.press('j');
    outlines.push(await styleOf(page, '.at-cursor', 'outline-style'));
    await using touch = await stage.visit({ viewport: phone, ...finger });

    expect(outlines).toEqual(['none', 'solid']);
    expect(await styleOf(touch.page, '.at-cursor', 'background-color')).toBe('rgba(0, 0, 0, 0)');
    expect(await touch.page.locator('kbd:visible').count()).toBe(0);
  });

  test('Copy is on the rows under the cursor and the pointer, in the place of the time; a finger has it on each', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    const seen = (part: string) =>
      page
        .locator(part)
        .evaluateAll((all) =>
          all.filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true })),
        );
    await page.locator('.row').nth(3).hover();
    const copies = (await seen('.row-copy')).length;
    const times = (await seen('.row-time')).length;
    const rows = await page.locator('.row').count();
    await using touch = await stage.visit({ viewport: tablet, ...finger });

    expect([copies, rows - times]).toEqual([2, 2]);
    expect(await touch.page.locator('.row-copy:visible').count()).toBe(await touch.page.locator('.row').count());
  });

  test('a heading says why this order: copied lately, changed, or best match; Copy again moves no row in use', async () => {
    await using visit = await stage.visitList();
    const { page } = visit;
    const heading = page.locator('.list-head h2');
    const before = await heading.innerText();
    await page.locator('.row').nth(2).hover();
    await page.locator('.row').nth(2).locator('.row-copy').click();
    await page.getByText('Copied “').waitFor();
    await page.reload();
    await page.locator('.list-heading').waitFor();
    const after = [await heading.innerText(), await page.locator('.list-heading').innerText()];
    const [name, count] = [await boxOf(page, '.list-head h2'), await boxOf(page, '#count')];
    const isApart = await page.locator('#count').evaluate((count) => getComputedStyle(count).textAlign === 'end');
    await page.locator('.scroller').evaluate((list) => list.scrollTo(0, 300));
    await heading.filter({ hasText: 'Last changed' }).waitFor();
    await page.locator('#search').fill('marked');
    await heading.filter({ hasText: 'Best match' }).waitFor();

    expect(before).toBe('Last changed');
    expect(after).toEqual(['Recently copied', 'Last changed']);
    expect([isApart, count.width > 2 * name.width]).toEqual([true, true]);
  });
});

describe('Messages', () => {
  test.each([
    [320, 640],
    [320, 256],
    [tablet.width, tablet.height],
    [1440, 900],
  ])('in a window of %i × %i px one floats over the list, moves nothing and covers no focus', async (width, height) => {
    await stage.add(...Array.from({ length: 10 }, (_, index) => draft({ title: `Below ${index}` })));
    await using visit = await stage.visitList({ viewport: { width, height }, query: '?q=Below' });
    const { page } = visit;
    await page.keyboard.press('End');
    const list = await boxOf(page, '.scroller');

    await page.keyboard.press('a');
    await page.locator('.message').waitFor();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    const message = await boxOf(page, '.message');
    const focus = await boxOf(page, '.at-cursor:focus');

    expect(await boxOf(page, '.scroller')).toEqual(list);
    expect(message.width).toBeLessThanOrEqual(360);
    expect(Math.abs(message.x + message.width / 2 - (list.x + list.width / 2))).toBeLessThan(2);
    expect(message.y + message.height).toBeLessThanOrEqual(height);
    expect(focus.y + focus.height).toBeLessThanOrEqual(message.y);
    if (width > 640) expect(message.height).toBe(40);
  });

  test('a newer one replaces it, and a button shows the others; failures stay', async () => {
    await using visit = await stage.visitList({ forgiven: /Failed to load resource/ });
    const { page } = visit;
    await intercept(page, '**/api/notes/*/archive*', (route) => route.fulfill({ status: 500, json: { error: 'No' } }));
    await page.keyboard.press('a');
    await page.getByText('was not archived').waitFor();
    await page.keyboard.press('p');
    await page.getByText('Pinned “').waitFor();
    const alone = await page.locator('.message:visible').count();

    await page.getByRole('button', { name: 'Show 1 more' }).click();
    const both = await page.locator('.message:visible').count();

    expect([alone, both]).toEqual([1, 2]);
  });
});

describe('Panes', () => {
  test.each([
    ['list', 'Width of the list', '.list-pane', 272],
    ['sidebar', 'Width of the sidebar', '.sidebar', 192],
  ])(
    'the %s is resized by the pointer and by keys, within bounds, and this browser keeps its width',
    async (_, name, selector, least) => {
      await using visit = await stage.visit();
      const { page } = visit;
      const divider = page.getByRole('separator', { name });
      const before = (await boxOf(page, selector)).width;
      await divider.focus();
      await page.keyboard.press('ArrowRight');
      const wider = (await boxOf(page, selector)).width;
      const { x, y, width } = (await divider.boundingBox()) ?? { x: 0, y: 0, width: 0 };
      await page.mouse.move(x + width / 2, y + 300);
      await page.mouse.down();
      await page.mouse.move(0, y + 300, { steps: 3 });
      await page.mouse.up();
      const narrowest = (await boxOf(page, selector)).width;
      await page.reload();
      await page.locator('.row').first().waitFor();
      const kept = (await boxOf(page, selector)).width;
      await divider.dblclick();

      expect(wider).toBe(before + 24);
      expect([narrowest, kept]).toEqual([least, least]);
      expect((await boxOf(page, selector)).width).toBe(before);
    },
  );

  test('one surface has the accent: New, Copy of an open note, or Save; what is chosen in the sidebar is grey', async () => {
    await using visit = await stage.visitList({ reducedMotion: 'reduce' });
    const { page } = visit;
    const accent = await styleOf(page, '.top-bar .btn-primary', 'background-color');
    const surfaces = () =>
      page.locator('.app :not(.row-dot, .swatch)').evaluateAll((all, accent) => {
        const filled = all.filter((one) => getComputedStyle(one).backgroundColor === accent);
        return filled.map((one) => one.textContent);
      }, accent);
    const seen = [await surfaces()];
    await page.keyboard.press('o');
    await page.locator('.detail-body:focus').waitFor();
    seen.push(await surfaces());
    await page.keyboard.press('e');
    await page.locator('.form-save').waitFor();
    seen.push(await surfaces());
    const chosen = await styleOf(page, '.choice[aria-pressed=true]', 'background-color');

    expect(seen).toEqual([['New'], ['Copy'], ['Save']]);
    expect(chosen).toMatch(/oklch\(0\.9\d* 0\.00/);
  });

  test.each([
    [
      desktop,
      {},
      [
        ['.search', 'border-width', '1px'],
        ['.list-head', 'font-size', '12px'],
        ['.row-title', 'font', '500 14px / 20px'],
        ['.row-excerpt', 'font', '400 13px / 18px'],
        ['.note-head', 'height', '48px'],
        ['.note-title', 'font', '600 20px / 28px'],
        ['.note-copy', 'height', '32px'],
        ['.note-facts', 'height', '28px'],
        ['.form-foot', 'height', '48px'],
        ['.form-foot', 'border-top-width', '1px'],
      ],
    ],
    [
      phone,
      finger,
      [
        ['.top-bar', 'height', '48px'],
        ['.note-head', 'height', '48px'],
        ['.note-facts', 'height', '44px'],
        ['.form-save', 'height', '44px'],
      ],
    ],
  ])('the parts have the measures that are meant (%j)', async (viewport, options, measures) => {
    await using visit = await stage.visit({ viewport, ...options, query: '?q=Marked' });
    const { page } = visit;
    const measured = new Map<string, string>();
    const measure = async () => {
      for (const [selector = '', name = ''] of measures) {
        const value = await page.locator(selector).evaluateAll(([part], name) => {
          if (!part?.checkVisibility()) return undefined;
          const style = getComputedStyle(part);
          const isFont = name === 'font';
          return isFont ? `${style.fontWeight} ${style.fontSize} / ${style.lineHeight}` : style.getPropertyValue(name);
        }, name);
        if (value !== undefined) measured.set(`${selector} ${name}`, value);
      }
    };

    await measure();
    await page.locator('.row-title').first().click();
    await page.locator('.note-facts').waitFor();
    await measure();
    await page.getByTitle('Edit (e)').click();
    await page.locator('.form-foot').waitFor({ state: 'attached' });
    await measure();

    expect(Object.fromEntries(measured)).toEqual(
      Object.fromEntries(measures.map(([selector, name, value]) => [`${selector} ${name}`, value ?? ''])),
    );
  });

  test('prose, code and tables are at most 720 px wide, in the middle of their pane', async () => {
    const table = '| a | b |\n|---|---|\n| 1 | 2 |\n';
    const content = `- [ ] **bold**\n\n\`\`\`css\na { color: red }\n\`\`\`\n\n${table}\n${'word '.repeat(300)}`;
    const [note] = await stage.add(draft({ title: 'All blocks', content }));
    await using visit = await stage.visit({ query: `?note=${note?.id}`, viewport: { width: 2560, height: 1200 } });
    const { page } = visit;
    await page.locator('.markdown table').waitFor();

    const app = await page.locator('.app').boundingBox();
    const pane = await page.locator('#detail').boundingBox();
    const parts = await page.locator('.detail-body > *, .code-block, .markdown > p').evaluateAll((all) =>
      all.map((part) => {
        const { left, right } = part.getBoundingClientRect();
        return { left, right };
      }),
    );

    expect(app).toMatchObject({ x: 380, width: 1800 });
    const middle = (pane?.x ?? 0) + (pane?.width ?? 0) / 2;
    for (const { left, right } of parts) {
      expect(left).toBeGreaterThanOrEqual(middle - 361);
      expect(right).toBeLessThanOrEqual(middle + 361);
    }
    expect(Math.max(...parts.map(({ left, right }) => right - left))).toBeGreaterThan(715);
  });

  test('copying a note moves no other button', async () => {
    await using visit = await stage.visit({ query: '?q=Marked' });
    const { page } = visit;
    const actions = page.locator('.note-head');
    const place = async () => (await actions.getByRole('button', { name: 'Edit' }).boundingBox())?.x;
    const before = await place();

    await actions.getByRole('button', { name: 'Copy' }).click();
    await actions.getByRole('button', { name: 'Copied' }).waitFor();

    expect(await place()).toBe(before);
  });

  test('in a form the title has no box, and the text stands between it and the chips', async () => {
    await using visit = await stage.visitList();
    const { page } = visit;

    await page.keyboard.press('n');
    await page.locator('.note-form [name=title]').waitFor();
    const box = await page.locator('.note-form [name=title]').evaluate((title) => {
      const { borderWidth, boxShadow, backgroundColor } = getComputedStyle(title);
      return { borderWidth, boxShadow, backgroundColor };
    });
    const parts = ['[name=title]', '[name=content]', '[name=category]'].map((part) => page.locator(`form ${part}`));
    const [title, content, chips] = await Promise.all(parts.map((part) => part.boundingBox()));

    expect(box).toEqual({ borderWidth: '0px', boxShadow: 'none', backgroundColor: 'rgba(0, 0, 0, 0)' });
    expect(content?.y).toBeGreaterThan((title?.y ?? 0) + (title?.height ?? 0));
    expect(chips?.y).toBeGreaterThan((content?.y ?? 0) + (content?.height ?? 0));
    expect(content?.height).toBeGreaterThan((title?.height ?? 0) + (chips?.height ?? 0));
  });

  test('dates are written in the language of the browser', async () => {
    await using visit = await stage.visit({ locale: 'de-DE' });
    const { page } = visit;
    await page.locator('.row').first().click();
    await page.locator('#detail time').first().waitFor();

    const inNote = await page.locator('#detail time').first().getAttribute('title');
    const inRow = await page.locator('.row-time').first().innerText();

    expect(inNote).toMatch(/^Changed \d{2}\.\d{2}\.\d{4}, \d{2}:\d{2},/);
    expect(inRow).toMatch(/^(?:jetzt|\d+ Min\.)$/);
  });

  test('the widest sidebar leaves room for list and note in a window of 1024 px, and none below', async () => {
    await using visit = await stage.visit({ viewport: { width: 1024, height: 768 } });
    const { page } = visit;
    const divider = page.getByRole('separator', { name: 'Width of the sidebar' });

    for (let times = 0; times < 20; times++) await divider.press('ArrowRight');
    const widths = [(await boxOf(page, '.sidebar')).width, (await boxOf(page, '.list-pane')).width];
    await page.setViewportSize({ width: 1023, height: 768 });
    await divider.waitFor({ state: 'hidden' });

    expect(widths).toEqual([352, 288]);
    expect(await page.locator('.list-pane').evaluate((list) => list.getBoundingClientRect().x)).toBe(0);
  });
});

describe('Dialogs', () => {
  test('begin below their title', async () => {
    await using visit = await stage.visitList();
    const { page } = visit;

    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Category, group, color' }).click();
    const dialog = page.getByRole('dialog');
    const begin = dialog.locator('fieldset .btn').first();
    await begin.waitFor();
    const startOf = (element: Element) => element.getBoundingClientRect().x;

    expect(await begin.evaluate(startOf)).toBe(await dialog.locator('#dialog-title').evaluate(startOf));
  });

  test('a select of many choices has an arrow', async () => {
    const choices = Array.from({ length: 9 }, (_, index) => `choice ${index}`);
    await stage.add(draft({ title: 'Chosen from many', content: `{{one=${choices.join('|')}}}` }));
    await using visit = await stage.visitList({ query: '?q=Chosen+from+many' });
    const { page } = visit;

    await page.keyboard.press('Enter');
    const select = page.getByRole('combobox', { name: 'one' });
    await select.waitFor();

    expect(await select.evaluate((box) => getComputedStyle(box).appearance)).toBe('auto');
  });
});

describe('Board', () => {
  test('a box takes the place of the dot, while cards are selected', async () => {
    await using visit = await stage.visitList({ query: '?view=board' });
    const { page } = visit;
    await page.locator('.row-dot').first().waitFor();

    await page.keyboard.press('x');
    await page.locator('.row-check:visible').first().waitFor();

    expect(await page.locator('.row-dot:visible').count()).toBe(0);
  });

  test('a late answer to a move does not change the focus', async () => {
    await stage.add(draft({ title: 'Slow', group: 'first' }));
    await using visit = await stage.visitList({ query: '?view=board' });
    const { page } = visit;
    const answer = Promise.withResolvers<void>();
    await intercept(page, '**/api/notes/*', async (route) => {
      await answer.promise;
      await route.continue();
    });

    await page.locator('.at-cursor', { hasText: 'Slow' }).press('Shift+ArrowRight');
    await page.keyboard.press('/');
    answer.resolve();
    await page.getByText('Moved to second: “Slow”').waitFor();
    await page.locator('.board-column').nth(1).locator('.row', { hasText: 'Slow' }).waitFor();
    await page.evaluate(() => new Promise(requestAnimationFrame));

    expect(await page.locator('#search:focus').count()).toBe(1);
  });

  test('titles of cards take two lines', async () => {
    await stage.add(draft({ title: 'A title that has far more words than one line of a card has room for' }));
    await using visit = await stage.visit({ query: '?view=board', viewport: tablet });
    const title = visit.page.locator('.row-title', { hasText: 'far more words' });

    expect((await title.boundingBox())?.height).toBe(40);
  });
});
