/** Notes are written and changed by keyboard alone, and nothing is stored twice or accidentally. */
import { describe, expect, test } from 'bun:test';
import type { Page, Route } from 'playwright-core';
import { draft, noteIn, notesIn } from '../support/service.ts';
import { intercept, row, useStage, withoutParts } from './visit.ts';

const stage = useStage();
const stored = (id: number) => noteIn(fetch(`${stage.service.url}/api/notes/${id}`));
const withTitle = async (title: string) =>
  (await notesIn(fetch(`${stage.service.url}/api/notes`))).filter((note) => note.title === title);

const focusedName = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('name'));
const title = (page: Page) => page.locator('.note-form [name=title]');
const content = (page: Page) => page.locator('.note-form [name=content]');
const form = (page: Page) => page.locator('.note-form');
const isKept = (page: Page) => page.locator('.form-state', { hasText: /^Draft$/ }).waitFor();
const saved = (page: Page, title: string) => page.locator('.message', { hasText: `Saved “${title}”` }).waitFor();

/** Lets the new note be stored, and drops its answer. */
async function lose(route: Route): Promise<void> {
  if (route.request().method() !== 'POST') return route.fallback();
  await route.fetch();
  await route.abort('connectionreset');
}

async function begin(page: Page, name: string, text: string): Promise<void> {
  await page.keyboard.press('n');
  await title(page).fill(name);
  await content(page).fill(text);
}

/** Names of form fields of which one of nine points is covered, or out of view, while they have the focus. */
async function coveredFields(page: Page): Promise<string[]> {
  const covered = new Set<string>();
  await title(page).focus();
  for (let step = 0; step < 8; step++) {
    const name = await page.evaluate(() => {
      const field = document.activeElement;
      if (!field) return 'nothing';
      const { x, width, top, bottom } = field.getBoundingClientRect();
      const pane = field.closest('.form-text')?.getBoundingClientRect();
      const y = Math.max(top, pane?.top ?? 0, 0); // a text may be longer than its visible part
      const box = { x, y, width, height: Math.min(bottom, pane?.bottom ?? bottom, innerHeight) - y };
      if (box.height < Math.min(24, bottom - top)) return `${field.getAttribute('name')}, out of sight`;
      const hits = [0.05, 0.5, 0.95].flatMap((x) =>
        [0.05, 0.5, 0.95].map((y) => document.elementFromPoint(box.x + box.width * x, box.y + box.height * y)),
      );
      const isFree = hits.every((hit) => hit !== null && (field.contains(hit) || hit.contains(field)));
      return isFree ? undefined : (field.getAttribute('name') ?? field.textContent);
    });
    if (name) covered.add(name);
    await page.keyboard.press((await focusedName(page)) === 'content' ? 'F6' : 'Tab');
  }
  return [...covered];
}

