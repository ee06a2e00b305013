/** The page at widths from 320 to 2560 px: nothing overlaps, is cut off or is far from its place. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { groups } from '../../src/core/enums.ts';
import { draft } from '../support/service.ts';
import { intercept, leaveSearch, useStage } from './visit.ts';

const limit = 60_000;
const stage = useStage();
const narrow = { width: 320, height: 640 };
const wide = { width: 2560, height: 1440 };
const finger = { hasTouch: true, isMobile: true };

beforeAll(async () => {
  const content = 'Ask {{name}} for the list.\n';
  await stage.add(...groups.map((group) => draft({ title: `In ${group}`, category: 'prompts', group, content })));
}, limit);

describe('Widths', () => {
  test.each([1440, 1800, 2560])(
    'at %i px all groups of the board are visible beside a note',
    async (width) => {
      const [note] = await stage.add(draft({ title: 'Beside it' }));
      const query = `?view=board&note=${note?.id}`;
      await using visit = await stage.visit({ viewport: { ...wide, width }, query });
      const board = visit.page.locator('.board');
      await visit.page.locator('#detail h2').waitFor();

      const hidden = await board.evaluate((box) => box.scrollWidth - box.clientWidth);

      expect(hidden).toBe(0);
      if (width === wide.width) expect((await visit.page.locator('.app').boundingBox())?.width).toBe(width);
    },
    limit,
  );

  test(
    'at a zoom of 400 %, a message beside the banner leaves room for the focus',
    async () => {
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
    },
    limit,
  );

  test(
    'at 320 px many filters take one line above the text, and each is reached',
    async () => {
      const query = '?category=css,prompts,bash-commands&group=first,second&color=info';
      await using visit = await stage.visit({ viewport: narrow, ...finger, query });
      const { page } = visit;
      const last = page.getByRole('button', { name: 'Remove the filter info' });

      const box = await page.locator('.search').boundingBox();
      await last.focus();
      const chip = await last.boundingBox();

      expect(box?.height).toBeLessThanOrEqual(2 * 44 + 4);
      expect((chip?.x ?? narrow.width) + (chip?.width ?? 0)).toBeLessThanOrEqual(narrow.width - 8);
    },
    limit,
  );

  test.each([320, 390])(
    'at %i px, filters move none of the buttons beside the search, and show their cross',
    async (width) => {
      await using visit = await stage.visit({ viewport: { width, height: 640 }, ...finger });
      const { page } = visit;
      const places = () =>
        page.locator('.top-bar > button').evaluateAll((buttons) =>
          buttons.map((button) => {
            const { x, y } = button.getBoundingClientRect();
            return [x, y];
          }),
        );
      const before = await places();

      await page.locator('#search').pressSequentially('c:bash-commands c:css g:first ');
      const cross = page.getByRole('button', { name: 'Remove the filter bash-commands' }).locator('svg');
      const end = await cross.evaluate((icon) => icon.getBoundingClientRect().right);
      const edge = await page.locator('.search').evaluate((field) => field.getBoundingClientRect().right);

      expect(await places()).toEqual(before);
      expect(end).toBeLessThan(edge - 8);
    },
    limit,
  );

  test(
    'on a phone, a filter that is being typed moves nothing',
    async () => {
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
    },
    limit,
  );

  test(
    'a phone lists no keys, a narrow window with a pointer does',
    async () => {
      const shown = async (options: object) => {
        await using visit = await stage.visit({ viewport: narrow, ...options });
        const { page } = visit;
        await page.getByRole('button', { name: 'More' }).click();
        await page.getByRole('menuitem', { name: 'Settings and keys' }).click();
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
    },
    limit,
  );

  test(
    'where the board has no room for all groups, it says how many more there are',
    async () => {
      await using visit = await stage.visit({ viewport: { width: 1024, height: 768 }, query: '?view=board' });
      const { page } = visit;
      await page.locator('.board .row').first().click();
      const more = page.getByRole('button', { name: /^\d more$/ });
      await more.waitFor();

      while (await more.isVisible()) {
        const before = await page.locator('.board').evaluate((board) => board.scrollLeft);
        await more.click({ timeout: 5_000 }).catch(() => {});
        await page.waitForFunction((from) => document.querySelector('.board')?.scrollLeft !== from, before);
      }

      const end = await page
        .locator('.board')
        .evaluate((board) => board.scrollWidth - board.clientWidth - board.scrollLeft);
      expect(end).toBeLessThan(10);
    },
    limit,
  );
});
