/** A copy is byte for byte what is stored, on every host; it is announced, and asks for the values of placeholders. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Note } from '../../src/core/note.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  clipboard,
  intercept,
  leaveSearch,
  phone,
  row,
  titles,
  untilListIsCached,
  useStage,
  type VisitOptions,
} from './visit.ts';

const stage = useStage();

const texts = {
  tabs: '\tone\t\ttwo\n\t',
  'line ends of all kinds': 'unix\nwindows\r\nmac\rend\r',
  'blank lines at both ends': '\n\n  text \n\n',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301 é \u{1F9D1}\u{1F3FD}',
  'right to left': 'שלום \u202eabc\u202c مرحبا\u200f\u2066x\u2069',
  'blanks of all kinds': 'a\u00a0b\u2003c\u200bd\ufeff \v\f\u2028\u2029\u0085',
  controls: 'a\u0001b\u001b[31mred\u007f',
  'what HTML would take': '<b>&amp; &lt;</b>',
  'a megabyte': `${'0123456789abcde\n'.repeat(65_536)}end`,
};

/** A host other than localhost, where the clipboard API is missing without TLS. */
const elsewhere = (): VisitOptions => ({ proxy: { server: stage.service.url }, url: 'http://192.0.2.1' });

const hosts = { 'on this host': () => ({}), 'on plain http from another host': elsewhere };

/** Waits for a message. */
const said = (page: Page, text: string) =>
  page.getByRole('log', { name: 'Messages' }).getByText(text, { exact: true }).waitFor();

/** The field of a placeholder. */
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

describe('8. Copy', () => {
  test.each(Object.entries(hosts))(
    'is byte-exact, keeps the focus, and selects the words for the next search, also behind a dialog, %s',
    async (_, options) => {
      await using reader = await stage.visit();
      const notes = await stage.add(
        ...Object.entries(texts).map(([title, content]) => createDraft({ title, content })),
        createDraft({ title: 'zebra', content: 'stripes' }),
        createDraft({ title: 'gnu', content: 'Hello {{name}}' }),
      );
      await using opened = await stage.visit(options());
      const { page } = opened;
      const search = page.locator('#search');

      const copied: Record<string, string> = {};
      for (const note of notes.slice(0, Object.keys(texts).length)) {
        await row(page, note).hover();
        await row(page, note).getByRole('button').click();
        await said(page, `Copied “${note.title}”`);
        copied[note.title] = await clipboard(reader.page);
      }
      await search.fill('zebra');
      await page.keyboard.press('Enter');
      await said(page, 'Copied “zebra”');
      const first = await clipboard(reader.page);
      const selected = await search.evaluate((box) =>
        box instanceof HTMLInputElement ? [box.selectionStart, box.selectionEnd, box === document.activeElement] : [],
      );
      await page.keyboard.type('/gnu');
      await page.keyboard.press('Enter');
      await field(page, 'name').waitFor();
      await page.keyboard.type('World');
      await page.keyboard.press('Enter');
      await said(page, 'Copied “gnu”');

      expect(copied['a megabyte'] === texts['a megabyte']).toBe(true);
      expect(copied).toEqual(texts);
      expect(await page.evaluate(() => isSecureContext)).toBe(options === hosts['on this host']);
      expect([first, await clipboard(reader.page)]).toEqual(['stripes', 'Hello World']);
      expect(selected).toEqual([0, 5, true]);
      await page.locator('#search:focus').waitFor();
    },
  );

  test('is announced in an existing live region, each time anew, and so is a failure', async () => {
    await stage.add(createDraft({ title: 'okapi' }));
    const page = await stage.show();
    const region = page.getByRole('log', { name: 'Messages' });
    await region.evaluate((element) => {
      const texts: string[] = [];
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes) for (const node of addedNodes) texts.push(node.textContent ?? '');
        document.body.dataset['said'] = texts.join('|');
      }).observe(element, { childList: true });
    });

    await page.keyboard.press('Enter');
    await said(page, 'Copied “okapi”');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.body.dataset['said']?.includes('|'));
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException('refused', 'NotAllowedError'));
      document.execCommand = () => false;
    });
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('Not copied').waitFor();

    expect(await region.getAttribute('aria-live')).toBe('polite');
    expect(await page.locator('body').getAttribute('data-said')).toMatch(
      /^Copied “okapi”\|Copied “okapi”\|Not copied: [^|]+$/,
    );
  });
});

