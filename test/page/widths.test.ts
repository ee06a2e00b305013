/** The page at widths from 320 to 2560 px: nothing overlaps, is cut off or is far from its place. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { groups } from '../../src/core/enums.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { intercept, reloadAndWait, useStage } from './visit.ts';

const stage = useStage();
const narrow = { width: 320, height: 640 };
const wide = { width: 2560, height: 1440 };
const finger = { hasTouch: true, isMobile: true };

beforeAll(async () => {
  const content = 'Ask {{name}} for the list.\n';
  await stage.add(...groups.map((group) => createDraft({ title: `In ${group}`, category: 'prompts', group, content })));
});

describe('Widths', () => {
  test('from 1440 px all groups of the board are visible beside a note', async () => {
    const [note] = await stage.add(createDraft({ title: 'Beside it' }));
    const page = await stage.show({ query: `?view=board&note=${note?.id}` });
    await page.locator('#detail h2').waitFor();
    const hidden: number[] = [];

    for (const width of [1440, 1800, wide.width]) {
      await page.setViewportSize({ ...wide, width });
      hidden.push(await page.locator('.board').evaluate((box) => box.scrollWidth - box.clientWidth));
    }

    expect(hidden).toEqual([0, 0, 0]);
    expect((await page.locator('.app').boundingBox())?.width).toBe(wide.width);
  });

  test('at a zoom of 400 %, a message beside the banner leaves room for the focus', async () => {
    const page = await stage.showList({
      viewport: { width: 320, height: 256 },
      query: '?q=In',
      forgiven: /Failed to load resource/,
    });
    await intercept(page, '**/api/**', (route) => route.abort());

    await page.locator('.at-cursor').press('a');
    await page.locator('.banner .notice').waitFor({ state: 'attached' });
    await page.locator('.message-failure').waitFor();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    const message = await page.locator('.message').boundingBox();
    const title = await page.locator('.at-cursor:focus [data-title]').boundingBox();
    const list = await page.locator('.scroller').boundingBox();

    expect(title?.y).toBeGreaterThanOrEqual(list?.y ?? 256);
    expect((title?.y ?? 256) + (title?.height ?? 0)).toBeLessThanOrEqual(message?.y ?? 0);
  });

  test('on phones, many filters move nothing, take a line below the search, and removing one raises no keyboard', async () => {
    await using visit = await stage.visit({ ...finger });
    const { page } = visit;
    const cross = page.getByRole('button', { name: 'Remove the filter bash-commands' }).locator('svg');
    const rightOf = (part: Locator) => part.evaluate((element) => element.getBoundingClientRect().right);
    const placesAt = async (width: number) => {
      await page.setViewportSize({ ...narrow, width });
      return page.locator('.top-bar > button').evaluateAll((buttons) =>
        buttons.map((button) => {
          const { x, y } = button.getBoundingClientRect();
          return [x, y];
        }),
      );
    };
    const before = [await placesAt(390), await placesAt(320)];

    await page.locator('#search').pressSequentially('c:bash-commands c:css c:prompts g:first g:second color:info ');

    for (const [index, width] of [390, 320].entries()) {
      expect(await placesAt(width)).toEqual(before[index] ?? []);
      expect(await rightOf(cross)).toBeLessThan((await rightOf(page.locator('.search'))) - 8);
    }
    const last = page.getByRole('button', { name: 'Remove the filter Color: info' });
    const search = await page.locator('.search').boundingBox();
    await last.focus();
    const chip = await last.boundingBox();
    await last.tap();

    expect(search?.height).toBe(44);
    expect(chip?.y).toBeGreaterThanOrEqual((search?.y ?? 0) + 44);
    expect((chip?.x ?? narrow.width) + (chip?.width ?? 0)).toBeLessThanOrEqual(narrow.width);
    expect(await page.locator('#count:focus').count()).toBe(1);
  });

  test('a phone with text of 200 %, which has as many em, shows all of the search; one in landscape text and Save', async () => {
    await using visit = await stage.visit({ viewport: { width: 195, height: 422 }, ...finger, query: '?q=In' });
    const { page } = visit;
    const field = await page.locator('#search').evaluate((search) => search.getBoundingClientRect().right);
    const box = await page.locator('.search').boundingBox();
    await page.setViewportSize({ width: 844, height: 390 });
    await page.locator('.row-title').first().tap();
    await page.getByRole('button', { name: 'Edit' }).tap();
    await page.locator('.note-form').waitFor();
    await page.setViewportSize({ width: 844, height: 200 }); // above the keyboard
    const save = await page.getByRole('button', { name: 'Save' }).boundingBox();
    const text = await page.locator('.form-text').boundingBox();

    expect(field).toBeLessThan((box?.x ?? 0) + (box?.width ?? 0));
    expect(box?.width).toBeGreaterThan(170);
    expect((save?.y ?? 0) + (save?.height ?? 0)).toBeLessThan(text?.y ?? 0);
    expect(200 - (text?.y ?? 200)).toBeGreaterThan(90);
  });

  test('on a phone on its side a title scrolls away with its text, a reload restores that, and the next note begins at its top', async () => {
    const title = 'A title that is so long that it takes two lines of the pane beside the list';
    await stage.add(
      createDraft({ title: 'Next on its side', content: 'line\n\n'.repeat(60) }),
      createDraft({ title, content: 'line\n\n'.repeat(60) }),
    );
    await using visit = await stage.visit({ viewport: { width: 844, height: 390 }, ...finger });
    const { page } = visit;
    const isTitleSeen = (name: string) =>
      page.waitForFunction((name) => {
        const heading = document.querySelector('#note-title')?.getBoundingClientRect();
        return document.querySelector('#note-title')?.textContent === name && (heading?.top ?? -1) > 0;
      }, name);

    await page.locator('.row-title', { hasText: 'A title that is so long' }).tap();
    await isTitleSeen(title);
    await page.locator('.detail-body .markdown').waitFor();
    await page.locator('#detail').evaluate((pane) => pane.scrollTo({ top: 400, behavior: 'instant' }));
    const isScrolled = () => page.waitForFunction(() => document.querySelector('#detail')?.scrollTop === 400);
    await isScrolled();
    const scrolledTop = await page.locator('.detail-body').evaluate((text) => text.getBoundingClientRect().top);
    await page.waitForFunction(() => JSON.stringify(history.state).includes('"top":400'));
    await reloadAndWait(page);
    await isScrolled();
    await page.locator('.row-title', { hasText: 'Next on its side' }).tap();
    await isTitleSeen('Next on its side');

    expect(scrolledTop).toBeLessThan(0);
  });

  test('the lower edge of the filters cuts a row, or they scroll; what they show is always in sight', async () => {
    const page = await stage.show({ viewport: narrow });

    for (const [width, height] of [
      [320, 256],
      [390, 740],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.getByRole('button', { name: 'Filters' }).click();
      const parts = await page.getByRole('dialog').evaluate((dialog) => {
        const edge = dialog.querySelector('nav')?.getBoundingClientRect().bottom ?? 0;
        const rows = [...dialog.querySelectorAll('nav > .choice')].map((row) => row.getBoundingClientRect());
        const { top = 0, bottom = innerHeight } = dialog.querySelector('.btn-primary')?.getBoundingClientRect() ?? {};
        return {
          isShown: top > 0 && bottom < innerHeight,
          scrolls: dialog.scrollHeight > dialog.clientHeight + 200,
          seen: rows.map(({ top, height }) => (edge - top) / height).filter((part) => part > 0.2 && part < 0.8),
        };
      });
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      expect([width, height, parts.scrolls ? 1 : parts.seen.length, parts.isShown]).toEqual([width, height, 1, true]);
    }
  });

  test('on a tablet, buttons have 44 px, fields letters of 16 px, and no key is named', async () => {
    await using visit = await stage.visit({ viewport: { width: 820, height: 1180 }, ...finger });
    const { page } = visit;
    const small = () =>
      page
        .locator(':is(button, select, input, textarea, content-editor):visible:not(.row-check)')
        .evaluateAll((all) =>
          all
            .filter((one) =>
              one.matches('button')
                ? Math.min(one.offsetWidth, one.offsetHeight) < 44
                : Number.parseFloat(getComputedStyle(one).fontSize) < 16,
            )
            .map((one) => one.outerHTML.slice(0, 80)),
        );
    await page.locator('.row-title').first().tap();
    await page.locator('.note-facts').waitFor();
    const found = await small();
    await page.getByRole('button', { name: 'Edit' }).tap();
    await page.locator('.note-form').waitFor();
    found.push(...(await small()));
    await page.getByRole('button', { name: 'Filters' }).tap();
    await page.getByRole('dialog').waitFor();
    found.push(...(await small()));

    expect(found).toEqual([]);
    expect(await page.locator('kbd:visible').count()).toBe(0);
  });

  test('by touch, the boxes of a selection stand beside the titles, on the board and in the list', async () => {
    await using visit = await stage.visit({ viewport: { width: 820, height: 1180 }, ...finger });
    const { page } = visit;
    /** How far the box that is drawn ends before the title, and is above or below its first line, in px. */
    const measure = () =>
      page.locator('.row').evaluateAll((rows) =>
        rows.map((row) => {
          const check = row.querySelector('.row-check')?.getBoundingClientRect() ?? new DOMRect();
          const title = row.querySelector('.row-title')?.getBoundingClientRect() ?? new DOMRect();
          const [x, y] = [check.x + check.width / 2, check.y + check.height / 2];
          return { gap: title.x - (x + 8), above: Math.abs(y - (title.y + 10)) };
        }),
      );
    const selectFirst = async () => {
      await page.locator('.row-link').first().focus();
      await page.keyboard.press('x');
      await page.locator('.row-check').nth(4).waitFor();
    };
    const isBeside = ({ gap, above }: { gap: number; above: number }) => gap >= 4 && above <= 4;

    await selectFirst();
    const inList = await measure();
    await page.goto(`${stage.service.url}/?view=board`);
    await page.locator('.board .row').first().waitFor();
    await selectFirst();
    const onBoard = await measure();

    expect(inList.filter((each) => !isBeside(each))).toEqual([]);
    expect(onBoard.filter((each) => !isBeside(each))).toEqual([]);
    expect(inList.length).toBeGreaterThanOrEqual(5);
    expect(onBoard.length).toBe(inList.length);
  });

  test('titles of the list are in line with each other, also of notes that are nothing else', async () => {
    const [note] = await stage.add(createDraft({ title: 'Only this', content: 'Only this' }));
    const page = await stage.showList();
    const titleTops = await page.locator('.row').evaluateAll((rows) =>
      rows.map((row) => {
        const title = row.querySelector('.row-title')?.getBoundingClientRect().top ?? 0;
        return Math.round(title - row.getBoundingClientRect().top);
      }),
    );
    await fetch(`${stage.service.url}/api/notes/${note?.id}/archive`, { method: 'PATCH' });

    expect(new Set(titleTops).size).toBe(1);
  });

  test('by touch, a list within a task is as far from its neighbours as tasks are from each other', async () => {
    const content = '- [ ] one\n- [ ] two\n  - [ ] inner\n  - [ ] last\n- [ ] three\n- [ ] four\n';
    const [note] = await stage.add(createDraft({ title: 'Nested', content, category: 'notes' }));
    await using visit = await stage.visit({
      viewport: { width: 390, height: 844 },
      ...finger,
      query: `?note=${note?.id}`,
    });
    const { page } = visit;
    await page.locator('.markdown input').first().waitFor();

    const tops = await page
      .locator('.markdown input')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    await fetch(`${stage.service.url}/api/notes/${note?.id}/archive`, { method: 'PATCH' });
    const gaps = tops.slice(1).map((top, index) => Math.round(top - (tops[index] ?? 0)));

    expect(tops.length).toBe(6);
    expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
  });

  test('at 1024 px a selection moves no row, the help is whole, and the board says how many groups more there are', async () => {
    const page = await stage.showList({ viewport: { width: 1024, height: 768 }, query: '?q=In' });
    const firstRow = async () => (await page.locator('.scroller').boundingBox())?.y;
    const before = await firstRow();
    await page.keyboard.press('x');
    await page.getByRole('region', { name: 'Selected notes' }).waitFor();
    const selecting = await firstRow();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Notes 0.').waitFor();
    const hidden = await page.locator('.help').evaluate((box) => box.scrollHeight - box.clientHeight);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Board' }).click();
    await page.locator('.board .row').first().click();
    const more = page.getByRole('button', { name: /^\d more$/ });
    await more.waitFor();
    const end = (await more.boundingBox()) ?? { y: 0, height: 0 };
    const lines = await page
      .locator('.note-actions > :visible')
      .evaluateAll((all) => all.map((part) => Math.round(part.getBoundingClientRect().top)));

    expect([selecting, hidden]).toEqual([before ?? -1, 0]);
    expect(end.y + end.height).toBeLessThanOrEqual((await page.locator('.board').boundingBox())?.y ?? 0);
    expect(new Set(lines).size).toBe(1);
    const left = () =>
      page.locator('.board').evaluate((board) => board.scrollWidth - board.clientWidth - board.scrollLeft);
    while (await more.isVisible()) {
      const before = await left();
      await more.evaluateAll((buttons: HTMLElement[]) => buttons.map((button) => button.click())); // it may have gone
      expect(await isEventuallyTrue(async () => (await left()) < Math.max(before, 10))).toBe(true);
    }
    expect(await left()).toBeLessThan(10);
  });

  test('Copy has its word at 1024 px, and on phones never lies over code; the search there has 8 px above it', async () => {
    const [note] = await stage.add(
      createDraft({ title: 'With code', content: '```bash\nls\n```\n', category: 'notes' }),
    );
    const query = `?note=${note?.id}`;
    const page = await stage.show({ viewport: { width: 1024, height: 768 }, query });
    const word = await page.locator('.note-copy').innerText();
    await using visit = await stage.visit({ viewport: narrow, ...finger, query });
    const copy = await visit.page.getByRole('button', { name: 'Copy code 1' }).boundingBox();
    const code = await visit.page.locator('.markdown pre code').boundingBox();
    await visit.page.getByRole('button', { name: 'Back to the list' }).tap();
    const search = await visit.page.locator('.search').boundingBox();

    expect(word.trim()).toBe('Copy');
    expect((copy?.y ?? narrow.height) + (copy?.height ?? 0)).toBeLessThanOrEqual(code?.y ?? 0);
    expect(search?.y).toBe(8);
  });

  test('the way back to the list is at the left of the title below 640 px, and at its right from there', async () => {
    const page = await stage.show({ viewport: narrow });
    await page.locator('[data-row]').first().click();
    const sideAt = async (width: number) => {
      await page.setViewportSize({ ...narrow, width });
      const back = await page.getByRole('button', { name: 'Back to the list' }).boundingBox();
      const title = await page.locator('#detail h2').boundingBox();
      return (back?.x ?? 0) < (title?.x ?? 0) ? 'left' : 'right';
    };

    const sides = [await sideAt(320), await sideAt(639), await sideAt(640), await sideAt(1440)];

    expect(sides).toEqual(['left', 'left', 'right', 'right']);
  });
});