describe('10. Write', () => {
  test('no field of a form is covered while it has the focus, in windows of all sizes', async () => {
    const [note] = await stage.add(draft({ content: 'line\n'.repeat(40), category: 'bash-commands', group: 'second' }));
    const page = await stage.showList({ query: `?note=${note?.id}` });
    await page.keyboard.press('e');
    await title(page).waitFor();

    for (const [width, height] of [
      [320, 256],
      [390, 470], // with the keyboard of a phone
      [360, 740],
      [820, 480],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      expect({ width, height, covered: await coveredFields(page) }).toEqual({ width, height, covered: [] });
      const { y = 0, height: least = 0 } = (await page.getByRole('button', { name: 'Save' }).boundingBox()) ?? {};
      expect(y + least).toBeLessThanOrEqual(height > 256 ? height : Number.POSITIVE_INFINITY);
      const text = await page.locator('.form-text').boundingBox();
      expect((text?.height ?? 0) / height).toBeGreaterThan(height > 256 ? 0.6 : 0);
    }
  });

  test('a new note takes `n`, title, Tab, text and Ctrl+Enter, and gets the fields of the filter', async () => {
    const page = await stage.showList({ query: '?category=css&group=third' });

    await page.keyboard.press('n');
    await title(page).waitFor();
    const focused = await focusedName(page);
    await page.keyboard.type('By keys');
    await page.keyboard.press('Tab');
    await page.keyboard.type('a { }');
    await page.keyboard.press('Shift+F6');
    const back = await focusedName(page);
    await page.keyboard.press('F6');
    await page.keyboard.press('F6');
    const left = await focusedName(page);
    await page.keyboard.press('Control+Enter');
    await saved(page, 'By keys');

    expect([focused, back, left]).toEqual(['title', 'title', 'category']);
    expect(await withTitle('By keys')).toMatchObject([{ content: 'a { }', category: 'css', group: 'third' }]);
    await page.locator('#detail:has(.detail-body:focus)', { hasText: 'By keys' }).waitFor();
    await page.locator('.at-cursor', { hasText: 'By keys' }).waitFor();
    expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('notes.draft')))).toEqual(
      [],
    );
  });

  test('`e` puts the caret into the text of a note, which has the focus after saving', async () => {
    const [note] = await stage.add(draft({ title: 'Before, on two lines '.repeat(4), content: 'Some words' }));
    if (!note) throw new Error('no note');
    const page = await stage.showList({ query: `?note=${note.id}` });

    const place = () => page.locator('.note-title').evaluate((title) => title.getBoundingClientRect().toJSON());
    const read = await place();
    await page.keyboard.press('e');
    await page.locator('.note-form [name=content]:focus').waitFor();
    const edited = await place();
    await title(page).fill('After');
    await page.keyboard.press('Control+Enter');
    await saved(page, 'After');

    expect([edited.x, edited.y]).toEqual([read.x, read.y]); // the title does not jump
    expect(edited.height).toBe(2 * 28); // two lines of 28 px
    expect(await stored(note.id)).toMatchObject({ title: 'After', content: note.content });
    await page.locator('#detail:has(.detail-body:focus)', { hasText: 'After' }).waitFor();
    await row(page, note).getByText('After').waitFor();
  });

  test('the title is a copy of the first line until it is changed, and the text keeps that line', async () => {
    const page = await stage.showList();
    await page.evaluate(() => navigator.clipboard.writeText('\n  git log --oneline \nand more'));
    await page.keyboard.press('n');

    await content(page).focus();
    await page.keyboard.press('Control+V');
    const first = [await title(page).inputValue(), await content(page).inputValue()];
    await content(page).fill('git status\n');
    const followed = await title(page).inputValue();
    await title(page).fill('Mine');
    await content(page).fill('git log');

    expect([first, followed]).toEqual([['git log --oneline', '\n  git log --oneline \nand more'], 'git status']);
    expect(await title(page).inputValue()).toBe('Mine');
  });

  test('several lines pasted into an empty title become the text, the first is copied, and Ctrl+Z undoes that', async () => {
    const page = await stage.showList();
    const long = 'long '.repeat(100).trim();
    const both = async () => [await title(page).inputValue(), await content(page).inputValue()];
    const paste = async (text: string) => {
      await page.evaluate((text) => navigator.clipboard.writeText(text), text);
      await title(page).focus();
      await page.keyboard.press('Control+V');
    };
    await page.keyboard.press('n');

    await paste('\n  git log \n\n  --oneline\nand more\n');
    const first = [...(await both()), await focusedName(page)];
    await page.keyboard.press('Control+Z');
    const [, undone] = await both();
    await title(page).fill('');
    await paste(`${long}\nand more`);
    const second = await both();
    await title(page).fill('Mine');
    await paste('one\ntwo');

    expect(first).toEqual(['git log', '\n  git log \n\n  --oneline\nand more\n', 'content']);
    expect(undone).toBe('');
    expect(second[0]?.length).toBe(200 - 1); // no space at the end
    expect(second[1]).toBe(`${long}\nand more`);
    expect(await both()).toEqual(['Mineone two', second[1] ?? '']);
  });

  test('Tab and Shift+Tab indent the selected lines, Ctrl+Z undoes that, and F6 goes on', async () => {
    const page = await stage.showList();
    await begin(page, 'Indented', 'a {\nb\n\nc\n}');
    const select = (from: number, to: number) =>
      content(page).evaluate(
        (area, range) => {
          if (area instanceof HTMLTextAreaElement) area.setSelectionRange(...range);
        },
        [from, to] as [number, number],
      );
    const texts: string[] = [];
    const press = async (key: string) => {
      await page.keyboard.press(key);
      texts.push(await content(page).inputValue());
    };

    await select(4, 8);
    await press('Tab');
    await press('Shift+Tab');
    await press('Control+Z');
    await press('Control+Z');
    await select(5, 5);
    await press('Tab');
    await press('F6');

    const [plain, inside] = ['a {\nb\n\nc\n}', 'a {\n  b\n\n  c\n}'];
    expect(texts).toEqual([inside, plain, inside, plain, 'a {\nb  \n\nc\n}', 'a {\nb  \n\nc\n}']);
    expect(await focusedName(page)).toBe('category');
  });

  test('phones leave code as it is typed: in the search, and in the text of CSS and commands', async () => {
    const page = await stage.showList();
    const helps = (selector: string) =>
      page
        .locator(selector)
        .evaluate((field) =>
          ['autocapitalize', 'autocorrect', 'spellcheck'].map((name) => field.getAttribute(name) || null),
        );
    await page.keyboard.press('n');

    const prose = await helps('[name=content]');
    const code: unknown[] = [];
    for (const category of ['css', 'bash-commands']) {
      await page.locator('[name=category]').selectOption(category);
      code.push(await helps('[name=content]'));
    }
    await page.locator('[name=category]').selectOption('prompts');

    expect(prose).toEqual([null, null, 'true']);
    expect([...code, await helps('#search')]).toEqual(Array(3).fill(['off', 'off', 'false']));
    expect(await helps('[name=content]')).toEqual(prose);
  });

  test.each([
    ['beside the text where there is room', 1440, true],
    ['in its place on a phone', 390, false],
  ])('Ctrl+Shift+P previews the rendered text, %s', async (_, width, isBeside) => {
    const page = await stage.showList({ viewport: { width, height: 900 } });
    const preview = page.getByRole('region', { name: 'Preview' });
    await page.locator('body').press('n');
    await title(page).fill('Previewed');
    await content(page).fill('Some **bold** text');

    await page.keyboard.press('Control+Shift+P');
    await preview.locator('strong', { hasText: 'bold' }).waitFor();
    const shown = await content(page).isVisible();
    if (isBeside) await content(page).fill('Some **other** text');
    else await page.keyboard.press('Control+Shift+P');
    if (isBeside) await preview.locator('strong', { hasText: 'other' }).waitFor();
    await content(page).fill('saved');
    await page.keyboard.press('Control+Enter');
    await saved(page, 'Previewed');

    expect(shown).toBe(isBeside);
  });

  test('Enter goes on with a list and ends it, Ctrl+B and Ctrl+I mark, and code stays as it is', async () => {
    const page = await stage.showList();
    const typed = async (keys: readonly string[]) => {
      await content(page).fill('');
      for (const key of keys)
        await (key.length > 1 && /^[A-Z]/.test(key) ? page.keyboard.press(key) : page.keyboard.type(key));
      return content(page).inputValue();
    };
    await page.keyboard.press('n');
    await title(page).fill('Lists');
    await content(page).focus();

    expect(await typed(['- one', 'Enter', 'two', 'Enter', 'Enter', 'end'])).toBe('- one\n- two\n\nend'); // no part of the last item
    expect(await typed(['- one', 'Enter', 'Tab', 'in', 'Enter', 'Shift+Tab', 'out'])).toBe('- one\n  - in\n- out');
    expect(await typed(['1. one', 'Enter', 'Tab', 'in'])).toBe('1. one\n   2. in');
    expect(await typed(['9. one', 'Enter', 'two'])).toBe('9. one\n10. two');
    expect(await typed(['  * [x] done', 'Enter', 'next'])).toBe('  * [x] done\n  * [ ] next');
    expect(await typed(['Control+B', 'fat', 'Control+B', 'Control+I', 'thin'])).toBe('**fat**_thin_');
    await form(page).getByLabel('Category').selectOption('css');
    await content(page).focus();
    expect(await typed(['- a', 'Enter', 'b', 'Control+B'])).toBe('- a\nb');
  });

  test('a text pasted outside of fields begins a note, and so do several lines in the search', async () => {
    await stage.add(draft());
    const page = await stage.showList();
    const paste = async (text: string, place: string) => {
      await page.evaluate((text) => navigator.clipboard.writeText(text), text);
      await page.locator(place).first().focus();
      await page.keyboard.press('Control+V');
    };
    const both = async () => [await title(page).inputValue(), await content(page).inputValue()];

    await paste('# A *plan*\n', '.row [data-row], [data-row]');
    await form(page).waitFor();
    const pasted = [...(await both()), await form(page).getByLabel('Category').inputValue()];
    await page.keyboard.press('Escape');
    await paste('#!/bin/bash\nset -e\nls\n', '#search');
    await form(page).waitFor();
    const script = [...(await both()), await form(page).getByLabel('Category').inputValue()];
    await page.keyboard.press('Escape');
    await paste('a { color: red; }\n', '[data-row]');
    await form(page).waitFor();
    const rule = await form(page).getByLabel('Category').inputValue();
    await page.keyboard.press('Escape');
    await paste('one line', '#search');

    expect(pasted).toEqual(['A *plan*', '# A *plan*\n', 'notes']);
    expect(script).toEqual(['set -e', '#!/bin/bash\nset -e\nls\n', 'bash-commands']);
    expect(rule).toBe('css');
    expect(await page.locator('#search').inputValue()).toBe('one line');
  });

  test('a double click puts the caret at its word, or into the title, and Ctrl+S saves', async () => {
    const [note] = await stage.add(draft({ title: 'Heading', content: 'one **two** three\n\nagain two\n' }));
    const page = await stage.showList({ query: `?note=${note?.id}` });

    await page.locator('.markdown strong').dblclick();
    await page.locator('.note-form [name=content]:focus').waitFor();
    await page.keyboard.type('not ');
    await page.keyboard.press('Control+s');
    await saved(page, 'Heading');
    await page.locator('#note-title').dblclick();
    await page.locator('.note-form [name=title]:focus').waitFor();

    expect(await stored(note?.id ?? 0)).toMatchObject({ content: 'one **not two** three\n\nagain two\n' });
  });

  test.each([
    ['n', 'title', ' at'],
    ['e', 'content', ' atSome content'],
  ])(
    'text typed after `%s` before the form is loaded runs no command, and goes into its %s',
    async (key, field, expected) => {
      const [note] = await stage.add(draft({ title: 'Early' }));
      const page = await stage.show();
      const load = await withoutParts(page);

      await page.keyboard.press(key);
      await page.keyboard.type(' a');
      await page.keyboard.press('Tab');
      await page.keyboard.type('t');
      await load();
      const control = page.locator(`.note-form [name=${field}]:focus`);
      await control.waitFor();
      await isKept(page);

      expect(await control.inputValue()).toBe(expected);
      expect((await stored(note?.id ?? 0)).archived).toBe(false);
    },
  );

  test('a changed title keeps the bytes of the text, and a changed line those of the others', async () => {
    const bytes = '\r\none\rtwo\r\nthree\n\tend\r\n';
    const [note] = await stage.add(draft({ title: 'Bytes', content: bytes }));
    if (!note) throw new Error('no note');
    const page = await stage.showList({ query: `?note=${note.id}` });

    await page.keyboard.press('e');
    await title(page).fill('Same bytes');
    await page.keyboard.press('Control+Enter');
    await saved(page, 'Same bytes');
    const { content: first } = await stored(note.id);
    await page.keyboard.press('e');
    await content(page).evaluate((area) => {
      if (area instanceof HTMLTextAreaElement) area.setSelectionRange(8, 8);
    });
    await content(page).focus();
    await page.keyboard.type('!');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.note-form').waitFor({ state: 'detached' });

    expect(first).toBe(bytes);
    expect((await stored(note.id)).content).toBe('\r\none\rtwo!\r\nthree\n\tend\r\n');
  });

  test('`d` opens the form of a new note with the fields of this one, which stays unchanged', async () => {
    const fields = draft({ title: 'Twice', content: 'a\r\nb', category: 'css', group: 'fourth', color: 'success' });
    const [note] = await stage.add(fields);
    const page = await stage.show({ query: `?note=${note?.id}` });

    await page.locator('.detail-body').click();
    await page.keyboard.press('d');
    await page.locator('.note-form [name=title]:focus').waitFor();
    await page.keyboard.press('Control+Enter');
    await saved(page, 'Twice');

    const [one, other, ...others] = await withTitle('Twice');
    expect([one, other]).toMatchObject([fields, fields]);
    expect(one?.id).not.toBe(other?.id);
    expect(others).toEqual([]);
  });

  test('a form without text is not sent, and says what is missing', async () => {
    const page = await stage.showList();
    await page.keyboard.press('n');
    await title(page).fill('No text');

    await page.keyboard.press('Control+Enter');

    await page.locator('textarea:focus:invalid').waitFor();
    expect(await withTitle('No text')).toEqual([]);
  });

  test('Esc before the form of a new note is loaded cancels it', async () => {
    await stage.add(draft({ title: 'Early' }));
    await using visit = await stage.visit();
    const { page } = visit;
    const load = await withoutParts(page);

    await page.keyboard.press('n');
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await load();
    await page.locator('.note-form [name=content]:focus').waitFor();

    expect(await title(page).inputValue()).toBe('Early');
  });
});

