/** The content of an open note, in a real browser with a real service. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { NoteDraft } from '../../src/core/note.ts';
import { draft } from '../support/service.ts';
import { faintTexts } from './contrast.ts';
import { clipboard, useStage, type Visit } from './visit.ts';

const stage = useStage();

/** Stores a note and opens it. */
async function open(changes: Partial<NoteDraft>): Promise<Visit> {
  const [note] = await stage.add(draft(changes));
  return stage.visit({ query: `?note=${note?.id}` });
}

/** The text that a manual selection of the first matching element copies. */
async function copyByHand(page: Page, selector: string): Promise<string> {
  await page
    .locator(selector)
    .first()
    .evaluate((element) => getSelection()?.selectAllChildren(element));
  await page.keyboard.press('Control+C');
  return clipboard(page);
}

const css = `/* a comment */
@media (width < 40rem) { .a:hover > #b, p[lang="de"]::before { color: #fff; margin: 1.5rem; content: "x"; background: url(a.png) !important } }`;
const shell = `$ export A="$HOME" # why
$ for f in *.txt; do echo "\${f}" 42; done
an output line
$ if true; then
  ls
fi`;
const markdown = `# Title

Text with a [link](https://a.example/?x=1&y=2), *stress*, \`code\`, ~~nothing~~ &copy; &amp;amp; and ![a picture](https://a.example/i.png).

- [x] done
- [ ] open

| Left | Right |
|:-----|------:|
| a    | 1     |

> quoted

\`\`\`bash
$ echo "<b>"	tab
\`\`\`

<script>alert(1)</script> <img src=https://a.example/i.png onerror=alert(1)>`;

test('shows all kinds of content within its policy and contacts no other host', async () => {
  for (const [category, content] of [
    ['css', css],
    ['bash-commands', shell],
    ['prompts', markdown],
    ['host-town', '127.0.0.1 localhost'],
  ] as const) {
    await using opened = await open({ category, content });
    await opened.page.locator('.hljs-attribute, .hljs-built_in, .note-text').first().waitFor();

    expect(await opened.page.locator('.detail-body').count()).toBe(1);
  }
});

test('highlights css and keeps its text', async () => {
  await using opened = await open({ category: 'css', content: css });
  const { page } = opened;

  await page.locator('.note-code .hljs-selector-class').waitFor();

  expect(await page.locator('.note-code').evaluate((element) => element.textContent)).toBe(css);
  expect(await page.locator('.note-code').getAttribute('dir')).toBe('ltr');
});

test('highlights blocks of common languages, and loads grammars on demand', async () => {
  const python = 'def f(a):\n    return "<b>" + a';
  await using visit = await open({
    category: 'notes',
    content: `\`\`\`py\n${python}\n\`\`\`\n\n\`\`\`none\n1\n\`\`\``,
  });
  const { page } = visit;

  const [code, other] = [page.locator('pre code').nth(0), page.locator('pre code').nth(1)];
  await code.locator('.hljs-keyword').first().waitFor();

  expect(await code.textContent()).toBe(`${python}\n`);
  expect(await other.innerHTML()).toBe('1\n');
});

test('excludes prompts from the selection of commands', async () => {
  await using opened = await open({ category: 'bash-commands', content: shell });
  const { page } = opened;
  await page.locator('.note-code .prompt').first().waitFor();

  const copied = await copyByHand(page, '.note-code');

  expect(copied.trimEnd()).toBe(shell.replaceAll(/^\$ /gm, ''));
  expect(await page.locator('.note-code').evaluate((element) => element.textContent)).toBe(shell);
});

test.each(['light', 'dark'])('highlights code in readable colors on %s', async (theme) => {
  for (const [category, content] of [
    ['css', css],
    ['bash-commands', `${shell}\n\u202e`],
  ] as const) {
    await using opened = await open({ category, content });
    const { page } = opened;
    await page.locator('.note-code span').first().waitFor();

    await page.evaluate((name) => {
      document.documentElement.dataset['theme'] = name;
    }, theme);

    expect(await faintTexts(page, '.detail-body')).toEqual([]);
  }
});

test('shows Markdown, and its source on demand', async () => {
  await using opened = await open({ category: 'notes', content: markdown });
  const { page } = opened;
  await page.locator('.markdown h1').waitFor();

  const names = await page
    .locator('.markdown')
    .evaluate((element) => [...new Set([...element.querySelectorAll('*')].map(({ localName }) => localName))]);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Show it raw' }).click();

  const shown = [
    'h1',
    'p',
    'a',
    'em',
    'code',
    'del',
    'ul',
    'li',
    'input',
    'div',
    'table',
    'thead',
    'tr',
    'th',
    'tbody',
    'td',
  ];
  expect(names).toEqual([...shown, 'blockquote', 'pre', 'span', 'button']);
  expect(await page.locator('.note-raw').evaluate((element) => element.textContent)).toBe(markdown);
});

