/** The appearance of the page: type scale, measure, visible colors, resizable panes and rows. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { colors } from '../../src/core/enums.ts';
import { corpus } from '../support/data/corpus.ts';
import { draft } from '../support/service.ts';
import { atCursor, intercept, phone, row, tablet, useStage } from './visit.ts';

const limit = 60_000;
const stage = useStage();
const markdown =
  '# Head\n\n## Second\n\n- [ ] **bold** and `code`\n\n```css\na { color: red }\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n';
beforeAll(async () => {
  await stage.add(
    ...corpus(30),
    ...colors.map((color) => draft({ title: `In ${color}`, color })),
    draft({ title: 'Marked', content: `${markdown}\n${'word '.repeat(300)}` }),
  );
}, 60_000);

const open = async (page: Page, title: string) => {
  await page.locator('[data-row]', { hasText: title }).click();
  await page.locator('#detail h2', { hasText: title }).waitFor();
  await page.locator('.markdown, .note-code, .note-text').first().waitFor();
};

const fill = async (page: Page) => {
  await page.getByRole('button', { name: 'New' }).click();
  await page.getByRole('textbox', { name: 'Content' }).fill('Some text');
};

/** The sizes of visible texts in px, except counts and texts for screen readers. */
const textSizes = (page: Page) =>
  page.evaluate(() => {
    const sizes = new Map<number, string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      const { parentElement } = text;
      if (!parentElement?.checkVisibility({ visibilityProperty: true }) || text.textContent?.trim() === '') continue;
      if (parentElement.closest('.sr-only') || /^[\d,]+$/.test(text.textContent ?? '')) continue;
      sizes.set(Number.parseFloat(getComputedStyle(parentElement).fontSize), text.textContent ?? '');
    }
    return Object.fromEntries(sizes);
  });

const heights = (page: Page) =>
  page.locator('.row').evaluateAll((rows) => [...new Set(rows.map((row) => row.getBoundingClientRect().height))]);

const widthOf = async (page: Page, selector: string) =>
  (await page.locator(selector).first().boundingBox())?.width ?? 0;

