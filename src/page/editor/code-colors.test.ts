import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { highlightTree, tagHighlighter } from '@lezer/highlight';
import { highlightCodeToHtml, loadGrammarsIfNeeded } from '../markdown/highlight-code.ts';
import { findLoadedCodeLanguage, loadOtherLanguages } from './editor-languages.ts';
import { highlightStyle } from './editor-theme.ts';

const css = readFileSync(new URL('../note/note.css', import.meta.url), 'utf8');

/** The color that a class of highlight.js has in the style sheet; of several rules, the one with most classes. */
function findColorOfClasses(classes: string): string {
  const names = classes.split(' ');
  const rules = [...css.matchAll(/((?:\.hljs-[^{},]+,\s*)*\.hljs-[^{},]+)\{[^}]*?color: (var\([\w-]+\))/g)];
  const matches = rules.flatMap(([, selectors = '', color = '']) =>
    selectors
      .split(',')
      .map((selector) => selector.trim().split('.').slice(1))
      .filter((parts) => parts.every((part) => names.includes(part)))
      .map((parts) => ({ color, count: parts.length })),
  );
  return matches.toSorted((one, other) => other.count - one.count)[0]?.color ?? 'plain';
}

/** The color of the first place of a token in reading; tokens of these samples do not contain others. */
function findColorInReading(text: string, language: string, token: string): string {
  const html = highlightCodeToHtml(text, language).replaceAll('&quot;', '"');
  const before = html.slice(0, html.indexOf(token));
  const classes = /<span class="([^"]*)">[^<]*$/.exec(before)?.[1];
  return classes === undefined ? 'plain' : findColorOfClasses(classes);
}

const colorHighlighter = tagHighlighter(
  highlightStyle.specs.map(({ tag, color }) => ({ tag, class: String(color ?? 'plain') })),
);

function findColorInEditor(text: string, language: string, token: string): string {
  const mode = findLoadedCodeLanguage(language);
  if (mode === undefined || mode === 'not loaded') throw new Error(`No mode of ${language}`);
  let color = 'plain';
  const at = text.indexOf(token);
  highlightTree(mode.parser.parse(text), colorHighlighter, (from, to, classes) => {
    if (from <= at && at < to) color = classes;
  });
  return color;
}

test.each([
  ['bash', 'ffmpeg -i a.mov b.mp4', 'ffmpeg', 'plain'],
  ['bash', 'ffmpeg -i a.mov b.mp4', '-i', 'plain'],
  ['bash', 'cd x', 'cd', 'var(--code-name)'],
  ['bash', 'echo $HOME', '$HOME', 'var(--code-variable)'],
  ['json', '{"key": "text"}', '"key"', 'var(--code-name)'],
  ['json', '{"key": "text"}', '"text"', 'var(--code-string)'],
  ['yaml', 'title: x', 'title', 'var(--code-name)'],
  ['python', 'return self.x', 'self', 'var(--code-keyword)'],
  ['typescript', 'return this.x', 'this', 'var(--code-keyword)'],
  ['ini', '[a]\nport = 12', 'port', 'var(--code-name)'],
  ['ini', '[a]\nport = 12', '12', 'var(--code-number)'],
  ['xml', '<item href="x"/>', 'item', 'var(--code-variable)'],
  ['xml', '<item href="x"/>', 'href', 'var(--code-name)'],
  ['diff', '@@ -1 +1 @@\n-old\n+new', '-old', 'var(--code-variable)'],
  ['diff', '@@ -1 +1 @@\n-old\n+new', '+new', 'var(--code-string)'],
])('in %s, of %j, %s has the same color in the editor and in reading', async (language, text, token, color) => {
  await Promise.all([loadOtherLanguages(), loadGrammarsIfNeeded('```yaml\n```')]);

  expect(findColorInReading(text, language, token)).toBe(color);
  expect(findColorInEditor(text, language, token)).toBe(color);
});
