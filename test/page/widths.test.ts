/** The page at widths from 320 to 2560 px: nothing overlaps, is cut off or is far from its place. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { groups } from '../../src/core/enums.ts';
import { draft } from '../support/service.ts';
import { intercept, leaveSearch, tablet, useStage } from './visit.ts';

const stage = useStage();
const narrow = { width: 320, height: 640 };
const wide = { width: 2560, height: 1440 };
const finger = { hasTouch: true, isMobile: true };

beforeAll(async () => {
  const content = 'Ask {{name}} for the list.\n';
  await stage.add(...groups.map((group) => draft({ title: `In ${group}`, category: 'prompts', group, content })));
});

describe('Widths', () => {
  test('from 1440 px all groups of the board are visible beside a note', async () => {
    const [note] = await stage.add(draft({ title: 'Beside it' }));
    await using visit = await stage.visit({ query: `?view=board&note=${note?.id}` });
    const { page } = visit;
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
    await using visit = await stage.visitList({
      viewport: { width: 320, height: 256 },
      query: '?q=In',
      forgiven: /Failed to load resource/,
    });
    const { page } = visit;
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

  test('at 320 px many filters take one line below the search, each is reached, and removing one raises no keyboard', async () => {
    const query = '?category=css,prompts,bash-commands&group=first,second&color=info';
    await using visit = await stage.visit({ viewport: narrow, ...finger, query });
    const { page } = visit;
    const last = page.getByRole('button', { name: 'Remove the filter info' });

    const search = await page.locator('.search').boundingBox();
    await last.focus();
    const chip = await last.boundingBox();
    await last.tap();

    expect(search?.height).toBe(44);
    expect(chip?.y).toBeGreaterThanOrEqual((search?.y ?? 0) + 44);
    expect((chip?.x ?? narrow.width) + (chip?.width ?? 0)).toBeLessThanOrEqual(narrow.width);
    expect(await page.locator('#count:focus').count()).toBe(1);
  });

  test('in the narrow pane beside the board a title takes two lines, and Save is last in its line', async () => {
    const [long] = await stage.add(draft({ title: 'A title of many words '.repeat(9) }));
    await using visit = await stage.visitList({ query: `?view=board&note=${long?.id}` });
    const { page } = visit;
    await page.locator('.detail-body').waitFor();
    const title = await page.locator('.note-title').boundingBox();
    await page.locator('.detail-body').press('e');
    await page.locator('[name=content]').fill('changed');
    await page.locator('.form-discard').waitFor();
    const foot = await page
      .locator('.form-foot > :not(.note-chips)')
      .evaluateAll((all) => all.map((part) => part.getBoundingClientRect()));
    const [last, ...others] = foot.toReversed();

    expect(title?.height).toBe(56);
    expect(others.every(({ right, bottom }) => right <= (last?.x ?? 0) && bottom > (last?.y ?? 0))).toBe(true);
  });

  test('on phones, filters move none of the buttons beside the search, and show their cross', async () => {
    await using visit = await stage.visit({ ...finger });
    const { page } = visit;
    const cross = page.getByRole('button', { name: 'Remove the filter bash-commands' }).locator('svg');
    const rightOf = (part: Locator) => part.evaluate((element) => element.getBoundingClientRect().right);
    const placesAt = async (width: number) => {
      await page.setViewportSize({ width, height: 640 });
      return page.locator('.top-bar > button').evaluateAll((buttons) =>
        buttons.map((button) => {
          const { x, y } = button.getBoundingClientRect();
          return [x, y];
        }),
      );
    };
    const before = [await placesAt(320), await placesAt(390)];

    await page.locator('#search').pressSequentially('c:bash-commands c:css g:first ');

    for (const [index, width] of [320, 390].entries()) {
      expect(await placesAt(width)).toEqual(before[index] ?? []);
      expect(await rightOf(cross)).toBeLessThan((await rightOf(page.locator('.search'))) - 8);
    }
  });

  test('a phone with text of 200 %, which has as many em, shows all of the search beside no button, and longer titles', async () => {
    await using visit = await stage.visit({ viewport: { width: 195, height: 422 }, ...finger });
    const { page } = visit;
    const field = await page.locator('#search').evaluate((search) => search.getBoundingClientRect().right);

    const box = await page.locator('.search').boundingBox();
    await page.getByRole('button', { name: 'New' }).tap();

    expect(field).toBeLessThan((box?.x ?? 0) + (box?.width ?? 0));
    expect(box?.width).toBeGreaterThan(170);
    await page.locator('.note-form').waitFor();
  });

  test('above the keyboard of a phone in landscape, text and Save are in sight', async () => {
    await using visit = await stage.visit({ viewport: { width: 844, height: 390 }, ...finger, query: '?q=In' });
    const { page } = visit;
    await page.locator('.row-title').first().tap();
    await page.getByRole('button', { name: 'Edit' }).tap();
    await page.setViewportSize({ width: 844, height: 200 });

    const save = await page.getByRole('button', { name: 'Save' }).boundingBox();
    const text = await page.locator('.form-text').boundingBox();

    expect((save?.y ?? 0) + (save?.height ?? 0)).toBeLessThan(text?.y ?? 0);
    expect(200 - (text?.y ?? 200)).toBeGreaterThan(90);
  });

  test('the lower edge of the filters cuts a row, or they scroll; what they show is always in sight', async () => {
    await using visit = await stage.visit({ viewport: narrow });
    const { page } = visit;

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
        .locator(':is(button, select, input, textarea):visible:not(.row-check)')
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

  test('on a phone, a filter that is being typed moves nothing', async () => {
    await using visit = await stage.visit({ viewport: narrow, ...finger });
    const { page } = visit;
    const places = async () => ({
      bar: (await page.locator('.top-bar').boundingBox())?.height,
      text: await page.locator('#search').evaluate((box) => {
        return box.getBoundingClientRect().x + Number.parseFloat(getComputedStyle(box).paddingInlineStart);
      }),
    });
    const before = await places();

    await page.locator('#search').fill('c:');
    await page.locator('.suggestions').waitFor({ state: 'attached' });

    expect(await places()).toEqual(before);
  });

  test('a phone lists no keys, a narrow window with a pointer does', async () => {
    const shown = async (options: object) => {
      await using visit = await stage.visit({ viewport: narrow, ...options });
      const { page } = visit;
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('menuitem', { name: /^Settings/ }).click();
      await page.getByRole('dialog').waitFor();
      const inHelp = await page.locator('dialog kbd:visible').count();
      await page.keyboard.press('Escape');
      await leaveSearch(page);
      await page.keyboard.press('Control+Shift+K');
      await page.locator('[role=option]').first().waitFor();
      const inPalette = await page.locator('dialog kbd:visible').count();
      await page.keyboard.press('Escape');
      return [inHelp > 0, inPalette > 0];
    };

    expect(await shown(finger)).toEqual([false, false]);
    expect(await shown({})).toEqual([true, true]);
  });

  test('where the board has no room for all groups, it says how many more there are', async () => {
    await using visit = await stage.visit({ viewport: { width: 1024, height: 768 }, query: '?view=board' });
    const { page } = visit;
    await page.locator('.board .row').first().click();
    const more = page.getByRole('button', { name: /^\d more$/ });
    await more.waitFor();
    const end = (await more.boundingBox()) ?? { y: 0, height: 0 };
    expect(end.y + end.height).toBeLessThanOrEqual((await page.locator('.board').boundingBox())?.y ?? 0);

    while (await more.isVisible()) {
      const before = await page.locator('.board').evaluate((board) => board.scrollLeft);
      await more.click({ timeout: 5_000 }).catch(() => {});
      await page.waitForFunction((from) => {
        const { scrollLeft = 0, scrollWidth = 0, clientWidth = 0 } = document.querySelector('.board') ?? {};
        return scrollLeft !== from || scrollWidth - clientWidth - scrollLeft < 10;
      }, before);
    }

    const left = await page
      .locator('.board')
      .evaluate((board) => board.scrollWidth - board.clientWidth - board.scrollLeft);
    expect(left).toBeLessThan(10);
  });

  test('at 320 px the search has room for its placeholder, also beside a filter', async () => {
    await using visit = await stage.visit({ viewport: narrow, ...finger });
    const { page } = visit;
    const room = () =>
      page.locator('#search').evaluate((search: HTMLInputElement) => {
        const canvas = new OffscreenCanvas(1, 1).getContext('2d');
        if (!canvas) return -1;
        canvas.font = getComputedStyle(search).font;
        return search.clientWidth - canvas.measureText(search.placeholder).width;
      });

    const alone = await room();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('button', { name: 'prompts' }).click();
    await page.keyboard.press('Escape');
    await page.locator('.search .chip').waitFor();

    expect(alone).toBeGreaterThanOrEqual(0);
    expect(await room()).toBeGreaterThanOrEqual(0);
  });

  test('at 1024 px, a selection moves no row, and the actions of a note beside the board take one line', async () => {
    await using visit = await stage.visitList({ viewport: { width: 1024, height: 768 }, query: '?q=In' });
    const { page } = visit;
    const firstRow = async () => (await page.locator('.scroller').boundingBox())?.y;
    const before = await firstRow();

    await page.keyboard.press('x');
    await page.getByRole('region', { name: 'Selected notes' }).waitFor();
    const selecting = await firstRow();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Board' }).click();
    await page.locator('.board .at-cursor').press('o');
    await page.locator('.note-actions').waitFor();
    const lines = await page
      .locator('.note-actions > :visible')
      .evaluateAll((all) => all.map((part) => Math.round(part.getBoundingClientRect().top)));

    expect(selecting).toBe(before ?? -1);
    expect(new Set(lines).size).toBe(1);
  });

  test('the way back to the list is at the left of the title below 640 px, and at its right from there', async () => {
    await using visit = await stage.visit({ viewport: narrow });
    const { page } = visit;
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

  test('at 1024 × 768 px the whole help is visible', async () => {
    await using visit = await stage.visitList({ viewport: { width: 1024, height: 768 } });
    const { page } = visit;

    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Notes 0.').waitFor();
    const hidden = await page.locator('.help').evaluate((box) => box.scrollHeight - box.clientHeight);

    expect(hidden).toBe(0);
  });

  test('a large dialog keeps clear of the edges of a tablet', async () => {
    await using visit = await stage.visitList({ viewport: tablet });
    const { page } = visit;

    await page.keyboard.press('h');
    const box = await page.getByRole('dialog').boundingBox();

    expect(box).toMatchObject({ x: 16, width: tablet.width - 32 });
  });

  test('preview and text beside each other take the width of the pane', async () => {
    await using visit = await stage.visitList({ viewport: wide });
    const { page } = visit;
    await page.keyboard.press('e');
    await page.locator('#detail [name=content]').waitFor();

    const alone = await page.locator('#detail [name=content]').boundingBox();
    await page.keyboard.press('Control+Shift+P');
    await page.locator('.form-preview').waitFor();
    const beside = await page.locator('#detail [name=content]').boundingBox();

    expect(alone?.width).toBe(720);
    expect(beside?.width).toBeGreaterThan(480);
  });
});
