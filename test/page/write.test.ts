/** Notes are written and changed by keyboard alone, and nothing is stored twice or accidentally. */
import { describe, expect, test } from 'bun:test';
import type { Locator, Page, Route } from 'playwright-core';
import { createDraft } from '../support/sample-notes.ts';
import { readNoteBody, readNotesBody } from '../support/service.ts';
import { contentField, goOnByKeys, intercept, phone, reloadAndWait, row, useStage, withoutParts } from './visit.ts';

const stage = useStage();
const stored = (id: number) => readNoteBody(fetch(`${stage.service.url}/api/notes/${id}`));
const withTitle = async (title: string) =>
  (await readNotesBody(fetch(`${stage.service.url}/api/notes`))).filter((note) => note.title === title);

const focusedName = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('name'));
const title = (page: Page) => page.locator('.note-form [name=title]');
const content = (page: Page) => contentField(page);
const form = (page: Page) => page.locator('.note-form');
const isKept = (page: Page) => page.locator('.form-state', { hasText: /^Draft$/ }).waitFor();
const saved = (page: Page, title: string) => page.locator('.message', { hasText: `Saved “${title}”` }).waitFor();

const waitingRow = (page: Page) => page.getByRole('button', { name: 'Not sent yet' });

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
  test('code in a category of prose is edited as code, in the place, the letters and the colors of reading', async () => {
    const code = '# the area of a __class__\ndef area(r):\n    return 3 * r ** 2\n';
    const [note] = await stage.add(createDraft({ title: 'Area', category: 'notes', content: code }));
    const page = await stage.showList({ query: `?note=${note?.id}` });
    /** The place and the style of the first keyword. */
    const look = (keyword: Locator) =>
      keyword.evaluate((element) => {
        const { left, width } = element.getBoundingClientRect();
        const { fontFamily, fontSize, lineHeight, color } = getComputedStyle(element);
        return { text: element.textContent, left, width, fontFamily, fontSize, lineHeight, color };
      });
    const editedKeyword = content(page).editor.locator('.cm-line span', { hasText: /^def$/ });
    const read = await look(page.locator('.note-code .hljs-keyword').first());

    await page.keyboard.press('e');
    const edited = await look(editedKeyword);
    const decorated = await content(page).editor.locator('.cm-heading, strong').count();
    await content(page).fill('');
    await content(page).fill('Some words about a circle, which are no code.');
    await content(page).editor.locator('.cm-line[dir=auto]').first().waitFor();
    await content(page).fill(code);
    await editedKeyword.waitFor();

    expect(edited).toEqual(read);
    expect(decorated).toBe(0);
  });

  test('on a touch screen, a bar above the keyboard makes lists, tasks, code and bold words, undoes and redoes', async () => {
    const [note] = await stage.add(createDraft({ title: 'Shopping', category: 'notes', content: 'milk\ntea' }));
    await using visit = await stage.visit({
      query: `?note=${note?.id}`,
      viewport: phone,
      hasTouch: true,
      isMobile: true,
    });
    const { page } = visit;
    const bar = page.getByRole('toolbar', { name: 'Format' });
    const bottomOfBar = () => bar.evaluate((bar) => Math.round(bar.getBoundingClientRect().bottom));
    /** Taps a button with the caret at the end of the text, and returns what has become of it. */
    const tap = async (name: string) => {
      await bar.getByRole('button', { name }).tap();
      return content(page).inputValue();
    };
    await page.locator('#detail').getByRole('button', { name: 'Edit' }).tap();
    await content(page).text.tap();
    await bar.waitFor();
    const targets = await bar
      .getByRole('button')
      .evaluateAll((buttons) =>
        buttons
          .map((button) => button.getBoundingClientRect())
          .filter(({ width, height }) => width < 44 || height < 44),
      );
    await content(page).select(8);
    const texts = [await tap('List'), await tap('Task'), await tap('Undo'), await tap('Bold'), await tap('Undo')];
    texts.push(await tap('Redo'), await tap('Undo'));
    await content(page).select(0, 4);
    texts.push(await tap('Code'));
    const focused = await focusedName(page);

    const below = await bottomOfBar();
    await page.evaluate(() => {
      Object.defineProperty(visualViewport, 'height', { value: 400, configurable: true }); // as a keyboard makes it
      visualViewport?.dispatchEvent(new Event('resize'));
    });
    const aboveKeyboard = await bottomOfBar();
    await title(page).tap();
    await bar.waitFor({ state: 'hidden' });

    expect(targets).toEqual([]);
    expect(texts).toEqual([
      'milk\n- tea',
      'milk\n- [ ] tea',
      'milk\n- tea',
      'milk\n- tea****',
      'milk\n- tea',
      'milk\n- tea****',
      'milk\n- tea',
      '```\nmilk\n```\n- tea',
    ]);
    expect(focused).toBe('content');
    expect([below, aboveKeyboard]).toEqual([phone.height, 400]);
  });

  test('for a text that is code, the bar of a touch screen indents and outdents in place of the buttons of Markdown', async () => {
    const python = 'def area(r):\n    return 3 * r ** 2\n';
    const [note] = await stage.add(createDraft({ title: 'Area of Python', category: 'notes', content: python }));
    await using visit = await stage.visit({
      query: `?note=${note?.id}`,
      viewport: phone,
      hasTouch: true,
      isMobile: true,
    });
    const { page } = visit;
    const buttons = page.getByRole('toolbar', { name: 'Format' }).getByRole('button');
    const readNames = () => buttons.evaluateAll((all) => all.map((button) => button.getAttribute('aria-label')));
    await page.locator('#detail').getByRole('button', { name: 'Edit' }).tap();
    await content(page).text.tap();
    await buttons.first().waitFor();
    const namesForCode = await readNames();
    await content(page).select(0, python.length);
    await buttons.and(page.getByLabel('Indent', { exact: true })).tap();
    const indented = await content(page).inputValue();
    await buttons.and(page.getByLabel('Outdent')).tap();
    const outdented = await content(page).inputValue();
    await content(page).fill('');
    await content(page).fill('Some words about a circle, which are no code.');
    await buttons.and(page.getByLabel('Bold')).waitFor();

    expect(namesForCode).toEqual(['Outdent', 'Indent', 'Undo', 'Redo']);
    expect([indented, outdented]).toEqual(['  def area(r):\n      return 3 * r ** 2\n', python]);
    expect(await readNames()).toEqual(['List', 'Task', 'Code', 'Bold', 'Undo', 'Redo']);
  });

  test.each([phone, { width: 820, height: 1180 }])(
    'the first tap on a button beside the bar of a touch screen does what it says, %j',
    async (viewport) => {
      const [note] = await stage.add(createDraft({ title: 'Tapped', category: 'notes', content: 'stored' }));
      await using visit = await stage.visit({
        query: `?note=${note?.id}`,
        viewport,
        hasTouch: true,
        isMobile: true,
      });
      const { page } = visit;
      const bar = page.getByRole('toolbar', { name: 'Format' });
      const tapAfterTyping = async (name: string) => {
        await page.locator('#detail').getByRole('button', { name: 'Edit' }).tap();
        await content(page).text.tap();
        await page.keyboard.insertText('typed ');
        await isKept(page);
        await bar.waitFor();
        const box = await form(page).getByRole('button', { name, exact: true }).boundingBox();
        if (!box) throw new Error('no button');
        await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height - 8); // where a finger has seen it
        await form(page).waitFor({ state: 'detached' });
      };

      await tapAfterTyping('Discard');
      const discarded = await stored(note?.id ?? 0);
      await tapAfterTyping('Save');
      await saved(page, 'Tapped');

      expect(discarded.content).toBe('stored');
      expect((await stored(note?.id ?? 0)).content).toContain('typed ');
    },
  );

  test('a picture that is pasted into a text is not inserted, and a message says that there are none', async () => {
    const page = await stage.showList();
    await begin(page, 'With a picture', 'text');
    await content(page).text.evaluate((text) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array([0x89, 0x50])], 'image.png', { type: 'image/png' }));
      text.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, composed: true }));
    });
    await page.getByText('image.png: Notes keeps text; images cannot be stored').waitFor();

    expect(await content(page).inputValue()).toBe('text');
    expect(await title(page).inputValue()).toBe('With a picture');
  });

  test('no field of a form is covered while it has the focus, in windows of all sizes', async () => {
    const [note] = await stage.add(
      createDraft({ content: 'line\n'.repeat(40), category: 'bash-commands', group: 'second' }),
    );
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
    const [note] = await stage.add(createDraft({ title: 'Before, on two lines '.repeat(4), content: 'Some words' }));
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

    expect([edited.x, edited.y, edited.width]).toEqual([read.x, read.y, read.width]); // the title does not jump
    expect(edited.height).toBe(2 * 28); // two lines of 28 px
    expect(await stored(note.id)).toMatchObject({ title: 'After', content: note.content });
    await page.locator('#detail:has(.detail-body:focus)', { hasText: 'After' }).waitFor();
    await row(page, note).getByText('After').waitFor();
  });

  test('the row of an older note is still in sight when it is saved and goes to the top', async () => {
    const [old] = await stage.add(...Array.from({ length: 40 }, (_, index) => createDraft({ title: `Row ${index}` })));
    const page = await stage.showList();
    await page.locator('.scroller').evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await row(page, old ?? { id: 0 }).scrollIntoViewIfNeeded();
    await row(page, old ?? { id: 0 })
      .getByRole('link')
      .click();
    await goOnByKeys(page);
    await page.keyboard.press('e');
    await content(page).fill('changed');

    await page.keyboard.press('Control+Enter');
    await saved(page, 'Row 0');
    await page.locator('.row[aria-posinset="1"], [aria-posinset="1"]', { hasText: 'Row 0' }).waitFor();

    const [list, moved] = [
      await page.locator('.scroller').boundingBox(),
      await row(page, old ?? { id: 0 }).boundingBox(),
    ];
    expect(moved?.y).toBeGreaterThanOrEqual(list?.y ?? Number.NaN);
    expect(moved?.y).toBeLessThan((list?.y ?? 0) + (list?.height ?? 0));
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

  test('a text pasted into an empty form gets a title and a category, and Ctrl+Z takes all of it back', async () => {
    const page = await stage.showList();
    const category = form(page).getByLabel('Category');
    const shown = async () => [
      await title(page).inputValue(),
      await content(page).inputValue(),
      await category.inputValue(),
    ];
    const paste = async (text: string) => {
      await page.evaluate((text) => navigator.clipboard.writeText(text), text);
      await page.keyboard.press('Control+V');
    };
    await page.keyboard.press('n');

    await content(page).focus();
    await paste('import re\n\ndef slugify(text):\n    return f"{text} {{name}}"\n');
    const inText = await shown();
    await page.keyboard.press('Control+Z');
    const undone = await shown();
    await title(page).focus();
    await paste('git push --force\n');
    const inTitle = await shown();
    await page.keyboard.press('Control+Z');
    const undoneAgain = await shown();
    await category.selectOption('prompts');
    await content(page).focus();
    await paste('a {\n  color: red;\n}\n');

    expect([inText[0], inText[2]]).toEqual(['slugify', 'prompts']);
    expect(undone).toEqual(['', '', 'notes']);
    expect(inTitle).toEqual(['git push --force', '', 'bash-commands']);
    expect(undoneAgain).toEqual(['', '', 'notes']);
    expect(await shown()).toEqual(['a', 'a {\n  color: red;\n}\n', 'prompts']);
  });

  test('several lines pasted into an empty title become the text, which gets a title, and Ctrl+Z undoes that', async () => {
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
    expect(second[0]).toBe(long.slice(0, 100 - 1)); // whole words
    expect(second[1]).toBe(`${long}\nand more`);
    expect(await both()).toEqual(['Mineone two', second[1] ?? '']);
  });

  test('Tab and Shift+Tab indent the selected lines, Ctrl+Z undoes that, and F6 goes on', async () => {
    const page = await stage.showList();
    await begin(page, 'Indented', 'a {\nb\n\nc\n}');
    const texts: string[] = [];
    const press = async (key: string) => {
      await page.keyboard.press(key);
      texts.push(await content(page).inputValue());
    };

    await content(page).select(4, 8);
    await press('Tab');
    await press('Shift+Tab');
    await press('Control+Z');
    await press('Control+Z');
    await content(page).select(5);
    await press('Tab');
    await press('F6');

    const [plain, inside] = ['a {\nb\n\nc\n}', 'a {\n  b\n\n  c\n}'];
    expect(texts).toEqual([inside, plain, inside, plain, 'a {\nb  \n\nc\n}', 'a {\nb  \n\nc\n}']);
    expect(await focusedName(page)).toBe('category');
  });

  test('phones leave code as it is typed: in the search, and in the text of CSS and commands', async () => {
    const page = await stage.showList();
    const helps = (field: Locator) =>
      field.evaluate((field) =>
        ['autocapitalize', 'autocorrect', 'spellcheck'].map((name) => field.getAttribute(name) || null),
      );
    await page.keyboard.press('n');

    const prose = await helps(content(page).text);
    const code: unknown[] = [];
    for (const category of ['css', 'bash-commands']) {
      await page.locator('[name=category]').selectOption(category);
      code.push(await helps(content(page).text));
    }
    await page.locator('[name=category]').selectOption('prompts');

    expect(prose).toEqual(['sentences', 'on', 'true']);
    expect([...code, await helps(page.locator('#search'))]).toEqual(Array(3).fill(['off', 'off', 'false']));
    expect(await helps(content(page).text)).toEqual(prose);
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

  test('Enter in code that is typed by hand indents after a line that opens a block', async () => {
    const page = await stage.showList();
    await page.keyboard.press('n');
    await title(page).fill('Typed code');
    await content(page).focus();

    await page.keyboard.type('def shout(words):\nfor word in words:\nprint(word)\nreturn');

    expect(await content(page).inputValue()).toBe(
      'def shout(words):\n    for word in words:\n        print(word)\n        return',
    );
  });

  test('a text pasted outside of fields begins a note, and so do several lines in the search', async () => {
    await stage.add(createDraft());
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
    await page.keyboard.type('My plan');
    const named = await both();
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
    expect(named).toEqual(['My plan', '# A *plan*\n']); // in place of what was suggested
    expect(script).toEqual(['ls', '#!/bin/bash\nset -e\nls\n', 'bash-commands']);
    expect(rule).toBe('css');
    expect(await page.locator('#search').inputValue()).toBe('one line');
  });

  test('a line pasted into the search searches, and without a hit Enter opens a note with it that Ctrl+S saves', async () => {
    await stage.add(createDraft());
    const page = await stage.showList();
    const line = `kubectl get pods ${'-l app=qqzz '.repeat(100)}`;
    await page.evaluate((text) => navigator.clipboard.writeText(text), `${line}\n`);
    await page.locator('#search').focus();

    await page.keyboard.press('Control+V');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Enter');
    await form(page).waitFor();
    const name = await title(page).inputValue();
    await page.keyboard.press('Control+S');
    await saved(page, name);

    expect(name).toStartWith('kubectl get pods -l app=qqzz');
    expect(await withTitle(name)).toMatchObject([{ content: line.trim(), category: 'bash-commands' }]);
  });

  test('Ctrl+S saves and stays: who types on changes the text, also while the save is on its way, and can undo', async () => {
    const [note] = await stage.add(createDraft({ title: 'Habit', content: 'one' }));
    if (!note) throw new Error('no note');
    const page = await stage.showList({ query: `?note=${note.id}` });
    const gate = Promise.withResolvers<void>();
    await page.keyboard.press('e');
    await content(page).select(3);

    await page.keyboard.type(' two');
    await page.keyboard.press('Control+S');
    await saved(page, 'Habit');
    await page.locator('.form-state', { hasText: /^Draft$/ }).waitFor({ state: 'detached' });
    const first = await stored(note.id);
    await intercept(page, '**/api/notes/*', async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.keyboard.type(' and');
    await page.keyboard.press('Control+S');
    await page.locator('.form-state', { hasText: 'Saving' }).waitFor();
    await page.keyboard.type(' again');
    const answered = page.waitForResponse('**/api/notes/*');
    gate.resolve();
    await answered;
    await isKept(page);
    const second = await stored(note.id);
    const shown = await content(page).inputValue();
    for (let step = 0; step < 3; step++) await page.keyboard.press('Control+Z');
    const undone = await content(page).inputValue();
    await page.keyboard.press('Control+Enter');
    await form(page).waitFor({ state: 'detached' });

    expect([first.content, second.content, shown]).toEqual(['one two', 'one two and', 'one two and again']);
    expect(undone.length).toBeLessThan('one two'.length);
    expect(await stored(note.id)).toMatchObject({ content: undone, archived: false });
  });

  test('Ctrl+S makes a new note a stored one that is still edited, at its own address', async () => {
    const page = await stage.showList();
    await begin(page, 'Begun', 'one');
    await page.keyboard.type(' two');

    await page.keyboard.press('Control+S');
    await saved(page, 'Begun');
    await page.waitForURL(/note=\d+/);
    const { id } = (await withTitle('Begun'))[0] ?? { id: 0 };
    await page.keyboard.type('!');
    await isKept(page);
    const focused = await focusedName(page);
    await page.keyboard.press('Control+Z');
    await page.keyboard.press('Control+Z');
    const undone = await content(page).inputValue();
    await page.keyboard.type(' three');
    await page.keyboard.press('Control+S');
    await page.locator('.form-state', { hasText: /^Draft$/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.locator('.detail-body:focus', { hasText: 'three' }).waitFor();
    const kept = await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('notes.draft')));

    expect(page.url()).toBe(`${stage.service.url}/?note=${id}`);
    expect(focused).toBe('content');
    expect(undone.length).toBeLessThan('one two'.length);
    expect(await withTitle('Begun')).toMatchObject([{ id, content: `${undone} three` }]);
    expect(kept).toEqual([]);
  });

  test('a title alone that Ctrl+S stores leaves the text empty, for what is typed next', async () => {
    const page = await stage.showList();
    await page.keyboard.press('n');
    await title(page).fill('Title first');

    await page.keyboard.press('Control+S');
    await saved(page, 'Title first');
    await page.waitForURL(/note=\d+/);
    await content(page).focus();
    const isChanged = await form(page).getByRole('button', { name: 'Discard' }).count();
    await page.keyboard.type('then the text');
    await page.keyboard.press('Control+Enter');
    await form(page).waitFor({ state: 'detached' });

    expect(isChanged).toBe(0);
    expect(await withTitle('Title first')).toMatchObject([{ content: 'then the text' }]);
  });

  test('the Undo of a save takes it back in the form that is still open', async () => {
    const [note] = await stage.add(createDraft({ title: 'Taken back', content: 'one' }));
    if (!note) throw new Error('no note');
    const page = await stage.showList({ query: `?note=${note.id}` });
    await page.keyboard.press('e');
    await content(page).fill('two');
    await page.keyboard.press('Control+S');
    await saved(page, 'Taken back');

    await page.locator('.message').getByRole('button', { name: 'Undo' }).click();
    await page.locator('.message', { hasText: 'Undone' }).waitFor();

    expect(await content(page).inputValue()).toBe('one');
    expect((await stored(note.id)).content).toBe('one');
  });

  test('typed words that nothing has are the title of a new note, and the caret is in its text', async () => {
    await stage.add(createDraft());
    const page = await stage.showList();
    await page.evaluate(() => navigator.clipboard.writeText('zzqq kubectl'));
    await page.locator('#search').focus();
    await page.keyboard.press('Control+V');

    await page.keyboard.type(' xy');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.note-form [name=content]:focus').waitFor();
    await page.keyboard.type('hello');

    expect([await title(page).inputValue(), await content(page).inputValue()]).toEqual(['zzqq kubectl xy', 'hello']);
  });

  test('a double click selects its word in the text, or puts the caret into the title', async () => {
    const [note] = await stage.add(createDraft({ title: 'Heading', content: 'one **two** three\n\nagain two\n' }));
    const page = await stage.showList({ query: `?note=${note?.id}` });

    await page.locator('.markdown strong').dblclick();
    await page.locator('.note-form [name=content]:focus').waitFor();
    await page.keyboard.type('2');
    await page.keyboard.press('Control+Enter');
    await saved(page, 'Heading');
    await page.locator('#note-title').dblclick();
    await page.locator('.note-form [name=title]:focus').waitFor();

    expect(await stored(note?.id ?? 0)).toMatchObject({ content: 'one **2** three\n\nagain two\n' });
  });

  test.each([
    ['n', 'title', ' at'],
    ['e', 'content', ' atSome content'],
  ])(
    'text typed after `%s` before the form is loaded runs no command, and goes into its %s',
    async (key, field, expected) => {
      const [note] = await stage.add(createDraft({ title: 'Early' }));
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
    const [note] = await stage.add(createDraft({ title: 'Bytes', content: bytes }));
    if (!note) throw new Error('no note');
    const page = await stage.showList({ query: `?note=${note.id}` });

    await page.keyboard.press('e');
    await title(page).fill('Same bytes');
    await page.keyboard.press('Control+Enter');
    await saved(page, 'Same bytes');
    const { content: first } = await stored(note.id);
    await page.keyboard.press('e');
    await content(page).select(8);
    await content(page).focus();
    await page.keyboard.type('!');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.note-form').waitFor({ state: 'detached' });

    expect(first).toBe(bytes);
    expect((await stored(note.id)).content).toBe('\r\none\rtwo!\r\nthree\n\tend\r\n');
  });

  test('`d` opens the form of a new note with the fields of this one, which stays unchanged', async () => {
    const fields = createDraft({
      title: 'Twice',
      content: 'a\r\nb',
      category: 'css',
      group: 'fourth',
      color: 'success',
    });
    const [note] = await stage.add(fields);
    const page = await stage.show({ query: `?note=${note?.id}` });

    await page.locator('.detail-body').click();
    await goOnByKeys(page);
    await page.keyboard.press('d');
    await page.locator('.note-form [name=title]:focus').waitFor();
    await page.keyboard.press('Control+Enter');
    await saved(page, 'Twice');

    const [one, other, ...others] = await withTitle('Twice');
    expect([one, other]).toMatchObject([fields, fields]);
    expect(one?.id).not.toBe(other?.id);
    expect(others).toEqual([]);
  });

  test('a color that only a later version of the service knows is shown, and stays when the note is edited', async () => {
    const [note] = await stage.add(createDraft({ title: 'Later', color: 'accent' }));
    const page = await stage.showList();
    let sent: unknown;
    await intercept(page, /\/api\/notes(\?.*|\/\d+)?$/, async (route) => {
      if (route.request().method() === 'PUT') sent = route.request().postDataJSON();
      const response = await route.fetch({
        postData: route.request().postData()?.replace('light-pink', 'accent') ?? '',
      });
      const body = (await response.text()).replaceAll('"accent"', '"light-pink"');
      await route.fulfill({ status: response.status(), contentType: 'application/json', body });
    });
    await page.goto(`${stage.service.url}/?note=${note?.id}`);

    const said = await page.locator(`[data-row="${note?.id}"]`).textContent();
    await page.getByRole('button', { name: 'Color: light-pink' }).waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const chosen = await page.locator('.note-form [name=color]').inputValue();
    await title(page).fill('Edited');
    await title(page).press('Control+Enter');
    await saved(page, 'Edited');

    expect(said).toContain('color light-pink');
    expect(chosen).toBe('light-pink');
    expect(sent).not.toMatchObject({ color: 'primary' });
  });

  test('a form without title and text is not sent, says so beside the text, and a title alone is a note', async () => {
    const page = await stage.showList();
    await page.keyboard.press('n');
    await title(page).waitFor();

    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByText('Write a title or a text first').waitFor();
    const focused = await focusedName(page);
    await title(page).fill('Only a title');
    const isStillSaid = await page.getByText('Write a title or a text first').count();
    await page.keyboard.press('Control+Enter');
    await saved(page, 'Only a title');

    expect([focused, isStillSaid]).toEqual(['content', 0]);
    expect(await withTitle('Only a title')).toMatchObject([{ content: 'Only a title' }]);
  });

  test('the text area that stands in for the editor keeps what is typed or composed, until it is left', async () => {
    const [note] = await stage.add(createDraft({ title: 'Stand-in', content: 'words' }));
    await using visit = await stage.visit({ query: `?note=${note?.id}` });
    const { page, context } = visit;
    const ime = await context.newCDPSession(page);
    const gate = Promise.withResolvers<void>();
    await intercept(page, '**/assets/chunk-*.js', async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      if (text.includes('content-editor"') && text.includes('attachInternals')) await gate.promise;
      await route.fulfill({ response, body: text });
    });
    await reloadAndWait(page);
    await page.locator('.detail-body').focus();
    await page.keyboard.press('e');
    const area = page.locator('textarea[name=content]');
    await area.and(page.locator(':focus')).waitFor();

    await ime.send('Input.imeSetComposition', { text: 'か', selectionStart: 1, selectionEnd: 1 });
    gate.resolve();
    await page.waitForFunction(() => customElements.get('content-editor') !== undefined);
    await ime.send('Input.insertText', { text: '仮' });
    await page.keyboard.type('!');
    const whileTyping = await area.inputValue();
    await title(page).focus();
    const after = await content(page).inputValue();
    await content(page).focus();
    await page.keyboard.press('Control+Z');

    expect([whileTyping, after]).toEqual(['仮!words', '仮!words']);
    expect(await content(page).inputValue()).toBe('words');
  });

  test('Ctrl+F finds text of the note that is out of sight, and Esc ends the search before the form', async () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}`).join('\n');
    const [note] = await stage.add(createDraft({ title: 'Long', content: `${lines}\nneedle here` }));
    const page = await stage.showList({ query: `?note=${note?.id}` });
    await page.keyboard.press('e');
    await content(page).focus();

    await page.keyboard.press('Control+F');
    const panel = page.locator('content-editor .cm-search');
    await panel.waitFor();
    const words = await panel.locator('button, label').allInnerTexts();
    await page.keyboard.type('needle');
    await page.keyboard.press('Enter');
    const found = page.locator('content-editor .cm-line', { hasText: 'needle here' });
    await found.waitFor();
    const box = await found.boundingBox();
    await page.keyboard.press('Escape');
    await page.locator('content-editor .cm-search').waitFor({ state: 'detached' });
    const isOpen = await form(page).count();
    await page.keyboard.type('!');

    expect(words.slice(0, 6)).toEqual(['Next', 'Previous', 'All', 'Match case', 'Regular expression', 'Whole words']);
    expect(words.slice(6, 8)).toEqual(['Replace', 'Replace all']);
    expect(box?.y).toBeWithin(0, 900);
    expect(isOpen).toBe(1);
    expect((await content(page).inputValue()).endsWith('! here')).toBe(true); // in place of what was found
  });

  test('an input method composes in the editor, and the Esc that ends a composition stays in the form', async () => {
    await using visit = await stage.visitList();
    const { page, context } = visit;
    const ime = await context.newCDPSession(page);
    await begin(page, 'Composed', '# ');

    await ime.send('Input.imeSetComposition', { text: 'か', selectionStart: 1, selectionEnd: 1 });
    await ime.send('Input.imeSetComposition', { text: 'かな', selectionStart: 2, selectionEnd: 2 });
    await ime.send('Input.insertText', { text: '仮名' });
    const composed = await content(page).inputValue();
    await ime.send('Input.imeSetComposition', { text: 'も', selectionStart: 1, selectionEnd: 1 });
    await page.keyboard.press('Escape');
    const isOpen = await form(page).count();
    await ime.send('Input.insertText', { text: '' });
    await page.keyboard.type('!');
    await page.keyboard.press('Control+Enter');
    await saved(page, 'Composed');

    expect([composed, isOpen]).toEqual(['# 仮名', 1]);
    expect(await withTitle('Composed')).toMatchObject([{ content: '# 仮名!' }]);
  });

  test('a megabyte can be edited: a key is shown within a quarter of a second', async () => {
    const line = 'Some **bold** words, `code` and a [link](https://a.example) in a line of text.\n';
    const [note] = await stage.add(createDraft({ title: 'Large', content: line.repeat(13_000) }));
    const page = await stage.showList({ query: `?note=${note?.id}` });
    await page.keyboard.press('e');
    await content(page).focus();

    const times: number[] = [];
    for (const key of 'typed') {
      times.push(
        await content(page).text.evaluate(async (text, key) => {
          const since = performance.now();
          text.ownerDocument.execCommand('insertText', false, key);
          await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
          return performance.now() - since;
        }, key),
      );
    }

    expect(await content(page).inputValue()).toStartWith('typedSome **bold**');
    expect(times.toSorted((one, other) => one - other)[2]).toBeLessThan(250);
  });

  test('Esc before the form of a new note is loaded cancels it', async () => {
    await stage.add(createDraft({ title: 'Early' }));
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

  test('Ctrl+S while the service is away leaves the form open, which is saved once the service is back', async () => {
    const [note] = await stage.add(createDraft({ title: 'Away', content: 'one' }));
    if (!note) throw new Error('no note');
    const page = await stage.showList({ query: `?note=${note.id}`, forgiven: /Failed to load resource/ });
    await page.keyboard.press('e');
    await content(page).fill('two');
    await page.context().setOffline(true);
    await page.getByText('The service does not answer').waitFor();

    await page.keyboard.press('Control+S');
    await page.locator('.form-state', { hasText: 'saved when the service is back' }).waitFor();
    await page.context().setOffline(false);
    await saved(page, 'Away');
    await page.locator('.form-state', { hasText: 'Draft' }).waitFor({ state: 'detached' });
    await page.keyboard.type('!');

    expect((await stored(note.id)).content).toBe('two');
    expect(await content(page).inputValue()).toBe('two!');
  });

  test('a note whose answer was lost is not sent again before it is known whether it was stored', async () => {
    const page = await stage.showList({ forgiven: /Failed to load resource/ });
    const busy = { status: 500, json: { error: 'Too many requests are waiting' } };
    let isBusyError = false;
    await intercept(page, '**/api/notes', (route) =>
      isBusyError && route.request().method() === 'GET' ? route.fulfill(busy) : lose(route),
    );
    await begin(page, 'Unknown', 'once');
    await page.keyboard.press('Control+Enter');
    await waitingRow(page).waitFor();
    isBusyError = true;

    await waitingRow(page).click();
    await content(page).editor.waitFor();
    await page.keyboard.press('Control+Enter');
    await form(page).getByText('Not saved, or its answer was lost: Too many requests are waiting').waitFor();

    expect(await withTitle('Unknown')).toHaveLength(1);
  });

  test('the arrows leave a new note that was begun from a search, unless something was typed', async () => {
    await stage.add(createDraft({ title: 'Older' }), createDraft({ title: 'Newest' }));
    const page = await stage.show();
    const beginFromSearch = async () => {
      await page.locator('#search').fill('xqzxqz');
      await page.locator('.nothing-found').waitFor();
      await page.locator('#search').press('Enter');
      await form(page).waitFor();
    };
    await beginFromSearch();
    await page.locator('#search').fill('');
    await page.locator('.row').nth(1).waitFor();

    await page.locator('#search').press('ArrowDown');
    await page.locator('#note-title', { hasText: 'Older' }).waitFor();
    await beginFromSearch();
    await title(page).fill('Typed over it');
    await page.locator('#search').fill('');
    await page.locator('.row').nth(1).waitFor();
    await page.locator('#search').press('ArrowDown');

    await page.locator('.at-cursor', { hasText: 'Older' }).waitFor();
    expect(await title(page).inputValue()).toBe('Typed over it');
  });

  test('a note whose answer was lost is updated, not stored twice, after more typing and a reload', async () => {
    const page = await stage.showList({ forgiven: /Failed to load resource/ });
    await intercept(page, '**/api/notes', lose);
    await begin(page, 'Lost', 'first');
    await page.keyboard.press('Control+Enter');
    await waitingRow(page).waitFor();
    await waitingRow(page).click();
    await content(page).editor.waitFor();
    await page.unroute('**/api/notes', lose);

    await content(page).fill('first and');
    await isKept(page);
    await page.waitForFunction(() => Object.values(localStorage).some((kept) => kept.includes('first and')));
    await page.reload();
    await page.locator('.draft-row', { hasText: 'Lost' }).getByRole('button').first().click();
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