test('copies a block of code byte for byte', async () => {
  await using opened = await open({
    category: 'chat-tool',
    content: 'First\r\n\r\n```css\r\na {\r\n\tb: "מ🙂"\r\n}\r\n```\r\n',
  });
  const { page } = opened;

  await page.getByRole('button', { name: 'Copy code 1' }).click();
  await page.getByText('Copied the block').first().waitFor();

  expect(await clipboard(page)).toBe('a {\r\n\tb: "מ🙂"\r\n}');
});

test('makes bidirectional controls visible, without their effect', async () => {
  const content = 'a { b: "\u202ecba\u202c" }';
  await using opened = await open({ category: 'css', content });
  const { page } = opened;
  const marks = page.locator('.invisible-character');
  await marks.first().waitFor();

  const titles = await marks.evaluateAll((elements) => elements.map((element) => element.getAttribute('title')));
  const lefts = await marks.first().evaluate((mark) => {
    const text = mark.nextSibling;
    if (!text) throw new Error('no text behind the mark');
    return [0, 1, 2].map((index) => {
      const range = new Range();
      range.setStart(text, index);
      range.setEnd(text, index + 1);
      return range.getBoundingClientRect().left;
    });
  });

  expect(titles).toEqual(['U+202E RIGHT-TO-LEFT OVERRIDE', 'U+202C POP DIRECTIONAL FORMATTING']);
  expect(lefts).toEqual(lefts.toSorted((one, other) => one - other));
  expect(await copyByHand(page, '.note-code')).toBe(content);
});

test('gives each paragraph its own direction', async () => {
  await using opened = await open({ category: 'notes', content: 'left\n\nשלום\n\n- שלום' });
  const { page } = opened;
  await page.locator('.markdown ul').waitFor();

  const starts = await page.locator('.markdown').evaluate((element) => {
    const box = element.getBoundingClientRect();
    return [...element.querySelectorAll('p, li')].map((block) => {
      const range = new Range();
      range.selectNodeContents(block);
      const text = range.getBoundingClientRect();
      return text.left - box.left < box.right - text.right ? 'left' : 'right';
    });
  });

  expect(starts).toEqual(['left', 'right', 'right']);
});

test('shows the beginning of a very long text, and all of it on request', async () => {
  const content = '0123456789abcde '.repeat(65_536);
  await using opened = await open({ category: 'host-town', content });
  const { page } = opened;
  const text = page.locator('.note-text');
  await text.waitFor();
  const sizeBefore = await text.evaluate((element) => element.textContent.length);

  await page.getByRole('button', { name: 'Show all' }).click();

  expect(sizeBefore).toBe(102_400);
  expect(await text.evaluate((element) => element.textContent)).toBe(content);
  expect(await page.getByRole('button', { name: 'Show all' }).count()).toBe(0);
  expect(
    await page.evaluate(() => document.activeElement === document.querySelector('.note-text')?.parentElement),
  ).toBe(true);
});

test('never splits a surrogate pair', async () => {
  await using opened = await open({ category: 'prompts', content: `a${'🙂'.repeat(60_000)}` });
  const { page } = opened;

  await page.locator('.note-text').waitFor();

  const size = await page.locator('.note-text').evaluate((element) => element.textContent.length);
  expect(size).toBe(102_399);
});

test('scrolls long lines of code within their block, by keys too', async () => {
  const content = `\`\`\`\n${'word '.repeat(200)}\n\`\`\`\n\n|${'a column|'.repeat(60)}\n|${'-|'.repeat(60)}`;
  await using opened = await open({ category: 'notes', content });
  const { page } = opened;

  for (const name of ['Code 1', 'Table 1']) {
    const region = page.getByRole('region', { name, exact: true });
    await region.focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => (document.activeElement?.scrollLeft ?? 0) > 0);
  }

  const widths = await page
    .locator('.detail-body')
    .evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
  expect(widths[0]).toBe(widths[1] ?? 0);
});

/** Each takes micromark, highlight.js or the browser's layout seconds to minutes. */
const bombs = [
  ['emphasis', 'notes', '*a'.repeat(51_200)],
  ['brackets', 'notes', `${'!['.repeat(9_999)}a${'](b)'.repeat(9_999)}`],
  ['nested quotes and lists', 'notes', '> * '.repeat(10_000)],
  ['a table', 'notes', `|${'a|'.repeat(10_000)}\n|${'-|'.repeat(10_000)}\n${'|'.repeat(25_000)}`],
  ['headings', 'notes', 'a\n===\n'.repeat(17_000)],
  ['one word of code', 'css', `a{b:${'-'.repeat(100_000)}`],
] as const;

test.each(bombs)(
  'shows %s as source when rendering takes too long, and stays responsive',
  async (_, category, content) => {
    const [bomb, other] = await stage.add(
      draft({ category, content, title: 'A bomb' }),
      draft({ content: '# Formed', title: 'Another' }),
    );
    await using visit = await stage.visit({ query: `?note=${bomb?.id}` });
    const { page } = visit;

    await page.locator('.note-text, .note-code').first().waitFor();
    await page.locator(`[data-row="${other?.id}"]`).click();
    await page.locator('.markdown h1').waitFor();

    expect(await page.locator('#detail h2').innerText()).toBe('Another');
  },
);
