/** The appearance of the list and its frame: rows, colors, headings, messages, panes. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { createCorpus } from '../support/data/corpus.ts';
import { createDraft } from '../support/sample-notes.ts';
import { atCursor, desktop, intercept, leaveSearch, phone, tablet, useStage } from './visit.ts';

const stage = useStage();
const finger = { hasTouch: true, isMobile: true };

beforeAll(async () => {
  await stage.add(
    ...createCorpus(30),
    createDraft({ title: 'Marked', content: '# Marked\n\n**Bold** and `code`\nnext line\n' }),
    createDraft({ title: 'set -e', content: '#!/bin/sh\nset -e\nmake deploy', category: 'bash-commands' }),
    createDraft({ title: 'A *starred* title', content: 'A *starred* title\n===\nThe text' }),
    createDraft({ title: 'Fronted', content: '---\ntitle: x\ntags: [alpha]\n---\n# Fronted\n\nThe *body*' }),
    createDraft({ title: '.scrapped', content: '.scrapped {\n  display: grid;\n}\n', category: 'css' }),
  );
});

const boxOf = async (page: Page, selector: string) =>
  (await page.locator(selector).first().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };

/** How many rows are seen as a whole. */
const wholeRows = (page: Page) =>
  page.locator('.row').evaluateAll((rows) => {
    const list = document.querySelector('.scroller')?.getBoundingClientRect();
    return rows.filter((row) => row.getBoundingClientRect().bottom <= (list?.bottom ?? 0)).length;
  });

/** Reloads the page as one in whose browser this many copies were made. */
async function setCopiesMade(page: Page, count: number): Promise<void> {
  await page.evaluate((count) => localStorage.setItem('notes.copy-count:/', String(count)), count);
  await page.reload();
  await page.locator('.row').first().waitFor();
  await page.locator('#detail').waitFor({ state: 'attached' });
}

describe('Rows', () => {
  test('at 1440 × 900 px there are sixteen of 52 px, or twenty-three of 36 px by a setting that this browser keeps', async () => {
    const page = await stage.showList();
    await setCopiesMade(page, 20);
    await leaveSearch(page);
    const comfortable = [(await boxOf(page, '.row')).height, await wholeRows(page)];

    await page.keyboard.press('?');
    await page.getByRole('radio', { name: 'compact' }).check();
    await page.reload();
    await page.locator('.row').first().waitFor();
    const compact = [(await boxOf(page, '.row')).height, await wholeRows(page)];

    expect(comfortable).toEqual([52, 16]);
    expect(compact).toEqual([36, 23]);
  });

  test('a filter and a selection move no row', async () => {
    const page = await stage.showList();
    const before = await boxOf(page, '.scroller');
    await page.getByRole('button', { name: /^third/ }).click();
    await page.locator('search .chip').waitFor();
    const filtered = await boxOf(page, '.scroller');
    await page
      .locator('.row')
      .first()
      .click({ modifiers: ['Control'] });
    await page.getByRole('region', { name: 'Selected notes' }).waitFor();

    expect(filtered).toEqual(before);
    expect(await boxOf(page, '.scroller')).toEqual(before);
  });

  test('the foot of the list has three keys until the twentieth copy, which moves no row, and is not on touch screens', async () => {
    const page = await stage.showList();
    await setCopiesMade(page, 19);
    const foot = page.locator('.list-foot');
    const said = (await foot.innerText()).replace(/\s+/g, ' ');
    const during = [(await boxOf(page, '.list-foot')).height, await wholeRows(page)];
    const before = await boxOf(page, '.row');
    await page.locator('#search').press('Enter');
    await foot.waitFor({ state: 'detached' });
    const after = await boxOf(page, '.row');
    await using touch = await stage.visit({ viewport: tablet, ...finger });

    expect(said).toBe('Enter copy Ctrl+Enter open ? keys');
    expect(during).toEqual([28, 15]);
    expect(await wholeRows(page)).toBe(16);
    expect(after).toEqual(before);
    expect(await touch.page.locator('.list-foot').isVisible()).toBe(false);
  });

  test('an excerpt is without its title, its syntax and its front matter', async () => {
    const page = await stage.show();
    const excerptOf = (title: string) =>
      page.locator('[data-row]', { hasText: title }).locator('.row-excerpt').innerText();

    const excerpts = await Promise.all(
      ['Marked', 'set -e', 'A *starred* title', 'Fronted', '.scrapped'].map(excerptOf),
    );

    const texts = ['Bold and code · next line', 'make deploy', 'The text', 'The body', 'display: grid; · }'];
    expect(excerpts).toEqual(texts);
  });

  test('Copy is on the rows under the cursor and the pointer, in the place of the time; a finger has it on each', async () => {
    const page = await stage.show();
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
    await using touch = await stage.visit({ viewport: phone, ...finger });

    expect([copies, rows - times]).toEqual([2, 2]);
    expect(await touch.page.locator('.row-copy:visible').count()).toBe(await touch.page.locator('.row').count());
    const cursor = touch.page.locator('.at-cursor').first();
    expect(await cursor.evaluate((row) => getComputedStyle(row).backgroundColor)).toBe('rgba(0, 0, 0, 0)');
    expect(await touch.page.locator('kbd:visible').count()).toBe(0);
  });

  test('a heading says why this order: copied lately, changed, or best match; Copy again moves no row in use', async () => {
    const page = await stage.showList();
    const heading = page.locator('.list-head h2');
    const before = await heading.innerText();
    await page.locator('.row').nth(2).hover();
    await page.locator('.row').nth(2).locator('.row-copy').click();
    await page.getByText('Copied “').waitFor();
    await page.reload();
    await page.locator('.list-heading').waitFor();
    const after = [await heading.innerText(), await page.locator('.list-heading').innerText()];
    await page.locator('.scroller').evaluate((list) => list.scrollTo(0, 300));
    await heading.filter({ hasText: 'Last changed' }).waitFor();
    await page.locator('#search').fill('marked');
    await heading.filter({ hasText: 'Best match' }).waitFor();

    expect(before).toBe('Last changed');
    expect(after).toEqual(['Recently copied', 'Last changed']);
  });
});