describe('Looks', () => {
  test.each([
    ['a list and a note', {}, (page: Page) => open(page, 'Marked')],
    ['a board', { query: '?view=board' }, (page: Page) => page.locator('.board').waitFor()],
    ['a list on a phone', { viewport: phone }, () => Promise.resolve()],
    ['a note on a phone', { viewport: phone }, (page: Page) => open(page, 'Marked')],
    ['a form', {}, (page: Page) => fill(page)],
  ] as const)(
    'the texts of %s have three sizes, and only counts are below 13 px',
    async (_, options, reach) => {
      await using visit = await stage.visit(options);

      await reach(visit.page);

      const sizes = await textSizes(visit.page);
      const others = Object.entries(sizes).filter(([size]) => ![13, 15, 20].includes(Number(size)));
      expect(others).toEqual([]);
      if (await visit.page.locator('#search').isVisible()) {
        expect(await visit.page.locator('#search').evaluate((search) => getComputedStyle(search).fontSize)).toBe(
          '16px',
        );
      }
    },
    limit,
  );

  test(
    'prose, code and tables are at most 720 px wide, in the middle of their pane',
    async () => {
      await using visit = await stage.visit({ viewport: { width: 2560, height: 1200 } });
      const { page } = visit;
      await open(page, 'Marked');

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
    },
    limit,
  );

  test(
    'each color is the edge of its rows, and has a contrast of 3 in both themes',
    async () => {
      await using visit = await stage.visit({ query: '?q=In', viewport: { width: 1440, height: 1400 } });
      const { page } = visit;

      const faint: string[] = [];
      const seen = new Set<string>();
      for (const theme of ['light', 'dark']) {
        const edges = await page.evaluate((theme) => {
          document.documentElement.dataset['theme'] = theme;
          const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
          const luminance = (color: string) => {
            if (!canvas) return 0;
            canvas.fillStyle = color;
            canvas.fillRect(0, 0, 1, 1);
            const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) =>
              part <= 10 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4,
            );
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
          };
          const back = luminance(
            getComputedStyle(document.querySelector('.list-pane') ?? document.body).backgroundColor,
          );
          return [...document.querySelectorAll('.row-edge')].map((edge) => {
            const color = getComputedStyle(edge).backgroundColor;
            const own = luminance(color);
            return { color, contrast: (Math.max(own, back) + 0.05) / (Math.min(own, back) + 0.05) };
          });
        }, theme);
        for (const { color, contrast } of edges) {
          seen.add(`${theme} ${color}`);
          if (contrast < 3) faint.push(`${theme}: ${color} ${contrast.toFixed(2)}`);
        }
      }

      expect(faint).toEqual([]);
      expect(seen.size).toBe(16);
    },
    limit,
  );

  test(
    'an excerpt omits the syntax of Markdown, and still shows its hits',
    async () => {
      await using visit = await stage.visit({ query: '?q=Marked' });

      const excerpt = visit.page.locator('.row-excerpt').first();

      expect(await excerpt.innerText()).toStartWith('Head Second bold and code a { color: red }');
    },
    limit,
  );

  test(
    'an excerpt that goes on ends with an ellipsis, whether one line of it is visible or two',
    async () => {
      const title = 'A title that has more words than one line of the list has room for';
      await stage.add(...[title, 'Short'].map((title) => draft({ title, content: 'Beginning '.repeat(40) })));
      await using visit = await stage.visit({ query: '?q=Beginning' });

      const lines = await visit.page.locator('.row-excerpt').evaluateAll((all) =>
        all.map((excerpt) => {
          const clamped = excerpt.querySelector('span') ?? excerpt;
          const { lineHeight, webkitLineClamp } = getComputedStyle(clamped);
          return [Math.round(excerpt.clientHeight / Number.parseFloat(lineHeight)), Number(webkitLineClamp)];
        }),
      );

      expect(lines).toEqual([
        [2, 2],
        [1, 1],
      ]);
    },
    limit,
  );

  test(
    'Copy is visible only on the rows under the cursor and the pointer',
    async () => {
      await using visit = await stage.visit();
      const { page } = visit;
      const shown = () =>
        page
          .locator('.row')
          .evaluateAll((rows) =>
            rows
              .filter((row) => row.querySelector('.row-copy')?.checkVisibility({ visibilityProperty: true }))
              .map((row) => row.ariaPosInSet),
          );

      await page.mouse.move(700, 20);
      const before = await shown();
      await page.locator('.row[aria-posinset="4"]').hover();

      expect(before).toEqual(['1']);
      expect(await shown()).toEqual(['1', '4']);
    },
    limit,
  );

  test(
    'copying a note moves no other button',
    async () => {
      await using visit = await stage.visit({ query: '?q=Marked' });
      const { page } = visit;
      const actions = page.locator('.note-head');
      const place = async () => (await actions.getByRole('button', { name: 'Edit' }).boundingBox())?.x;
      const before = await place();

      await actions.getByRole('button', { name: 'Copy' }).click();
      await actions.getByRole('button', { name: 'Copied' }).waitFor();

      expect(await place()).toBe(before);
    },
    limit,
  );

  test(
    'in a form the title has no box, and the text stands between it and the chips',
    async () => {
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
    },
    limit,
  );

  test(
    'dates are written in the language of the browser',
    async () => {
      await using visit = await stage.visit({ locale: 'de-DE' });
      const { page } = visit;
      await open(page, 'Marked');

      const inNote = await page.locator('#detail time').first().getAttribute('title');
      const inRow = await page.locator('.row-time').first().innerText();

      expect(inNote).toMatch(/^Changed \d{2}\.\d{2}\.\d{4}, \d{2}:\d{2},/);
      expect(inRow).toMatch(/^(?:jetzt|\d+ Min\.)$/);
    },
    limit,
  );

  test(
    'rows are 88 or 56 px high, a setting that this browser keeps',
    async () => {
      await using visit = await stage.visit();
      const { page } = visit;
      const before = await heights(page);

      await page.getByRole('button', { name: 'Compact rows' }).click();
      const after = await heights(page);
      await page.reload();
      await page.locator('.row').first().waitFor();
      const kept = await heights(page);
      await page.getByRole('button', { name: 'Compact rows' }).click();

      expect([before, after, kept, await heights(page)]).toEqual([[88], [56], [56], [88]]);
    },
    limit,
  );

  test.each([
    ['list', '.list-pane', 272],
    ['sidebar', '.sidebar', 192],
  ])(
    'the %s is resized by the pointer and by keys, within bounds, and this browser keeps its width',
    async (name, pane, bound) => {
      await using visit = await stage.visit();
      const { page } = visit;
      const divider = page.getByRole('separator', { name: `Width of the ${name}` });
      const width = () => widthOf(page, pane);
      const first = await width();
      const { x, y, height } = (await divider.boundingBox()) ?? { x: 0, y: 0, height: 0 };

      await page.mouse.move(x + 6, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + 106, y + height / 2, { steps: 4 });
      await page.mouse.up();
      const dragged = await width();
      await divider.press('ArrowLeft');
      const pressed = await width();
      await page.reload();
      await page.locator('.row').first().waitFor();
      const kept = await width();
      for (let times = 0; times < 30; times++) await divider.press('ArrowLeft');
      const least = await width();
      await divider.dblclick();

      expect(dragged - first).toBeWithin(90, 111);
      expect([dragged - pressed, kept]).toEqual([24, pressed]);
      expect(least).toBe(bound);
      expect(Number(await divider.getAttribute('aria-valuenow'))).toBe(Math.round(first));
      expect(await width()).toBe(first);
    },
    limit,
  );

  test(
    'the widest sidebar leaves room for list and note in a window of 1024 px, and none below',
    async () => {
      await using visit = await stage.visit({ viewport: { width: 1024, height: 768 } });
      const { page } = visit;
      const divider = page.getByRole('separator', { name: 'Width of the sidebar' });

      for (let times = 0; times < 20; times++) await divider.press('ArrowRight');
      const widths = [await widthOf(page, '.sidebar'), await widthOf(page, '.list-pane')];
      await page.setViewportSize({ width: 1023, height: 768 });
      await divider.waitFor({ state: 'hidden' });

      expect(widths).toEqual([352, 288]);
      expect(await page.locator('.list-pane').evaluate((list) => list.getBoundingClientRect().x)).toBe(0);
    },
    limit,
  );
});

