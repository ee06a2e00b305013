/** The page is accessible: no findings by axe in any state, enough contrast, and everything reachable by Tab. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { categories, colors } from '../../src/core/enums.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, startService } from '../support/service.ts';
import { faintTexts } from './contrast.ts';
import { findingsOn } from './findings.ts';
import { intercept, leaveSearch, phone, type ShowOptions, tablet, useStage } from './visit.ts';

const stage = useStage();
const themes = ['light', 'dark'] as const;

/** A state of the page, and how to reach it. */
interface State extends ShowOptions {
  readonly name: string;
  readonly reach?: (page: Page) => Promise<unknown>;
}

const press = (key: string, shown: string) => async (page: Page) => {
  await leaveSearch(page);
  await page.keyboard.press(key);
  await page.locator(shown).first().waitFor();
};

const showHistory = press('h', '.diff-line');

/** Opens the help, which names the build: the same in the source tree and on the executable. */
async function showHelp(page: Page): Promise<void> {
  const build = { version: '0.1.0', commit: 'development' };
  await intercept(page, '**/healthz', (route) => route.fulfill({ json: build }));
  await press('?', 'dialog[open]')(page);
}

/** Shows the page as if nothing was pinned. */
async function showNoPins(page: Page): Promise<void> {
  await intercept(page, '**/api/pins', (route) => route.fulfill({ json: { ids: [] } }));
  await page.reload();
  await page.getByText('No pinned notes yet').waitFor();
}

async function selectAll(page: Page): Promise<void> {
  await press('Enter', '.message')(page); // copies the first note
  await press('Control+a', '[aria-label="Selected notes"]')(page);
}

async function changeAll(page: Page): Promise<void> {
  await selectAll(page);
  await page.getByRole('button', { name: 'Category, group, color' }).click();
  await page.getByRole('dialog').waitFor();
}

const waitForContent = (page: Page) => page.locator('.note-code, .markdown, .note-text').first().waitFor();

/** Opens the menu once the content is shown: it offers to wrap the lines of code that is there. */
async function openMoreMenu(page: Page): Promise<void> {
  await waitForContent(page);
  await page.getByRole('button', { name: 'More' }).click();
}

/** Opens the palette once the content is shown, for the same reason. */
async function openCommands(page: Page): Promise<void> {
  await waitForContent(page);
  await press('Control+Shift+K', '[role=option]')(page);
}

/** Opens the page with a share that waits, as the service worker stores it. */
async function showShare(page: Page): Promise<void> {
  const name = await page.evaluate(async () => {
    const name = `shared with ${new URL('.', document.baseURI).href}`;
    const fields = new FormData();
    fields.set('title', 'How to center a <div>');
    fields.set('text', 'Three ways, the last one needs a single line:\n\ndisplay: grid; place-items: center');
    fields.set('url', 'https://host.example/center');
    const cache = await caches.open(name);
    await cache.put('share?1', new Response(fields));
    return name;
  });
  await page.reload();
  await page.getByRole('dialog').waitFor();
  await page.evaluate((name) => caches.delete(name), name);
}

const markdown =
  '# A heading\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n\n```css\na { color: red }\n```\n';

const states: readonly State[] = [
  { name: 'a list' },
  { name: 'hits', query: '?q=title' },
  { name: 'nothing found', query: '?q=zzzzzz' },
  { name: 'the archive', query: '?archived=true' },
  { name: 'a board', query: '?view=board' },
  { name: 'a selection', reach: selectAll },
  { name: 'a selection on a phone', viewport: phone, reach: selectAll },
  { name: 'a selection on a board', query: '?view=board', reach: selectAll },
  { name: 'a change of what is selected', reach: changeAll },
  { name: 'pinned notes', query: '?pinned=true', reach: press('0', '.row') },
  { name: 'no pinned notes', query: '?pinned=true', reach: showNoPins },
  { name: 'a list on a phone', viewport: phone },
  { name: 'an open note on a phone', viewport: phone, query: '?note=1' },
  { name: 'filters in the search', query: '?q=c:&group=first&color=info&archived=true' },
  { name: 'filters in the search of a phone', viewport: phone, query: '?q=title&category=css,notes' },
  { name: 'filters', viewport: tablet, reach: (page) => page.getByRole('button', { name: 'Filters' }).click() },
  { name: 'keys and settings', reach: showHelp },
  { name: 'something shared', reach: showShare },
  { name: 'something shared on a phone', viewport: phone, reach: showShare },
  { name: 'a history', query: '?note=1', reach: showHistory },
  { name: 'a history on a phone', viewport: phone, query: '?note=1', reach: showHistory },
  { name: 'a new note', reach: press('n', '.note-form') },
  { name: 'a menu', query: '?note=1', reach: openMoreMenu },
  { name: 'a form', query: '?note=1', reach: press('e', 'content-editor') },
  { name: 'questions for names', query: '?note=3', reach: press('Enter', 'dialog[open]') },
  { name: 'commands', reach: openCommands },
  { name: 'a note that is none', query: '?note=999', forgiven: /404/ },
  { name: 'an ignored address', query: '?group=sixth' },
  ...categories.map((category, index) => ({
    name: `a note of ${category}`,
    query: `?note=${index + 1}`,
    reach: waitForContent,
  })),
];

