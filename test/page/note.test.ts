/** The open note: its head, its values, and its text as it is read. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, readNoteBody } from '../support/service.ts';
import { goOnByKeys, useStage } from './visit.ts';

const stage = useStage();
const stored = (id: number) => readNoteBody(fetch(`${stage.service.url}/api/notes/${id}`));
const button = (page: Page, name: string | RegExp) => page.locator('#detail').getByRole('button', { name });

const long = `$ echo ${'a-long-argument '.repeat(30)}`;

describe('Show: the head of a note', () => {
  test('changes category, group and color in place, and Undo takes that back', async () => {
    const [note] = await stage.add(
      createDraft({ title: 'In place', category: 'notes', group: 'first', color: 'info' }),
      createDraft({ title: 'Beside' }),
    );
    if (!note) throw new Error('no note');
    const page = await stage.showList({ query: `?note=${note.id}` });

    for (const [field, value] of [
      ['Category: notes', 'prompts'],
      ['Group: first', 'third'],
      ['Color: info', 'error'],
    ] as const) {
      await button(page, field).click();
      await page.getByRole('menuitemradio', { name: value }).click();
      await button(page, new RegExp(`: ${value}$`)).waitFor();
    }
    const changed = await stored(note.id);
    await goOnByKeys(page);
    await page.keyboard.press('z');
    await button(page, 'Color: info').waitFor();
    await page.keyboard.press('1');
    await button(page, 'Category: css').waitFor();
    await button(page, 'Color: info').click();
    await page.mouse.click(400, 140); // on a row
    await page.getByRole('menu').waitFor({ state: 'detached' });

    expect(new URL(page.url()).searchParams.get('note')).toBe(String(note.id));
    expect(changed).toMatchObject({ category: 'prompts', group: 'third', color: 'error' });
    expect(await page.locator('#detail').innerText()).not.toMatch(/group|info/);
  });

  test('has Copy, Edit and Pin, and the other actions in a menu; the preview has the same', async () => {
    const [note] = await stage.add(createDraft({ title: 'With actions', content: '# With actions\n\ntext' }));
    const page = await stage.showList({ query: '?q=actions' });
    const names = () =>
      page
        .locator('.note-head button:visible')
        .evaluateAll((all) => all.map((one) => one.ariaLabel ?? one.textContent));
    await page.locator('.is-preview .markdown').waitFor();

    const before = await names();
    await page.keyboard.press('o');
    await page.locator('.detail-body:focus').waitFor();
    const open = await names();
    await button(page, 'Pin').click();
    await button(page, 'Unpin').waitFor();
    await button(page, 'More').click();
    await page.getByRole('menuitem').first().waitFor();
    const more = await page.getByRole('menuitem').allInnerTexts();
    const icons = await page.locator('[role=menuitem] > svg').count();
    await page.getByRole('menuitem', { name: 'Archive' }).click();

    expect(open).toEqual(['Copy', 'Edit', 'Pin', 'More', 'Back to the list']);
    expect(before).toEqual(open);
    expect(more.length).toBe(7);
    expect(icons).toBe(7);
    expect(await isEventuallyTrue(async () => (await stored(note?.id ?? 0)).archived)).toBe(true);
  });
});

describe('Show: the text of a note', () => {
  test('has no heading that repeats the title, and all lines of a task begin below each other', async () => {
    const content = `# Said *once*\n\n# Said once more\n\n- [ ] ${'a task of many words '.repeat(20)}`;
    const [note] = await stage.add(createDraft({ title: 'Said *once*', content }));
    const page = await stage.showList({ query: `?note=${note?.id}` });
    await page.locator('.markdown li').waitFor();

    const headings = await page.locator('.markdown h1:visible').allInnerTexts();
    const lines = await page.locator('.markdown li').evaluate((item) => {
      const range = document.createRange();
      range.selectNodeContents(item.lastChild ?? item);
      return [...range.getClientRects()].filter(({ width }) => width > 20).map(({ left }) => Math.round(left));
    });

    expect(headings).toEqual(['Said once more']);
    expect(lines.length).toBeGreaterThan(1);
    expect(new Set(lines).size).toBe(1);
  });

  test('says in whole words when it was changed', async () => {
    const time = new Date(Date.now() - 8 * 86_400_000).toISOString();
    const old = {
      ...createDraft({ title: 'Of last week' }),
      id: 9_000,
      archived: false,
      createdAt: time,
      updatedAt: time,
    };
    await fetch(`${stage.service.url}/merge`, createJsonRequest({ notes: [old] }));
    const page = await stage.showList({ query: '?note=9000' });

    expect(await page.locator('.note-facts time').innerText()).toBe('last week');
  });

  test('wraps commands; a block keeps its whole width below Copy, and its text fades where it goes on', async () => {
    const fence = '```sh\n';
    const [command, block] = await stage.add(
      createDraft({ title: 'A command', category: 'bash-commands', content: long }),
      createDraft({ title: 'A block', category: 'prompts', content: `${fence}${long}\n${fence}` }),
    );
    const page = await stage.showList({ query: `?note=${command?.id}` });
    const overflow = (name: string) =>
      page.locator(name).evaluate((box) => [box.scrollWidth > box.clientWidth, box.clientWidth]);
    await page.locator('.note-code').waitFor();
    const [isCut] = await overflow('.note-code');
    const [background, ligatures] = await page.locator('.note-code').evaluate((pre) => {
      const { backgroundColor, fontVariantLigatures } = getComputedStyle(pre);
      return [backgroundColor, fontVariantLigatures];
    });
    await page.goto(`${stage.service.url}/?note=${block?.id}`);
    await page.locator('.code-block pre').waitFor();
    const [scrolls, width] = await overflow('.code-block pre');
    const fade = () =>
      page.locator('.code-block pre').evaluate((pre) => getComputedStyle(pre).getPropertyValue('--fade'));
    const copy = page.locator('.code-block button');
    const faded = await fade();
    const hidden = await copy.evaluate((button) => getComputedStyle(button).opacity);
    await page.locator('.code-block').hover();

    expect([isCut, scrolls]).toEqual([false, true]);
    expect([background, ligatures]).toEqual(['rgba(0, 0, 0, 0)', 'none']); // the background stays where the text fades
    expect(width).toBe(await page.locator('.code-block').evaluate((box) => box.clientWidth));
    expect([hidden, await copy.evaluate((button) => getComputedStyle(button).opacity)]).toEqual(['0', '1']);
    await page.locator('.code-block pre').evaluate((pre) => pre.scrollTo(pre.scrollWidth, 0));
    expect([faded, await isEventuallyTrue(async () => (await fade()) === '0px')]).toEqual(['24px', true]);
  });

  test('never shows raw Markdown on the way: the former note stays, then a skeleton', async () => {
    await stage.add(
      createDraft({ title: 'Rendered late', category: 'editor-chats', content: '**second**' }),
      createDraft({ title: 'Rendered soon', category: 'editor-chats', content: '**first**' }),
    );
    const page = await stage.showList({ query: '?category=editor-chats' });
    await page.locator('.markdown strong', { hasText: 'first' }).waitFor();
    await page.evaluate(() => {
      const { postMessage } = Worker.prototype;
      const gate = new Promise((resolve) => Object.assign(window, { letThrough: resolve }));
      Worker.prototype.postMessage = function (this: Worker, message: unknown) {
        void gate.then(() => postMessage.call(this, message));
      };
      const seen: string[] = [];
      const look = () => {
        const title = document.querySelector('#note-title')?.textContent ?? '';
        const text = document.querySelector('.note-skeleton')
          ? 'skeleton'
          : document.querySelector('.detail-body')?.textContent;
        if (seen.at(-1) !== `${title}: ${text}`) seen.push(`${title}: ${text}`);
      };
      look();
      new MutationObserver(look).observe(document.body, { childList: true, characterData: true, subtree: true });
      Object.assign(window, { seen });
    });

    await page.keyboard.press('j');
    await page.locator('.note-skeleton').waitFor();
    await page.evaluate(() => Reflect.get(window, 'letThrough')());
    await page.locator('.markdown strong', { hasText: 'second' }).waitFor();

    expect(await page.evaluate(() => Reflect.get(window, 'seen'))).toEqual([
      'Rendered soon: first',
      'Rendered late: skeleton',
      'Rendered late: second',
    ]);
  });
});
