/** Lists and boards at every width: layout, what survives navigation, and drawing few of ten thousand notes. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Note } from '../../src/core/note.ts';
import { createCorpus } from '../support/data/corpus.ts';
import { createDraft } from '../support/sample-notes.ts';
import { atCursor, desktop, goOnByKeys, phone, row, tablet, titles, useStage } from './visit.ts';

const stage = useStage();
let notes: Note[];
beforeAll(async () => {
  notes = await stage.add(...createCorpus(60), ...difficult);
});

const longWord = 'https://host.example/'.padEnd(300, 'abcdefghij');
const difficult = [
  createDraft({
    title: 'Long '.repeat(60),
    content: longWord,
    category: 'bash-commands',
    color: 'secondary',
    group: 'second',
  }),
  createDraft({ title: longWord, content: 'A\n\n\n\tB', category: 'editor-chats', color: 'secondary', group: 'third' }),
  createDraft({
    title: 'שלום עולם '.repeat(30),
    content: 'טקסט ארוך '.repeat(30),
    category: 'chat-tool',
    group: 'fourth',
  }),
  createDraft({ title: '👩‍👩‍👧‍👦🏳️‍🌈'.repeat(40), content: '🎉'.repeat(300), category: 'css', group: 'fifth' }),
  createDraft({ title: 'Ậ̴̢̛͖̙͔̗͉̻̝̠̽͂́̓͛͆̿̈́͝g ภาษาไทย ที่ที่', content: '﷽'.repeat(80), category: 'host-town', group: 'first' }),
];

/** The names of the selectors whose elements are visible. */
const seen = (page: Page, selectors: Record<string, string>) =>
  page.evaluate(
    (selectors) =>
      Object.entries(selectors)
        .filter(([, selector]) => {
          const box = document.querySelector(selector)?.getBoundingClientRect();
          const hit = box && document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
          return hit?.closest(selector) !== null && hit !== undefined;
        })
        .map(([name]) => name),
    selectors,
  );

const panes = { filters: '.sidebar', list: '.list-pane', detail: '#detail' };

/** Horizontal overflow in px, except in elements that are made to scroll. */
const sidewaysScroll = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth + document.body.scrollWidth - innerWidth);

/** Controls smaller than `minSize` px, except links in a text. */
const smallTargets = (page: Page, minSize: number) =>
  page.evaluate((minSize) => {
    const targets = [...document.querySelectorAll('button, a, input, select, textarea')]
      .map((control) => control.closest('label') ?? control)
      .filter(
        (target) => target.checkVisibility({ visibilityProperty: true }) && !target.closest('[inert], .markdown p'),
      );
    return targets.flatMap((target) => {
      const { width, height } = target.getBoundingClientRect();
      const name = target.getAttribute('aria-label') ?? target.textContent;
      return width < minSize || height < minSize ? [`${name}: ${width} x ${height}`] : [];
    });
  }, minSize);

