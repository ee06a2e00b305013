import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { missing, numbered, textWith } from '../../../../test/fixtures/words.ts';
import { convertHtmlToMarkdown } from './html-to-markdown.ts';

test.each<[string, string, string]>([
  ['paragraphs and text between them', 'a<p>b</p>c<div>d</div>', 'a\n\nb\n\nc\n\nd'],
  ['headings', '<h1>a</h1><h3>b <i>c</i></h3>', '# a\n\n### b *c*'],
  ['emphasis, with spaces outside', '<b> a </b><em>b</em><del>c</del>', '**a** *b*~~c~~'],
  ['line breaks', 'a<br>b<br/>c', 'a\nb\nc'],
  ['links and pictures', '<a href="https://x.y/">a</a> <a>b</a><img src="p" alt="q">', '[a](https://x.y/) b![q](p)'],
  ['code', '<code>a `b`</code>', '`` a `b` ``'],
  [
    'a block of code',
    '<pre><code class="language-ts">if (a &lt; b)\n  c();\n</code></pre>',
    '```ts\nif (a < b)\n  c();\n```',
  ],
  ['lists', '<ul><li>a<ol start="3"><li>b<li>c</ol></li><li>d</ul>', '- a\n  3. b\n  4. c\n- d'],
  ['lists of paragraphs', '<ul><li><p>a</p><p>b</p></li></ul>', '- a\n\n  b'],
  ['quotes', '<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
  ['tables', '<table><tr><th>a<th>b</tr><tr><td>c|d</tr></table>', '| a | b |\n| --- | --- |\n| c\\|d |  |'],
  ['rules', 'a<hr>b', 'a\n\n---\n\nb'],
  ['entities', '&amp;&lt;&#39;&nbsp;&copy;', "&<'\u00a0©"],
  ['comments and unknown elements', '<x-y>a<!-- b --></x-y>', 'a'],
  ['what is no HTML', 'a < b > c', 'a < b > c'],
])('HTML becomes Markdown: %s', async (_, html, markdown) => {
  expect(await convertHtmlToMarkdown(html)).toBe(markdown);
});

test('no word of HTML is lost, however its tags are nested', async () => {
  const tags = ['p', 'ul', 'li', 'table', 'tr', 'td', 'th', 'pre', 'code', 'b', 'blockquote', 'h2', 'a', 'caption'];
  const html = textWith(...tags.flatMap((tag) => [`<${tag}>`, `</${tag}>`]), '<br>', '<hr>');
  await fc.assert(
    fc.asyncProperty(html, async (source) => {
      const { text, words } = numbered(source);

      const content = await convertHtmlToMarkdown(text);

      expect(missing(words, { notes: [], rest: [content] })).toEqual([]);
    }),
  );
});