describe('12. Commands', () => {
  test('for commands Enter and the button copy what runs, Shift+Enter the bytes, and the message says which', async () => {
    const content = '$ git add {{file}} \\\n>   --verbose\n# all of them\n$ git status\n';
    const [note] = await stage.add(createDraft({ title: 'gibbon', content, category: 'bash-commands' }));
    const page = await stage.show({ query: `?q=gibbon` });

    await page.keyboard.press('Shift+Enter');
    await said(page, 'Copied “gibbon” byte for byte');
    const exact = await clipboard(page);
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'file' }).fill('a.txt');
    await page.keyboard.press('Enter');
    await said(page, 'Copied “gibbon”, without prompts');
    const runs = await clipboard(page);
    await page.locator('#detail').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: /byte for byte|exactly/ }).click();
    await page.waitForFunction(async (content) => (await navigator.clipboard.readText()) === content, content);
    await page.locator('.note-code').selectText();
    await page.keyboard.press('Control+C');
    const byHand = await clipboard(page);
    const prompts = await page.locator('.note-code .prompt').allInnerTexts();

    expect(note?.content).toBe(content);
    expect(exact).toBe(content);
    expect(runs).toBe('git add a.txt \\\n  --verbose\n# all of them\ngit status');
    expect(prompts).toEqual(['$ ', '> ', '$ ']);
    expect(byHand.trimEnd()).toBe('git add {{file}} \\\n  --verbose\n# all of them\ngit status');
  });

  test('a command without prompts loses only its last line break, and other notes lose nothing', async () => {
    await stage.add(
      createDraft({ title: 'tarsier', content: 'ls\n', category: 'bash-commands' }),
      createDraft({ title: 'loris', content: '$ ls\n', category: 'notes' }),
    );
    const page = await stage.show();

    await page.keyboard.type('tarsier');
    await page.keyboard.press('Enter');
    await said(page, 'Copied “tarsier” without its last line end');
    const command = await clipboard(page);
    await page.locator('#search').fill('loris');
    await page.keyboard.press('Enter');
    await said(page, 'Copied “loris”');

    expect([command, await clipboard(page)]).toEqual(['ls', '$ ls\n']);
  });
});

describe('9. Used often', () => {
  test('notes copied often and lately come first without a search, and rows do not move while in view', async () => {
    const drafts = ['civet rare', 'civet often', 'civet old', 'civet new'].map((title) => createDraft({ title }));
    const notes = await stage.add(...drafts);
    const page = await stage.show();
    const firsts = async () => (await titles(page)).slice(0, 3);
    const longAgo = Date.now() / (7 * 24 * 3_600_000) - 3;
    await page.evaluate(
      (kept) => localStorage.setItem('notes.copied:/', kept),
      JSON.stringify([[notes[2]?.id, longAgo], 'not a score', [999_999, longAgo + 9]]),
    );
    await page.reload();
    await page.locator('.row').first().waitFor();
    const copy = async (note: Note | undefined) => {
      await page.locator(`[data-row="${note?.id}"]`).focus();
      await page.keyboard.press('Enter');
      await said(page, `Copied “${note?.title}”`);
      await page.getByRole('log').getByText('Copied').waitFor({ state: 'detached' });
    };

    const before = await firsts();
    for (const index of [0, 1, 1]) await copy(notes[index]);
    const meanwhile = await firsts();
    await page.locator('#search').fill('civet');
    const found = await firsts();
    await page.locator('#search').fill('');
    const after = await firsts();
    await page.reload();
    await page.locator('.row').first().filter({ hasText: 'civet often' }).waitFor(); // the first notes are not in this order

    expect(meanwhile).toEqual(before);
    expect(before).toEqual(['civet new', 'civet old', 'civet often']);
    expect(found).toEqual(['civet new', 'civet old', 'civet often']);
    expect(after).toEqual(['civet often', 'civet rare', 'civet new']);
    expect(await firsts()).toEqual(after);
  });
});