describe('1. Layout', () => {
  test('every control is large enough to tap, and the letters of a field on a phone, so that it does not zoom in', async () => {
    for (const [viewport, minSize] of [
      [phone, 44],
      [tablet, 24],
      [desktop, 24],
    ] as const) {
      const page = await stage.show({ viewport, query: `?note=${notes[1]?.id}` });
      const small = new Set<string>();
      const look = async () => {
        for (const target of await smallTargets(page, minSize)) small.add(target);
      };

      await look();
      await page.getByRole('button', { name: 'Back to the list' }).click();
      await look();
      if (viewport !== phone) {
        await page.getByRole('button', { name: 'Board', exact: true }).click();
        await page.locator('.board').waitFor();
        await look();
      }
      if (await page.getByRole('button', { name: 'Filters' }).isVisible()) {
        await page.getByRole('button', { name: 'Filters' }).click();
        await page.getByRole('dialog').waitFor();
        await look();
        await page.keyboard.press('Escape');
      }
      await page.locator('#search').fill('qqqzzzxxx');
      await page.getByRole('button', { name: 'Clear search and filters' }).waitFor();
      await look();

      expect({ viewport, small: [...small] }).toEqual({ viewport, small: [] });
    }
    const page = await stage.showList({ viewport: phone, query: `?note=${notes[1]?.id}` });
    await page.keyboard.press('e');
    await page.locator('content-editor').waitFor();
    const sizes = await page
      .locator('input:not([type=radio]), select, textarea, content-editor')
      .evaluateAll((fields) => fields.map((field) => Number.parseFloat(getComputedStyle(field).fontSize)));

    expect(sizes.length).toBe(6);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(16);
  });

  test('at 320 px nothing scrolls sideways, in the list, a note and its form, and there is no board', async () => {
    const page = await stage.show({ viewport: { width: 320, height: 640 }, query: '?view=board' });
    const long = notes.find(({ title }) => title === longWord)?.id;

    const widths = [await sidewaysScroll(page)];
    const boards = await page.locator('.board, [aria-label=Board]:visible').count();
    await page.locator(`[data-row="${long}"]`).click();
    await page.locator('#detail h2').waitFor();
    widths.push(await sidewaysScroll(page));
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.locator('#detail form').waitFor();
    widths.push(await sidewaysScroll(page));

    expect({ widths, boards }).toEqual({ widths: [0, 0, 0], boards: 0 });
  });

  test('at a zoom of 400 % a note is found, copied, read to its end and saved', async () => {
    const [long] = await stage.add(createDraft({ title: 'Zoomed', content: `${'line\n\n'.repeat(30)}the end` }));
    const page = await stage.showList({ viewport: { width: 320, height: 256 } });

    const copy = await row(page, { id: long?.id ?? 0 })
      .getByRole('button')
      .boundingBox();
    await page.locator(`[data-row="${long?.id}"]`).click();
    await page.locator('.markdown').waitFor();
    await page.mouse.move(160, 200);
    await page.mouse.wheel(0, 5_000);
    await page.getByText('the end', { exact: true }).waitFor();
    await page.waitForFunction(() => {
      const end = document.querySelector('.markdown')?.lastElementChild?.getBoundingClientRect();
      return end && end.top > 0 && end.bottom <= innerHeight;
    });
    const room = await page.evaluate(() => {
      const heights = Array.from({ length: innerHeight }, (_, y) => y);
      return heights.filter((y) => document.elementFromPoint(innerWidth / 2, y)?.closest('.detail-body')).length;
    });
    await goOnByKeys(page);
    await page.keyboard.press('e');
    await page.locator('#detail [name=title]').fill('Zoomed out');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Zoomed out' }).waitFor();

    expect((copy?.y ?? 999) + (copy?.height ?? 0)).toBeLessThanOrEqual(256);
    expect(room).toBeGreaterThan(180);
  });

  test('the wider the window, the more panes are side by side', async () => {
    const page = await stage.show({ query: `?note=${notes[0]?.id}` });
    const seenAt = async (width: number) => {
      await page.setViewportSize({ width, height: 800 });
      return seen(page, panes);
    };

    const shown = [await seenAt(1440), await seenAt(1024), await seenAt(1023), await seenAt(640), await seenAt(639)];
    const detail = await page.locator('#detail').boundingBox();
    await page.getByRole('button', { name: 'Back to the list' }).click();

    const [all, two] = [Object.keys(panes), ['list', 'detail']];
    expect(shown).toEqual([all, all, two, two, ['detail']]);
    expect(detail).toEqual({ x: 0, y: 0, width: 639, height: 800 });
    expect(await seen(page, panes)).toEqual(['list']);
  });
});