describe('16. States: what is saved', () => {
  test('two clicks on Save make one note, and text typed meanwhile is not lost', async () => {
    const page = await stage.showList();
    const answer = Promise.withResolvers<void>();
    await intercept(page, '**/api/notes', async (route) => {
      if (route.request().method() === 'POST') await answer.promise;
      await route.continue();
    });
    await begin(page, 'Once', 'first');

    await page.getByRole('button', { name: 'Save' }).dblclick();
    await form(page).getByText('Saving …').waitFor();
    await content(page).fill('first and more');
    await page.keyboard.press('Control+Enter');
    answer.resolve();
    await saved(page, 'Once');
    await isKept(page);
    const typed = await content(page).inputValue();
    const [first, ...others] = await withTitle('Once');
    await page.keyboard.press('Control+Enter');
    await page.locator('.note-form').waitFor({ state: 'detached' });

    expect([first?.content, typed, others]).toEqual(['first', 'first and more', []]);
    expect(await withTitle('Once')).toMatchObject([{ content: 'first and more' }]);
  });

  test('a note whose answer was lost is not sent again before it is known whether it was stored', async () => {
    const page = await stage.showList({ forgiven: /Failed to load resource/ });
    const busy = { status: 500, json: { error: 'Too many requests are waiting' } };
    let isBusy = false;
    await intercept(page, '**/api/notes', (route) =>
      isBusy && route.request().method() === 'GET' ? route.fulfill(busy) : lose(route),
    );
    await begin(page, 'Unknown', 'once');
    await page.keyboard.press('Control+Enter');
    await form(page).getByText('Draft, saved when the service is back').waitFor();
    isBusy = true;

    await page.keyboard.press('Control+Enter');
    await form(page).getByText('Not saved, or its answer was lost: Too many requests are waiting').waitFor();

    expect(await withTitle('Unknown')).toHaveLength(1);
  });

  test('a note whose answer was lost is updated, not stored twice, after more typing and a reload', async () => {
    const page = await stage.showList({ forgiven: /Failed to load resource/ });
    await intercept(page, '**/api/notes', lose);
    await begin(page, 'Lost', 'first');
    await page.keyboard.press('Control+Enter');
    await form(page).getByText('Draft, saved when the service is back').waitFor();
    await page.unroute('**/api/notes', lose);

    await content(page).fill('first and');
    await isKept(page);
    await page.waitForFunction(() => Object.values(localStorage).some((kept) => kept.includes('first and')));
    await page.reload();
    await page.getByRole('button', { name: 'Continue' }).click();
    await content(page).fill('first and more');
    await page.keyboard.press('Control+Enter');
    await saved(page, 'Lost');

    expect(await withTitle('Lost')).toMatchObject([{ content: 'first and more' }]);
  });

  test('a note answered after its form was closed is stored once, and leaves the next form alone', async () => {
    const page = await stage.showList();
    const answer = Promise.withResolvers<void>();
    await intercept(page, '**/api/notes', async (route) => {
      if (route.request().method() === 'POST') await answer.promise;
      await route.continue();
    });
    await begin(page, 'Late', 'x');

    await page.keyboard.press('Control+Enter');
    await form(page).getByText('Saving …').waitFor();
    await page.keyboard.press('Escape');
    await form(page).waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await title(page).waitFor();
    await page.keyboard.press('Control+Enter');
    const next = await title(page).inputValue();
    await title(page).fill('Next');
    answer.resolve();
    await saved(page, 'Late');

    expect([next, await title(page).inputValue()]).toEqual(['', 'Next']);
    expect(await withTitle('Late')).toHaveLength(1);
  });
});
