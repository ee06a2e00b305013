/** Light, dark or system theme: without a flash, and with the system's accessibility settings. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { intercept, leaveSearch, useStage } from './visit.ts';

const stage = useStage();

/** The page's background and color scheme, and the theme color for the browser. */
const look = (page: Page) =>
  page.evaluate(() => {
    const { backgroundColor, colorScheme } = getComputedStyle(document.documentElement);
    const [red = 0] = (() => {
      const canvas = new OffscreenCanvas(1, 1).getContext('2d');
      if (!canvas) return [];
      canvas.fillStyle = backgroundColor;
      canvas.fillRect(0, 0, 1, 1);
      return canvas.getImageData(0, 0, 1, 1).data;
    })();
    const around = [...document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')]
      .filter(({ media }) => matchMedia(media).matches)
      .map(({ content }) => content);
    return { isDark: red < 128, colorScheme, around };
  });

const light = { isDark: false, colorScheme: 'light', around: ['#ffffff'] };
const dark = { isDark: true, colorScheme: 'dark', around: ['#1d232a'] };

/** The durations in milliseconds of all that moves while a note is copied and a dialog opens, by class. */
async function movesOf(page: Page): Promise<Map<string, number[]>> {
  const moves = new Map<string, number[]>();
  await page.exposeFunction('moved', (element: string, time: number) => {
    moves.set(element, [...(moves.get(element) ?? []), time]);
  });
  await page.evaluate(() => {
    // by their style: after a slow frame, an animation has ended before its start is told
    const tell = ({ target, type }: Event) => {
      if (!(target instanceof Element)) return;
      const { animationDuration, transitionDuration } = getComputedStyle(target);
      for (const seconds of (type === 'animationstart' ? animationDuration : transitionDuration).split(', ')) {
        Reflect.get(window, 'moved')(target.classList[0] ?? target.localName, Number.parseFloat(seconds) * 1_000);
      }
    };
    document.addEventListener('transitionrun', tell);
    document.addEventListener('animationstart', tell);
  });
  await page.keyboard.press('Enter');
  await page.getByRole('log').getByText('Copied').waitFor();
  await leaveSearch(page);
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  return moves;
}

/** Runs a command of the palette. */
async function choose(page: Page, command: string): Promise<void> {
  await page.keyboard.press('Control+Shift+K');
  await page.getByRole('combobox', { name: 'Command' }).fill(command);
  await page.keyboard.press('Enter');
}

describe('17. Themes', () => {
  test('follow the system until one is selected, by a command or in the settings; the selection survives a reload', async () => {
    const page = await stage.showList({ colorScheme: 'dark' });
    const looks = [await look(page)];

    await page.emulateMedia({ colorScheme: 'light' });
    looks.push(await look(page));
    await choose(page, 'Theme: dark');
    await page.reload();
    await page.locator('#count').waitFor();
    looks.push(await look(page));
    await leaveSearch(page);
    await page.keyboard.press('?');
    await page.getByRole('radio', { name: 'system' }).check();
    looks.push(await look(page));

    expect(looks).toEqual([dark, light, dark, light]);
    expect(await page.evaluate(() => localStorage.getItem('notes.theme'))).toBeNull();
  });

  test('work without local storage', async () => {
    await using opened = await stage.visitList();
    const { page } = opened;
    await page.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get() {
          throw new DOMException('denied', 'SecurityError');
        },
      });
    });
    await page.reload();
    await page.locator('#count').waitFor();
    await leaveSearch(page);

    await choose(page, 'Theme: dark');

    expect(await look(page)).toEqual(dark);
  });

  test('with forced colors icons are visible, and the cursor, the open note, the selection and the hits distinguishable', async () => {
    const [first] = await stage.add(
      createDraft({ title: 'Heron 3', color: 'neutral' }),
      createDraft({ title: 'Heron 2', color: 'error' }),
      createDraft({ title: 'Heron 1' }),
    );
    const page = await stage.showList({ query: `?q=heron&category=notes&note=${first?.id}` });
    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
    await page.locator('.row-link', { hasText: 'Heron 1' }).focus();
    await page.locator('.at-cursor', { hasText: 'Heron 1' }).waitFor();

    const edges = (selector: string) =>
      page.locator(selector).evaluateAll((elements) =>
        elements.map((element) => {
          const { outlineStyle } = getComputedStyle(element);
          return outlineStyle;
        }),
      );
    const rows = new Set(await edges('.row-link'));
    const choices = new Set(await edges('.sidebar .choice'));
    const icons = await page
      .locator('.row-link')
      .evaluateAll((links) =>
        links.map((link) => [link, link.querySelector('svg') ?? link].map((part) => getComputedStyle(part).color)),
      );
    const colored = icons.filter(([text, icon]) => text !== icon);
    const hit = await page.evaluate(
      () => getComputedStyle(document.documentElement, '::highlight(hits)').backgroundColor,
    );

    expect(rows.size).toBe(3);
    expect(choices.size).toBe(2);
    expect(hit).toBe('rgb(255, 255, 0)');
    expect(colored.length).toBe(2); // the others are as light as the text
    expect(new Set(colored.map(([, icon]) => icon)).size).toBe(2);
  });

  test('a message, a dialog and the copied row move, for 120 to 150 ms, and nothing moves longer', async () => {
    await stage.add(createDraft({ category: 'notes' }));
    await using opened = await stage.visitList({ reducedMotion: 'no-preference' });
    const { page } = opened;
    const moves = await movesOf(page);

    await isEventuallyTrue(() => moves.size >= 3); // the page tells of them without being waited for
    expect([...moves.keys()]).toEqual(expect.arrayContaining(['message', 'modal-box', 'row-link']));
    for (const [element, times] of moves) {
      for (const time of times) {
        expect([element, time >= 120 && time <= 150 ? '120 to 150 ms' : time]).toEqual([element, '120 to 150 ms']);
      }
    }
  });

  test('do not flash: a selected one is set before anything is drawn', async () => {
    const page = await stage.showList({ colorScheme: 'light' });
    await page.evaluate(() => localStorage.setItem('notes.theme', 'dark'));
    const held = Promise.withResolvers<void>();
    await intercept(page, /main-\w+\.js/, async (route) => {
      await held.promise;
      await route.continue();
    });

    await page.reload({ waitUntil: 'commit' });
    await page.waitForFunction(() => performance.getEntriesByName('first-paint').length > 0);
    const first = await look(page);
    const isEmpty = (await page.locator('#app > *').count()) === 0;
    held.resolve();
    await page.locator('#count').waitFor();

    expect(isEmpty).toBe(true);
    expect(first).toEqual(dark);
  });

  test('with reduced motion nothing moves', async () => {
    await stage.add(createDraft({ category: 'notes' }));
    await using opened = await stage.visitList({ reducedMotion: 'reduce' });
    const { page } = opened;
    const moves = await movesOf(page);

    expect(moves.size).toBe(0);
    const moving = await page.evaluate(
      () =>
        [...document.querySelectorAll('*')].filter((element) => {
          const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element);
          return animationName !== 'none' || /[1-9]/.test(transitionDuration) || scrollBehavior === 'smooth';
        }).length,
    );

    expect(moving).toBe(0);
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  });
});