describe('Messages', () => {
  test('in windows of all sizes one floats over the list, moves nothing and covers no focus', async () => {
    await stage.add(...Array.from({ length: 10 }, (_, index) => createDraft({ title: `Below ${index}` })));
    const page = await stage.showList({ query: '?q=Below' });
    const sizes = [{ width: 320, height: 640 }, { width: 320, height: 256 }, tablet, desktop];
    const lists: Awaited<ReturnType<typeof boxOf>>[] = [];
    for (const size of sizes) {
      await page.setViewportSize(size);
      lists.push(await boxOf(page, '.scroller'));
    }

    for (const [index, size] of sizes.entries()) {
      await page.setViewportSize(size);
      await page.keyboard.press('End');
      const title = await atCursor(page);
      await page.keyboard.press('a');
      await page.locator('.message', { hasText: title }).waitFor();
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
      const message = await boxOf(page, '.message:visible');
      const focus = await boxOf(page, '.at-cursor:focus');
      const list = await boxOf(page, '.scroller');

      expect([list]).toEqual(lists.slice(index, index + 1));
      expect(message.width).toBeLessThanOrEqual(360);
      expect(Math.abs(message.x + message.width / 2 - (list.x + list.width / 2))).toBeLessThan(2);
      expect(message.y + message.height).toBeLessThanOrEqual(size.height);
      expect(focus.y + focus.height).toBeLessThanOrEqual(message.y);
      if (size.width > 640) expect(message.height).toBe(40);
    }
  });

  test('a newer one replaces it, and a button shows the others; failures stay', async () => {
    const page = await stage.showList({ forgiven: /Failed to load resource/ });
    await intercept(page, '**/api/notes/*/archive*', (route) => route.fulfill({ status: 500, json: { error: 'No' } }));
    await page.keyboard.press('a');
    await page.getByText('was not archived').waitFor();
    await page.keyboard.press('p');
    await page.getByText('Pinned “').waitFor();
    const alone = await page.locator('.message:visible').count();

    await page.getByRole('button', { name: 'Show 1 more' }).click();
    await page.getByText('was not archived').waitFor();
    const both = await page.locator('.message:visible').count();

    expect([alone, both]).toEqual([1, 2]);
  });
});