describe('9. Blocks and placeholders', () => {
  test('the words in the search are selected after a copy with values, as after one without', async () => {
    await stage.add(createDraft({ title: 'okapi', content: 'Hello {{name}}' }));
    const page = await stage.show();

    await page.keyboard.type('okapi');
    await page.keyboard.press('Enter');
    await field(page, 'name').fill('Ann');
    await page.keyboard.press('Enter');
    await said(page, 'Copied “okapi”');
    await page.locator('#search:focus').waitFor();
    await page.keyboard.type('next');

    expect(await page.locator('#search').inputValue()).toBe('next');
    expect(await clipboard(page)).toBe('Hello Ann');
  });

  test('every fenced block has its own Copy button, which also asks for its values', async () => {
    const content = 'Text\n\n```bash\n$ echo "<b>"\tx  \n\n$ ls\n```\n\n~~~\nssh {{host}}\n~~~\n';
    const [note] = await stage.add(createDraft({ title: 'blocks', content, category: 'prompts' }));
    const page = await stage.show({ query: `?note=${note?.id}` });
    const buttons = page.getByRole('button', { name: /^Copy code/ });
    await buttons.nth(1).waitFor();

    await buttons.nth(0).click();
    await said(page, 'Copied the block, without prompts');
    const first = await clipboard(page);
    await buttons.nth(0).click({ modifiers: ['Shift'] });
    await said(page, 'Copied the block byte for byte');
    const exact = await clipboard(page);
    await buttons.nth(1).click();
    await page.getByRole('textbox', { name: 'host' }).fill('mars');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    expect(await buttons.count()).toBe(2);
    expect(first).toBe('echo "<b>"\tx  \n\nls');
    expect(exact).toBe('$ echo "<b>"\tx  \n\n$ ls');
    await page.waitForFunction(async () => (await navigator.clipboard.readText()).trim() === 'ssh mars');
  });

  test('the date and the text in the clipboard are filled in from the start, and a name may have spaces', async () => {
    await stage.add(createDraft({ title: 'quote', content: '{{target language}}: {{clipboard}}, {{date}}' }));
    const page = await stage.show();
    await page.evaluate(() => navigator.clipboard.writeText('from elsewhere'));

    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Preview' }).getByText('from elsewhere').waitFor();
    await field(page, 'target language').fill('Go');
    await page.keyboard.press('Enter');
    await said(page, 'Copied “quote”');

    expect(await clipboard(page)).toMatch(/^Go: from elsewhere, \d{4}-\d\d-\d\d$/);
  });

  test('a default after a colon is copied as it is, and the page says how defaults are written', async () => {
    const content = 'Review {{code}} for {{focus:correctness}}';
    await stage.add(createDraft({ title: 'asked', content }));
    const page = await stage.show();

    await page.keyboard.press('Enter');
    await field(page, 'code').fill('x');
    await page.getByRole('dialog').getByText('{{focus=correctness}}').waitFor();
    await page.keyboard.press('Enter');
    await said(page, 'Copied “asked”');
    const filled = await clipboard(page);
    await stage.add(createDraft({ title: 'unasked', content: 'Review for {{focus:speed}}' }));
    await page.locator('[data-title]', { hasText: 'unasked' }).waitFor();
    await page.locator('#search').fill('unasked');
    await page.keyboard.press('Enter');

    await said(page, 'Copied “unasked” with {{focus:speed}} as it is: a default is written {{focus=speed}}');
    expect(filled).toBe('Review x for {{focus:correctness}}');
  });

  test('below Copy, the text can be copied without filling in', async () => {
    await stage.add(createDraft({ title: 'unfilled', content: 'Dear {{name}}, {{rest=x}}' }));
    const page = await stage.show();

    await page.keyboard.press('Enter');
    await field(page, 'name').fill('Ann');
    await page.getByRole('button', { name: 'Copy without filling in' }).click();
    await said(page, 'Copied “unfilled”');

    expect(await clipboard(page)).toBe('Dear {{name}}, {{rest=x}}');
  });

  test('values are asked for, the first one focused; Esc copies nothing, line breaks are kept, an empty value warns', async () => {
    await stage.add(
      createDraft({ title: 'letter', content: `Dear {{ name }},\r\n{{text}}\n{{text}} {{rest}} $& \${{ ci }}` }),
    );
    const page = await stage.show();
    const preview = page.getByRole('region', { name: 'Preview' });
    await page.evaluate(() => navigator.clipboard.writeText('before'));

    await page.keyboard.press('Enter');
    await field(page, 'name').press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const afterEsc = await clipboard(page);
    await page.keyboard.press('Enter');
    await field(page, 'name').waitFor();
    await page.keyboard.type('Ann');
    await page.keyboard.press('Tab');
    await page.keyboard.type('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('$1');
    const previewed = await preview.textContent();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('1 blank stays as it is. Enter again copies.').waitFor();
    await page.keyboard.type('.');
    await page.getByRole('status').getByText('Shift+Enter starts a new line').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copy anyway' }).click();
    await said(page, 'Copied “letter”');

    expect(afterEsc).toBe('before');
    expect(await clipboard(page)).toBe(`Dear Ann,\r\none\n$1.\none\n$1. {{rest}} $& \${{ ci }}`);
    expect(previewed).toBe(`Dear Ann,\r\none\n$1\none\n$1 {{rest}} $& \${{ ci }}`);
  });

  test('on a phone Enter starts a new line in a value, and the wide Copy button copies', async () => {
    await stage.add(createDraft({ title: 'memo', content: 'Dear {{name}}: {{rest}}' }));
    await using visit = await stage.visit({ viewport: phone, hasTouch: true, isMobile: true });
    const { page } = visit;
    const copy = page.getByRole('button', { name: 'Copy', exact: true });
    const unfilled = page.getByRole('button', { name: 'Copy without filling in' });

    await page.getByRole('button', { name: 'Copy memo' }).tap();
    await field(page, 'name').tap();
    const hint = await field(page, 'name').getAttribute('enterkeyhint');
    await page.keyboard.type('Ann');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Ben');
    const typed = await field(page, 'name').inputValue();
    const [copyBox, unfilledBox] = [await copy.boundingBox(), await unfilled.boundingBox()];
    await copy.tap();
    await page.getByRole('status').getByText('1 blank stays as it is.').waitFor();
    await page.getByRole('button', { name: 'Copy anyway' }).tap();
    await said(page, 'Copied “memo”');

    expect(hint).toBe('enter');
    expect(typed).toBe('Ann\nBen');
    expect(await clipboard(page)).toBe('Dear Ann\nBen: {{rest}}');
    expect(copyBox?.y).toBe(unfilledBox?.y);
    expect(copyBox?.width).toBeGreaterThan(100);
  });

  test('defaults are filled in, choices are selected, and an empty value means the default', async () => {
    const content = '{{to=Ann}} {{tone=formal|casual}} {{city=|Ulm|Bonn|Bern|Graz|Linz|Genf}} {{note=}} {{ps=bye}}';
    await stage.add(createDraft({ title: 'defaults', content }));
    const page = await stage.show();

    await page.keyboard.press('Enter');
    await field(page, 'to').waitFor();
    const first = await field(page, 'to').inputValue();
    await page.keyboard.type('Bob');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('combobox', { name: 'city' }).selectOption('Bern');
    await field(page, 'ps').fill('');
    await page.keyboard.press('Enter');
    await said(page, 'Copied “defaults”');

    expect([first, await clipboard(page)]).toEqual(['Ann', 'Bob casual Bern  bye']);
  });

  test('the last value is suggested, and accepted by the up arrow; a secret one is not kept', async () => {
    await stage.add(createDraft({ title: 'login', content: '{{user}} {{api_key}} {{role=guest|admin}}' }));
    const page = await stage.show();
    const open = async () => {
      await page.keyboard.press('Enter');
      await field(page, 'user').waitFor();
    };

    await open();
    await page.keyboard.type('ann');
    await field(page, 'api_key').fill('s3cret');
    await page.getByRole('radio', { name: 'admin' }).check();
    await page.keyboard.press('Enter');
    await said(page, 'Copied “login”');
    await page.reload();
    await page.locator('#count').waitFor();
    await open();
    const empty = await field(page, 'user').inputValue();
    await page.keyboard.press('ArrowUp');
    const taken = [await field(page, 'user').inputValue(), await field(page, 'api_key').inputValue()];
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage }));

    expect([empty, ...taken]).toEqual(['', 'ann', '']);
    expect(await page.getByRole('radio', { name: 'admin' }).isChecked()).toBe(true);
    expect(kept).toContain('ann');
    expect(kept).not.toContain('s3cret');
  });
});

