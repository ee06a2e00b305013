import { expect, test } from 'bun:test';
import { highlightCodeForHtmlParser, highlightCodeToHtml } from './highlight-code.ts';

/** The text content of an element with this HTML. */
function textOf(html: string): string {
  const characters: Readonly<Record<string, string>> = {
    lt: '<',
    gt: '>',
    quot: '"',
    '#x27': "'",
    '#13': '\r',
    amp: '&',
  };
  return html
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&([^;]*);/g, (_, name: string) => characters[name] ?? '?');
}

const texts = [
  '$ echo "a\n$ b" <<< \'c\' && x\n  $ no prompt\n$',
  '\n\n$ ls\r\n$ cd "\r\n$ é🙂\tz\r',
  'cat <<EOF\n$ x </script><!--\nEOF\n',
  'a::before { content: "\\202e \u202e" } /* \u2066&lt;\u2069 */',
  '\ufeff@media (x) {\n\t.a\u200b > #b { color: #fff } }',
  'a\u200db 👩‍💻 \u00ad',
];

test.each(texts.flatMap((text) => [[text, 'bash'] as const, [text, 'css'] as const]))(
  'keeps every character of %j as %s',
  (text, language) => {
    const html = highlightCodeForHtmlParser(text, language);

    expect(textOf(html)).toBe(text);
  },
);

test('dims prompts and highlights the commands without them', () => {
  const html = highlightCodeToHtml('$ cd x\n  $ y\nresult $ 5', 'bash');

  expect(html).toBe('<span class="prompt">$ </span><span class="hljs-built_in">cd</span> x\n  $ y\nresult $ 5');
});

test('marks invisible characters by number and name', () => {
  const html = highlightCodeToHtml('a\u202eb', 'bash');

  expect(html).toBe(
    'a<span class="invisible-character" data-code="U+202E" title="U+202E RIGHT-TO-LEFT OVERRIDE">\u202e</span>b',
  );
});

test('marks no-break spaces, which break commands', () => {
  const html = highlightCodeToHtml('git\u00a0status', 'bash');

  expect(html).toContain('data-code="U+00A0" title="U+00A0 NO-BREAK SPACE">\u00a0</span>');
});

test('leaves a joiner within an emoji alone', () => {
  const html = highlightCodeToHtml('👩🏽‍💻 🏳️‍🌈 a\u200db', 'bash');

  expect(html.match(/data-code="U\+200D"/g)).toHaveLength(1);
});