describe('Panes', () => {
  test('list and sidebar are resized by pointer and keys, within bounds, and this browser keeps their widths', async () => {
    const page = await stage.show();
    for (const [name, selector, least] of [
      ['Width of the list', '.list-pane', 272],
      ['Width of the sidebar', '.sidebar', 192],
    ] as const) {
      const divider = page.getByRole('separator', { name });
      const before = (await boxOf(page, selector)).width;
      await divider.press('ArrowRight');
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

      expect([wider, narrowest, kept]).toEqual([before + 24, least, least]);
      expect((await boxOf(page, selector)).width).toBe(before);
    }
    await page.setViewportSize({ width: 1024, height: 768 });

    for (let times = 0; times < 20; times++) {
      await page.getByRole('separator', { name: 'Width of the sidebar' }).press('ArrowRight');
    }

    expect([(await boxOf(page, '.sidebar')).width, (await boxOf(page, '.list-pane')).width]).toEqual([352, 288]);
  });

  test('code is at most 760 px wide, in the middle of the pane, and prose 68 characters', async () => {
    const table = '| a | b |\n|---|---|\n| 1 | 2 |\n';
    const content = `- [ ] **bold**\n\n\`\`\`css\na { color: red }\n\`\`\`\n\n${table}\n${'word '.repeat(300)}`;
    const [note] = await stage.add(createDraft({ title: 'All blocks', content }));
    const page = await stage.show({ query: `?note=${note?.id}`, viewport: { width: 2560, height: 1200 } });
    await page.locator('.markdown table').waitFor();

    const app = await page.locator('.app').boundingBox();
    const pane = await page.locator('#detail').boundingBox();
    const parts = await page.locator('.detail-body > *, .code-block, .markdown > p').evaluateAll((all) =>
      all.map((part) => {
        const { left, right } = part.getBoundingClientRect();
        return { left, right };
      }),
    );
    const prose = await page.locator('.markdown > p').evaluate((part) => {
      const ruler = document.createElement('span');
      ruler.textContent = '0'.repeat(68);
      part.append(ruler);
      const letters = ruler.getBoundingClientRect().width;
      ruler.remove();
      return { letters, width: part.getBoundingClientRect().width };
    });

    expect(app).toMatchObject({ x: 380, width: 1800 });
    const middle = (pane?.x ?? 0) + (pane?.width ?? 0) / 2;
    for (const { left, right } of parts) {
      expect(left).toBeGreaterThanOrEqual(middle - 381);
      expect(right).toBeLessThanOrEqual(middle + 381);
    }
    expect(Math.max(...parts.map(({ left, right }) => right - left))).toBeGreaterThan(755);
    expect(prose.width).toBeCloseTo(prose.letters, 0);
  });

  test('headings of a note are smaller with each level, nearer to what follows than to what is above', async () => {
    const content = ['First', '# One', 'a', '## Two', 'b', '### Three', 'c', '#### Four', 'd'].join('\n\n');
    const [note] = await stage.add(createDraft({ title: 'All headings', content }));
    const page = await stage.show({ query: `?note=${note?.id}` });
    await page.locator('.markdown h1').waitFor();

    const title = await page
      .locator('#detail h2')
      .first()
      .evaluate((part) => getComputedStyle(part).font);
    const headings = await page.locator('.markdown :is(h1, h2, h3, h4)').evaluateAll((all) =>
      all.map((heading) => {
        const { top, bottom } = heading.getBoundingClientRect();
        const above = heading.previousElementSibling?.getBoundingClientRect().bottom ?? 0;
        const below = heading.nextElementSibling?.getBoundingClientRect().top ?? 0;
        return [getComputedStyle(heading).fontSize, Math.round(top - above), Math.round(below - bottom)];
      }),
    );

    expect(title).toStartWith('600 22px / 28px');
    expect(headings).toEqual([
      ['20px', 28, 8],
      ['17px', 28, 8],
      ['15px', 28, 8],
      ['13px', 28, 8],
    ]);
  });

  test('copying a note moves no other button', async () => {
    const page = await stage.show({ query: '?q=Marked' });
    const actions = page.locator('.note-head');
    const place = async () => (await actions.getByRole('button', { name: 'Edit' }).boundingBox())?.x;
    const before = await place();

    await actions.getByRole('button', { name: 'Copy' }).click();
    await actions.getByRole('button', { name: 'Copied' }).waitFor();

    expect(await place()).toBe(before);
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
});

describe('Board', () => {
  test('a late answer to a move does not change the focus', async () => {
    await stage.add(createDraft({ title: 'Slow', group: 'first' }));
    const page = await stage.showList({ query: '?view=board' });
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
});