describe('Dialogs', () => {
  test.each([['x Shift+ArrowDown Change', '.choice > svg']])(
    'begin below their title (%s)',
    async (keys, content) => {
      await using visit = await stage.visitList();
      const { page } = visit;

      for (const key of keys.split(' ')) {
        if (key === 'Change') await page.getByRole('button', { name: 'Category, group, color' }).click();
        else await page.keyboard.press(key);
      }
      const dialog = page.getByRole('dialog');
      const begin = dialog.locator(content).first();
      await begin.waitFor();
      const startOf = (element: Element) => {
        const { paddingInlineStart } = getComputedStyle(element);
        return element.getBoundingClientRect().x + Number.parseFloat(paddingInlineStart);
      };

      expect(await begin.evaluate(startOf)).toBe(await dialog.locator('#dialog-title').evaluate(startOf));
    },
    limit,
  );

  test(
    'a select of many choices has an arrow',
    async () => {
      const choices = Array.from({ length: 9 }, (_, index) => `choice ${index}`);
      await stage.add(draft({ title: 'Chosen from many', content: `{{one=${choices.join('|')}}}` }));
      await using visit = await stage.visitList({ query: '?q=Chosen+from+many' });
      const { page } = visit;

      await page.keyboard.press('Enter');
      const select = page.getByRole('combobox', { name: 'one' });
      await select.waitFor();

      expect(await select.evaluate((box) => getComputedStyle(box).appearance)).toBe('auto');
    },
    limit,
  );
});

describe('Board', () => {
  test(
    'a card is dragged to another group, with the cursor, and Undo moves it back',
    async () => {
      const [note] = await stage.add(draft({ title: 'Dragged', group: 'first' }));
      await using visit = await stage.visit({ query: '?view=board' });
      const { page } = visit;
      const column = page.locator('.board-column').nth(2);
      const card = row(page, { id: note?.id ?? 0 });

      await card.locator('[data-row]').dragTo(column.locator('h2'));
      await column.locator('.at-cursor', { hasText: 'Dragged' }).waitFor();
      const there = await atCursor(page);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.locator('.board-column').nth(0).locator('[data-row]', { hasText: 'Dragged' }).waitFor();

      expect(there).toBe('Dragged');
    },
    limit,
  );

  test(
    'a late answer to a move does not change the focus',
    async () => {
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
      await page.getByText('Moved “Slow” to second').waitFor();
      await page.locator('.board-column').nth(1).locator('.row', { hasText: 'Slow' }).waitFor();
      await page.evaluate(() => new Promise(requestAnimationFrame));

      expect(await page.locator('#search:focus').count()).toBe(1);
    },
    limit,
  );

  test(
    'titles of cards take two lines',
    async () => {
      await stage.add(draft({ title: 'A title that has far more words than one line of a card has room for' }));
      await using visit = await stage.visit({ query: '?view=board', viewport: tablet });
      const title = visit.page.locator('.row-title', { hasText: 'far more words' });

      expect((await title.boundingBox())?.height).toBe(40);
    },
    limit,
  );
});