describe('2. Rows', () => {
  test('a row tells screen readers title, excerpt, time, values and position, and offers Copy', async () => {
    const [, note] = await stage.add(
      createDraft({ title: 'Older' }),
      createDraft({
        title: 'All about it',
        content: 'First\n\tsecond',
        category: 'css',
        group: 'third',
        color: 'accent',
      }),
    );
    const page = await stage.show();

    const shown = row(page, { id: note?.id ?? 0 });

    const text = (await shown.innerText()).replaceAll(/\s+/g, ' ').trim();
    expect(text).toBe('All about it First · second now css, group third, color accent');
    expect((await titles(page)).slice(0, 2)).toEqual(['All about it', 'Older']); // the last changed one first
    const places = await page
      .locator('.row')
      .evaluateAll((rows) => rows.map((row) => [row.ariaPosInSet, row.ariaSetSize].join(' of ')));
    const all = Number.parseInt(await page.locator('#count').innerText(), 10);
    expect(places.slice(0, 2)).toEqual([`1 of ${all}`, `2 of ${all}`]);
    expect(await shown.getByRole('button').getAttribute('aria-label')).toBe('Copy All about it');
    expect(await shown.locator('time').getAttribute('datetime')).toBe(note?.updatedAt ?? '');
  });

  test('a save follows the row to the top; scroll position and selection survive archive and Back', async () => {
    const page = await stage.showList();
    const top = () => page.locator('.scroller').evaluate((box) => box.scrollTop);
    await page.locator('.scroller').evaluate((box) => box.scrollTo(0, 1_200));
    await page.locator('.row[aria-posinset="27"]').click();
    const chosen = await page.locator('#detail h2').innerText();
    const tops = [await top()];

    await goOnByKeys(page);
    await page.keyboard.press('e');
    await page.locator('#detail [name=title]').fill(`${chosen} (edited)`);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: `${chosen} (edited)` }).waitFor();
    await page.locator('.row[aria-posinset="1"]', { hasText: `${chosen} (edited)` }).waitFor();
    const topAfterSave = await top();
    const edited = await atCursor(page);
    await page.locator('.scroller').evaluate((box) => box.scrollTo(0, 1_200));
    await page.locator('.row[aria-posinset="28"]').click();
    const next = await page.locator('.row[aria-posinset="29"] [data-title]').innerText();
    const archived = await page.locator('.row[aria-posinset="28"] [data-title]').innerText();
    await page.locator('#detail h2', { hasText: archived }).waitFor(); // until it is rendered, the former note stays
    await goOnByKeys(page);
    await page.keyboard.press('a');
    await page.waitForFunction((next) => document.querySelector('.at-cursor [data-title]')?.textContent === next, next);
    tops.push(await top());
    await page.goBack();
    tops.push(await top());

    expect(tops).toEqual([1_200, 1_200, 1_200]);
    expect(topAfterSave).toBe(0);
    expect(edited).toBe(`${chosen} (edited)`);
    await page.getByRole('button', { name: 'Undo' }).last().click(); // of the archiving, below that of the edit
    await page.locator('.at-cursor', { hasText: archived }).waitFor();
  });

  test('Home, End and the Page keys move the cursor, in the search too, which keeps the focus', async () => {
    const page = await stage.showList();
    const place = async (row: string) => Number(await page.locator(row).getAttribute('aria-posinset'));
    const places: number[] = [];
    await page.locator('[data-row]').first().focus();

    for (const key of ['End', 'Home', 'PageDown', 'PageUp']) {
      await page.keyboard.press(key);
      await page.locator('.row:has(:focus) .at-cursor').waitFor();
      places.push(await place('.row:has(:focus)'));
    }
    await page.locator('#search').focus();
    for (const key of ['PageDown', 'PageUp']) {
      await page.keyboard.press(key);
      places.push(await place('.row:has(.at-cursor)'));
    }

    const all = Number(await page.locator('.row').first().getAttribute('aria-setsize'));
    const [, , below = 0, , belowSearch = 0] = places;
    expect(places).toEqual([all, 1, below, 1, belowSearch, 1]);
    expect(below).toBeWithin(5, 18);
    expect(belowSearch).toBeWithin(5, 18);
    await page.locator('#search:focus').waitFor();
  });

  test('a title cannot change the direction of other text', async () => {
    const [note] = await stage.add(createDraft({ title: 'photo\u202egpj.exe' }));
    const page = await stage.show({ query: `?note=${note?.id}` });

    expect(await page.locator('#detail h2').innerText()).toBe('photo\ufffdgpj.exe');
    expect(await titles(page)).toContain('photo\ufffdgpj.exe');
  });

  test('changes by others do not move the list while reading', async () => {
    const page = await stage.show();
    await page.locator('.scroller').evaluate((box) => box.scrollTo(0, 1_500));
    const count = Number.parseInt(await page.locator('#count').innerText(), 10);

    await stage.add(createDraft({ title: 'From somebody else' }));
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await page.getByText(`${count + 1} notes`, { exact: true }).waitFor();

    expect(await page.locator('.scroller').evaluate((box) => box.scrollTop)).toBe(1_500);
  });

  test('the board shows the five groups as columns, and the cursor moves through them in turn', async () => {
    const page = await stage.showList({ query: '?view=board' });
    const columns = page.locator('.board-column');
    await columns.nth(4).waitFor();
    const boxes = await columns.evaluateAll((columns) => columns.map((column) => column.getBoundingClientRect()));
    const second = await columns.nth(1).locator('.row [data-title]').first().innerText();
    const long = await page.locator('.board .row-title', { hasText: 'Long Long' }).boundingBox();

    await columns.nth(0).locator('.row').first().click();
    const size = Number(await columns.nth(0).locator('.row').first().getAttribute('aria-setsize'));
    await goOnByKeys(page);
    for (let step = 0; step < size; step++) await page.keyboard.press('j');

    expect(
      await columns
        .locator('h2')
        .allInnerTexts()
        .then((texts) => texts.map((text) => text.split('\n')[0])),
    ).toEqual(['first', 'second', 'third', 'fourth', 'fifth']);
    expect(new Set(boxes.map(({ top }) => top)).size).toBe(1);
    expect(long?.height).toBe(2 * 20); // titles take two lines
    expect(await atCursor(page)).toBe(second);
  });

  test('all columns of the board begin at their top, also from the end of the list and beside an open note', async () => {
    await stage.add(
      ...Array.from({ length: 12 }, (_, index) => createDraft({ title: `Of fifth ${index}`, group: 'fifth' })),
    );
    const page = await stage.showList();
    const offsets = () =>
      page.locator('.board .scroller').evaluateAll((columns) => columns.map(({ scrollTop }) => scrollTop));
    await page.keyboard.press('End');
    await page.keyboard.press('o');
    await page.locator('.detail-body:focus').waitFor();
    await page.keyboard.press('b');
    await page.locator('.board .at-cursor:focus').waitFor();
    const byKey = await offsets();
    const cursor = await page.locator('.board .at-cursor').boundingBox();
    await page.reload();
    await page.locator('.board .row').first().waitFor();

    expect(byKey).toEqual([0, 0, 0, 0, 0]);
    expect(cursor?.y).toBeLessThan(desktop.height / 2);
    expect(await offsets()).toEqual([0, 0, 0, 0, 0]);
  });

  test('a card has its category, a title on up to two lines, a line of text and a date, and is as high as these', async () => {
    const title = 'A title that is so long that it needs two lines on a card';
    const sizes = [
      { title: 'Tiny' },
      { title: 'Short', content: 'Short\n\nIts text' },
      { title, content: `${title}\nText` },
    ];
    const cards = await stage.add(
      ...sizes.map(({ title, content = title }) =>
        createDraft({ title, content, group: 'fourth', category: 'prompts' }),
      ),
    );
    const page = await stage.showList({ query: '?view=board' });

    const shown = await Promise.all(
      cards.map(async (note) => {
        const link = row(page, note).getByRole('link');
        await link.waitFor();
        return link.evaluate((card) => ({
          height: card.clientHeight,
          free: card.clientHeight - card.scrollHeight,
          lines: ['.row-title', '.row-excerpt', '.row-time'].map((part) => card.querySelector(part)?.clientHeight),
          text: card.querySelector<HTMLElement>('.row-excerpt')?.innerText,
          hasIcon: card.querySelector('svg')?.checkVisibility(),
        }));
      }),
    );
    const tops = await Promise.all(cards.map((note) => row(page, note).boundingBox()));

    expect(shown.map(({ height }) => height)).toEqual([58, 76, 96]);
    expect(shown.map(({ free }) => free)).toEqual([0, 0, 0]);
    expect(shown.map(({ lines }) => lines)).toEqual([
      [20, 0, 20],
      [20, 18, 20],
      [40, 18, 20],
    ]);
    expect(shown.map(({ text, hasIcon }) => [text, hasIcon]).slice(1)).toEqual([
      ['Its text', true],
      ['Text', true],
    ]);
    const [tiny, short, long] = tops.map((box) => box ?? { y: 0, height: 0 });
    expect([long && long.y + long.height, short && short.y + short.height]).toEqual([short?.y, tiny?.y]);
  });

  test('a card goes to another group by drag or Shift and an arrow; focus and cursor go with it, and back by z', async () => {
    const [note] = await stage.add(createDraft({ title: 'Carried', group: 'first' }));
    const page = await stage.showList({ query: '?view=board' });
    const inColumn = (index: number) => page.locator('.board-column').nth(index).locator('.at-cursor:focus');
    await row(page, { id: note?.id ?? 0 })
      .locator('[data-row]')
      .focus();

    await page.keyboard.press('Shift+ArrowRight');
    await inColumn(1).filter({ hasText: 'Carried' }).waitFor();
    await page.keyboard.press('z');
    await inColumn(0).filter({ hasText: 'Carried' }).waitFor();
    await row(page, { id: note?.id ?? 0 })
      .locator('[data-row]')
      .dragTo(page.locator('.board-column h2').nth(2));
    await inColumn(2).filter({ hasText: 'Carried' }).waitFor();
  });

  test('a changed note that moves to the top of a list scrolled by a little is seen whole', async () => {
    await stage.add(
      ...['To be moved', 'first', 'second', 'third'].map((title) => createDraft({ title, color: 'info' })),
    );
    await using visit = await stage.visitList({ viewport: desktop });
    const { page } = visit;
    await page.locator('.scroller').evaluate((box) => box.scrollTo(0, 40));
    await page.locator('[data-row]', { hasText: 'To be moved' }).click();
    await page.locator('.detail-body:focus').waitFor();

    await goOnByKeys(page);
    await page.keyboard.press('c');
    await page.keyboard.press('1');
    await page.locator('[aria-posinset="1"]', { hasText: 'To be moved' }).waitFor();

    expect(await page.locator('.scroller').evaluate((box) => box.scrollTop)).toBe(0);
  });
});
