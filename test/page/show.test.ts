/** The content of an open note, in a real browser with a real service. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { NoteDraft } from '../../src/core/note.ts';
import { createDraft } from '../support/sample-notes.ts';
import { faintTexts } from './contrast.ts';
import { clipboard, useStage } from './visit.ts';

const stage = useStage();

/** Stores a note and opens it. */
async function open(changes: Partial<NoteDraft>): Promise<Page> {
  const [note] = await stage.add(createDraft(changes));
  return stage.show({ query: `?note=${note?.id}` });
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

test('highlights blocks of common languages, and loads grammars on demand', async () => {
  const python = 'def f(a):\n    return "<b>" + a';
  const page = await open({
    category: 'notes',
    content: `\`\`\`py\n${python}\n\`\`\`\n\n\`\`\`none\n1\n\`\`\``,
  });

  const [code, other] = [page.locator('pre code').nth(0), page.locator('pre code').nth(1)];
  await code.locator('.hljs-keyword').first().waitFor();

  expect(await code.textContent()).toBe(`${python}\n`);
  expect(await other.innerHTML()).toBe('1\n');
});

test.each([
  ['css', css],
  ['bash-commands', `${shell}\n\u202e`],
] as const)('highlights %s in readable colors in both themes, and keeps its text', async (category, content) => {
  const page = await open({ category, content });
  const code = page.locator('.note-code');
  await code.locator('.hljs-selector-class, .hljs-built_in').first().waitFor();

  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => {
      document.documentElement.dataset['theme'] = name;
    }, theme);
    expect(await faintTexts(page, '.detail-body')).toEqual([]);
  }

  expect(await code.evaluate((element) => element.textContent)).toBe(content);
  expect(await code.getAttribute('dir')).toBe('ltr');
});

test('shows Markdown within its policy, from no other host, and its source on demand', async () => {
  const page = await open({ category: 'notes', content: markdown });
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

test('makes bidirectional controls visible, without their effect', async () => {
  const content = 'a { b: "\u202ecba\u202c" }';
  const page = await open({ category: 'css', content });
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
  await page.locator('.note-code').evaluate((element) => getSelection()?.selectAllChildren(element));
  await page.keyboard.press('Control+C');
  expect(await clipboard(page)).toBe(content);
});

test('gives each paragraph its own direction', async () => {
  const page = await open({ category: 'notes', content: 'left\n\nשלום\n\n- שלום' });
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

test('shows the beginning of a very long text, splits no surrogate pair, and shows all of it on request', async () => {
  const content = `a${'🙂'.repeat(500_000)}`;
  const page = await open({ category: 'host-town', content });
  const text = page.locator('.note-text');
  await text.waitFor();
  const sizeBefore = await text.evaluate((element) => element.textContent.length);

  await page.getByRole('button', { name: 'Show all' }).click();

  expect(sizeBefore).toBe(102_399);
  expect(await text.evaluate((element) => element.textContent)).toBe(content);
  expect(await page.getByRole('button', { name: 'Show all' }).count()).toBe(0);
  expect(
    await page.evaluate(() => document.activeElement === document.querySelector('.note-text')?.parentElement),
  ).toBe(true);
});

test('scrolls long lines of code within their block, by keys too', async () => {
  const content = `\`\`\`\n${'word '.repeat(200)}\n\`\`\`\n\n|${'a column|'.repeat(60)}\n|${'-|'.repeat(60)}`;
  const page = await open({ category: 'notes', content });

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
  ['a table', 'notes', `|${'a|'.repeat(10_000)}\n|${'-|'.repeat(10_000)}\n${'|'.repeat(25_000)}`],
  ['one word of code', 'css', `a{b:${'-'.repeat(100_000)}`],
] as const;

test.each(bombs)(
  'shows %s as source when rendering takes too long, and stays responsive',
  async (_, category, content) => {
    const [bomb, other] = await stage.add(
      createDraft({ category, content, title: 'A bomb' }),
      createDraft({ content: '# Formed', title: 'Another' }),
    );
    const page = await stage.show({ query: `?note=${bomb?.id}` });

    await page.locator('.note-text, .note-code').first().waitFor();
    await page.locator(`[data-row="${other?.id}"]`).click();
    await page.locator('.markdown h1').waitFor();

    expect(await page.locator('#detail h2').innerText()).toBe('Another');
  },
);