/**
 * Stores a note per category, with the category's position as id, and an archived one. The first is pinned, and has
 * been changed in most of its fields. No state changes what is stored: pictures would depend on what was run before.
 */
async function fill(): Promise<void> {
  await stage.add(
    ...categories.map((category, index) =>
      createDraft({
        category,
        title: `A title of ${category}`,
        content: `{{name}}\n\n${markdown}`,
        color: colors[index] ?? 'error',
      }),
    ),
    createDraft({ title: 'An archived title' }),
  );
  await fetch(`${stage.service.url}/api/notes/8/archive`, { method: 'PATCH' });
  const change = { id: 1, title: 'Another title', content: `${markdown}\nA line more`, color: 'warning' };
  await fetch(`${stage.service.url}/api/notes/1`, createJsonRequest(change, 'PUT'));
  await fetch(`${stage.service.url}/api/pins`, createJsonRequest({ ids: [1] }, 'PUT'));
}
beforeAll(fill);

describe('Accessibility', () => {
  test.each(states)('no findings: $name', async ({ name, reach, ...options }) => {
    const page = await stage.show({ ...options, reducedMotion: 'reduce' });

    await reach?.(page);

    expect({ name, findings: await findingsOn(page, name) }).toEqual({ name, findings: [] });
  });

  test('no findings: no notes, a message, and an unreachable service', async () => {
    await using service = await startService();
    await using visit = await stage.visitList({ url: service.url, reducedMotion: 'reduce', forgiven: /ERR_/ });
    const { page } = visit;
    const empty = await findingsOn(page, 'no notes');

    await page.getByRole('button', { name: 'Undo the last commit' }).click();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Saved “').first().waitFor();
    const saved = await findingsOn(page, 'a message');
    await service.stop();
    await page.keyboard.press('a');
    await page.getByText('Not archived').waitFor();
    const away = await findingsOn(page, 'an unreachable service');
    await page.reload().catch(() => {});

    expect({ empty, saved, away }).toEqual({ empty: [], saved: [], away: [] });
  });

  test('no findings: an Undo, an unsaved draft, and a conflict between two versions', async () => {
    const [note] = await stage.add(createDraft({ title: 'Contested' }));
    const page = await stage.showList({ query: `?note=${note?.id}`, reducedMotion: 'reduce', forgiven: /412/ });
    await page.locator('.detail-body').waitFor();
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    const undo = await findingsOn(page, 'an Undo');
    await fetch(`${stage.service.url}/api/notes/${note?.id}/unarchive`, { method: 'PATCH' }); // Undo may have gone

    await page.goto(`${stage.service.url}/?note=${note?.id}`);
    await page.locator('.at-cursor', { hasText: 'Contested' }).waitFor();
    await leaveSearch(page);
    await page.keyboard.press('e');
    await page.locator('[name=title]').fill('Mine');
    await page.locator('.form-state', { hasText: /^Draft$/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Continue' }).first().waitFor();
    const waiting = await findingsOn(page, 'an unsaved draft');

    await page.getByRole('button', { name: 'Continue' }).first().click();
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[name=title]')?.value === 'Mine');
    await fetch(
      `${stage.service.url}/api/notes/${note?.id}`,
      createJsonRequest({ id: note?.id, title: 'Theirs' }, 'PUT'),
    );
    await page.locator('[name=title]').press('Control+Enter');
    await page.getByRole('button', { name: 'Keep mine' }).waitFor();
    const choice = await findingsOn(page, 'a conflict');

    expect({ undo, waiting, choice }).toEqual({ undo: [], waiting: [], choice: [] });
  });

  test('text on each of the eight colors has enough contrast, and so does each swatch, in both themes', async () => {
    const page = await stage.showList({ reducedMotion: 'reduce' });
    await page.keyboard.press('n');
    await page.locator('.note-form .swatch').first().waitFor();

    const findings: string[] = [];
    for (const theme of themes) {
      await page.evaluate((theme) => {
        document.documentElement.dataset['theme'] = theme;
        document.querySelector('.probes')?.remove();
      }, theme);
      await page.evaluate((colors) => {
        const probes = document.createElement('div');
        probes.className = 'probes';
        for (const color of colors) {
          const probe = document.createElement('p');
          probe.textContent = color;
          probe.style.color = `var(--color-${color}-content)`;
          probe.style.backgroundColor = `var(--color-${color})`;
          const edge = document.createElement('p');
          const swatch = document.querySelector(`.swatch[style*="--color-${color})"]`);
          edge.textContent = `edge of ${color}`;
          edge.style.fontSize = '24px'; // WCAG wants a contrast of 3 for graphics, as for large text
          const { borderStyle = '', borderColor = '', backgroundColor = '' } = swatch ? getComputedStyle(swatch) : {};
          edge.style.color = borderStyle === 'none' ? backgroundColor : borderColor;
          probes.append(probe, edge);
        }
        document.querySelector('.form-text')?.append(probes);
      }, colors);
      findings.push(...(await faintTexts(page)).map((text) => `${theme}: ${text}`));
    }

    expect(await page.locator('.probes p').count()).toBe(16);
    expect(findings).toEqual([]);
  });

  test('Tab reaches all controls, shows the focus, and wraps around', async () => {
    const page = await stage.show({ query: '?note=1' });
    await page.locator('.note-code span').first().waitFor(); // at first it is plain text
    await page.getByRole('button', { name: /^Color error \d+$/ }).waitFor(); // at first it has no count
    const usable = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex="0"]')]
        .filter((element) => element.tabIndex >= 0 && element.checkVisibility() && !element.closest('[inert]'))
        .map((element) => element.outerHTML.slice(0, 200)),
    );

    const reached = new Set<string>();
    const hidden: string[] = [];
    for (let stop = 0; stop < usable.length + 2; stop++) {
      await page.keyboard.press('Tab');
      const { html, isShown } = await page.evaluate(() => {
        const { activeElement: element } = document;
        if (element === null || element === document.body) return { html: '', isShown: true };
        const ringed = element.matches('#search') ? element.closest('.search') : element;
        const { outlineStyle } = getComputedStyle(ringed ?? element);
        return { html: element.outerHTML.slice(0, 200), isShown: outlineStyle !== 'none' };
      });
      reached.add(html);
      if (!isShown) hidden.push(html);
    }

    expect(usable.filter((html) => !reached.has(html))).toEqual([]);
    expect(hidden).toEqual([]);
  });

  test('at sizes from 320 px, nothing that Tab reaches is covered', async () => {
    for (const [width, height, query] of [
      [320, 256, ''],
      [320, 256, '?note=4'],
      [390, 740, '?q=title&category=css,notes'],
      [820, 480, '?note=4'],
      [1024, 600, '?view=board&note=4'],
    ] as const) {
      const page = await stage.show({ viewport: { width, height }, query, reducedMotion: 'reduce' });
      const covered = new Set<string>();
      const reached = new Set<string>();
      for (let stop = 0; stop < 60; stop++) {
        await page.keyboard.press('Tab');
        const { html, isCovered } = await page.evaluate(() => {
          const { activeElement: element } = document;
          if (element === null || element === document.body) return { html: '', isCovered: false };
          const { left, right, top, bottom } = element.getBoundingClientRect();
          const [x, y] = [(Math.max(left, 0) + Math.min(right, innerWidth)) / 2, Math.max(top, 0) + 8];
          const hit = bottom - top < 16 ? element : document.elementFromPoint(x, y);
          return { html: element.outerHTML.slice(0, 160), isCovered: !element.contains(hit) };
        });
        reached.add(html);
        if (isCovered) covered.add(html);
      }

      expect(reached.size).toBeGreaterThan(6);
      expect({ width, query, covered: [...covered] }).toEqual({ width, query, covered: [] });
    }
  });
});