describe('16. States: a part of the page cannot be loaded', () => {
  const missing = (page: Page) => page.getByRole('log').locator('.message', { hasText: 'could not be loaded' });

  test('notes are then plain text, with a message, and Reload brings the blocks that can be copied', async () => {
    const content = 'Text\n\n```bash\nls\n```\n';
    const [note] = await stage.add(createDraft({ title: 'unloaded', content, category: 'prompts' }));
    const page = await stage.show({ forgiven: /Failed to load resource/ });
    const part = '**/assets/render-worker-*.js';
    await intercept(page, part, (route) => route.abort());

    await page.goto(`${stage.service.url}/?note=${note?.id}`);
    await missing(page).waitFor();
    const shown = await page.locator('.note-text').innerText();
    await page.unroute(part);
    await missing(page).getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('button', { name: /^Copy code/ }).waitFor();

    expect(shown).toContain('```bash\nls\n```');
    expect(await missing(page).count()).toBe(0);
  });

  test('a message says so, keys keep working without the help, and a text is copied unfilled without its form', async () => {
    await stage.add(createDraft({ title: 'ibex', content: 'Hello {{name}}' }));
    const page = await stage.show({ forgiven: /Failed to load resource/ });
    await untilListIsCached(page); // the first notes are shown from there, however late the service answers
    await intercept(page, '**/assets/chunk-*.js', (route) => route.abort());
    await page.reload();
    await page.locator('.row', { hasText: 'ibex' }).waitFor();

    await leaveSearch(page);
    await page.keyboard.press('?');
    await missing(page).waitFor();
    await page.keyboard.press('?');
    await page.keyboard.press('Enter');
    await said(page, 'Copied “ibex”');

    expect(await clipboard(page)).toBe('Hello {{name}}');
  });
});
