import { expect, test } from 'bun:test';
import { removeMarkdownSyntax, removeScrapsBehindTitle } from './plain-text.ts';

const oneLine = (text: string) => removeMarkdownSyntax(text).replace(/\s+/g, ' ').trim();

test.each([
  ['# Before\n\n- [x] tests are green\n- [ ] tell **support**', 'Before tests are green tell support'],
  ['> quoted\n> > twice', 'quoted twice'],
  ['1. one\n2) two\n* three\n+ four', 'one two three four'],
  [
    '**Q:** why `lower(email)`? __Now__ *this* and _that_, ~~not~~ it',
    'Q: why lower(email)? Now this and that, not it',
  ],
  ['see [a link](https://host.example "title") and ![a picture](x.png)', 'see a link and a picture'],
  ['```ts\nconst a = 1;\n```\n\n---\n\n***\nend', 'const a = 1; end'],
  ['| Step | Owner |\n|:---|---:|\n| Deploy | Ines |', 'Step Owner Deploy Ines'],
  ['\\*no\\* mark', '*no* mark'],
])('the marks of %j are left out', (markdown, plain) => {
  expect(oneLine(markdown)).toBe(plain);
});

test.each([
  '2 * 3 * 4 = 24',
  'snake_case_name and __init',
  '#hashtag and C# 5',
  'array[0](x',
  '{{name}} and {{other_name}}',
  'a < b > c',
])('what only looks like a mark stays: %s', (text) => {
  expect(oneLine(text)).toBe(text);
});

test('comes to an end for any text', () => {
  const hostile = ['*', '_', '[', '`', '> ', '- ', '|', '-|', '\\', '[](', '**a', ' _a'].map((mark) =>
    mark.repeat(400),
  );

  for (const text of hostile) expect(removeMarkdownSyntax(text).length).toBeLessThanOrEqual(text.length); // or it hangs
});

test.each([
  [' {\n  display: grid;\n}\n', '  display: grid;\n}\n'],
  ['\n"""\nimport argparse', 'import argparse'],
  ['"""\r\n\r\nimport argparse', 'import argparse'],
  [' */\n* { margin: 0 }', '* { margin: 0 }'],
  [' it\nrsync -a src/ dst', 'rsync -a src/ dst'],
  ['ation.\nrsync', 'rsync'],
  ['\nrsync', 'rsync'],
  [' {}\n', ''],
  ['', ''],
])('of %j behind a title scraps are left out', (text, rest) => {
  expect(removeScrapsBehindTitle(text)).toBe(rest);
});

test.each([' -la', ' and more words\nnext', ': 1 of 20\nnext', ' (beta, 12)'])(
  '%j behind a title says something',
  (text) => {
    expect(removeScrapsBehindTitle(text)).toBe(text);
  },
);

test('scraps of any length are found in linear time', () => {
  for (const text of ['{'.repeat(100_000), 'a'.repeat(100_000), ' \n'.repeat(100_000), `${' '.repeat(100_000)}a b c`])
    expect(removeScrapsBehindTitle(text).length).toBeLessThanOrEqual(text.length); // or it hangs
});
