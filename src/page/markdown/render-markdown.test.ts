import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { loadGrammarsIfNeeded } from './highlight-code.ts';
import { renderChat, renderMarkdown } from './render-markdown.ts';

const renderHtmlOrEmpty = (text: string) => renderMarkdown(text)?.html ?? '';

/** The allowed elements with their attributes. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['br', 'del', 'em', 'h1', 'h2', 'h3', 'hr', 'li', 'p', 'strong'].map((name) => [name, []])),
  ...Object.fromEntries(['sup', 'table', 'thead', 'tbody', 'tr'].map((name) => [name, []])),
  a: ['href', 'title', 'rel', 'target'],
  blockquote: ['dir'],
  button: ['type', 'class', 'data-block', 'data-shell', 'aria-label'],
  code: ['dir'],
  div: ['class', 'role', 'aria-label', 'tabindex'],
  input: ['value', 'type', 'class', 'aria-label', 'disabled', 'checked'],
  ol: ['start', 'dir'],
  pre: ['role', 'aria-label', 'tabindex', 'dir'],
  span: ['class', 'data-code', 'data-indent', 'data-long', 'title'],
  td: ['align'],
  th: ['align'],
  ul: ['dir'],
};

/** Elements, attributes and link targets that are not allowed. */
function strangersIn(html: string): string[] {
  const strangers: string[] = [];
  const rewriter = new HTMLRewriter().on('*', {
    element(element) {
      const attributes = allowed[element.tagName];
      if (!attributes) strangers.push(`<${element.tagName}>`);
      for (const [name = '', value = ''] of element.attributes) {
        if (!attributes?.includes(name)) strangers.push(`<${element.tagName} ${name}>`);
        if (name === 'href' && !/^(https?:\/\/|mailto:|\?note=1$)/i.test(value)) strangers.push(value);
      }
    },
    comments: (comment) => void strangers.push(comment.text),
  });
  rewriter.transform(html);
  return strangers;
}

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<svg><script xlink:href=data:,alert(1) />',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<math><mi xlink:href="data:x,<script>alert(1)</script>">',
  '<a href="javascript:alert(1)" onclick="alert(1)">x</a>',
  'a <b style="position:fixed" onmouseover=alert(1)>b</b> c',
  '<!-- --><img src=x onerror=alert(1)> -->',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<?php echo 1 ?><form action=//evil.example><button>Copy</button></form>',
  '<style>@import "//evil.example"</style>',
  '<base href="//evil.example/">',
  '<meta http-equiv="refresh" content="0;url=//evil.example">',
  '</pre></code></div><img src=x onerror=alert(1)>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](  javascript:alert(1))',
  '[x](<java\tscript:alert(1)>)',
  '[x](java&Tab;script:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](&#x1;javascript:alert(1))',
  '[x](\\javascript:alert(1))',
  '[x](vbscript:msgbox(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](file:///etc/passwd)',
  '[x](blob:https://a.example/1)',
  '[x](view-source:https://a.example)',
  '[x](//evil.example)',
  '[x](/api/notes)',
  '[x](?note=1)',
  '[x](?note=1&q=<b>)',
  '[x](https:/evil)',
  '[x](#fragment)',
  '[x](irc://a.example/room)',
  '<javascript:alert(1)>',
  '<data:text/html,alert(1)>',
  '<xmpp:a@b.example>',
  '[x][y]\n\n[y]: javascript:alert(1)',
  '[x]: <javascript:alert(1)> "title"\n\n[x]',
  '[x](https://a.example "\\" onclick=alert(1) \\"")',
  '[x](https://a.example \'" onclick=alert(1) x="\')',
  '[x](https://a.example/"onclick=alert(1)")',
  '[x](<https://a.example/"><img src=x onerror=alert(1)>>)',
  '![x](javascript:alert(1))',
  '![x](data:image/svg+xml,<svg/onload=alert(1)>)',
  '![x" onerror="alert(1)](https://a.example/i.png)',
  '![<img src=x onerror=alert(1)>](https://a.example/i.png)',
  '![](https://a.example/"onerror="alert(1).png)',
  '[![x](javascript:alert(1))](https://a.example)',
  '[![x](https://a.example/i.png)](javascript:alert(1))',
  '[a [b](https://b.example) https://c.example](javascript:alert(1))',
  'https://a.example/"onmouseover="alert(1)',
  'www.a.example/<img/src=x/onerror=alert(1)>',
  '```"><img src=x onerror=alert(1)>\nx\n```',
  '```css onclick=alert(1)\n</code></pre><script>alert(1)</script>\n```',
  '```constructor\n<b>\n```',
  '```bash\n$ "<img src=x onerror=alert(1)>"\n```',
  '~~~html\n<script>alert(1)</script>\n~~~',
  '`</code><script>alert(1)</script>`',
  '| <b onclick=a> | x |\n|:-|-:|\n| `<img src=x>` | [a](javascript:b) |',
  '- [x] <input onfocus=alert(1) autofocus>',
  '# <img src=x onerror=alert(1)>\n\n&lt;script&gt;alert(1)&lt;/script&gt;',
  '[^1]\n\n[^1]: javascript:alert(1)',
  '[^"onclick=x]\n\n[^"onclick=x]: <b>',
  '&lt;img src=x onerror=alert(1)&gt; &#60;svg/onload=alert(1)&#62;',
  '[x](https://a.example/&quot;onclick=alert(1)&#x20;x=&quot; "&quot; onclick=alert(1)")',
  '[x](java&NewLine;script&colon;alert(1)) [y](&Tab;javascript:alert(1))',
  '![x](&#x6a;avascript:alert(1) "&gt;&lt;script&gt;")',
  '[x](<https://a.example/\u0000"><svg onload=alert(1)>>)',
  '```&quot;&gt;&lt;svg&sol;onload=alert(1)&gt;\n&lt;b&gt;\n```',
  '- a\n  ```html\n  </code></pre></li></ul><script>alert(1)</script>\n  ```',
  '- [ ] <form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '| a |\n|-|\n| [`|`](javascript:x) <svg></p><style><a id="</style><img src=1 onerror=alert(1)>"> |',
];

test.each(hostile)('yields only elements, attributes and addresses of its list from %j', (text) => {
  const html = renderHtmlOrEmpty(text);

  expect(html).not.toBe('');
  expect(strangersIn(html)).toEqual([]);
});

/** Hostile texts and marks of Markdown, in any mixture. */
const anyPieces = fc.array(
  fc.constantFrom(
    ...hostile,
    ...['\n', '\n\n', '> ', '- ', '- [x] ', '    ', '|', '|-|\n', '```', '`', '*', '[', '](', ')', '!', '"', '&', '<'],
  ),
  { minLength: 2, maxLength: 12 },
);

test('yields only what is on its list from any mixture of hostile texts and marks', () => {
  fc.assert(
    fc.property(anyPieces, (texts) => {
      expect(strangersIn(renderHtmlOrEmpty(texts.join('')))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('says at which line of the text each paragraph, heading, item, row, rule and block of code begins', () => {
  const text = [
    '# Tea', // 1
    '',
    'green',
    'black',
    '',
    '- one', // 6
    '  - two',
    '',
    '```sh', // the code is what is below
    'ls',
    '```',
    '',
    '    indented', // 13
    '',
    '| a |', // 15
    '|---|',
    '| b |',
    '',
    '---', // 19
    '',
    '> quoted',
  ].join('\n');

  expect(renderMarkdown(text)?.lines).toEqual([1, 3, 6, 7, 10, 13, 15, 17, 19, 21]);
});

test('shows front matter as a block of YAML, and says at which line it and what follows begin', async () => {
  const text = '---\ntitle: Tea\ntags: [green]\n---\n- [ ] brew\n\n---\na: b\n---\n';
  await loadGrammarsIfNeeded(text);

  const rendered = renderMarkdown(text);

  expect(rendered?.blocks).toEqual(['title: Tea\ntags: [green]']);
  expect(rendered?.html).toContain('<code><span class="hljs-attr">title:</span>');
  expect(rendered?.html).toContain(`value="${text.indexOf('[ ]')}"`);
  expect(rendered?.html).toEndWith('<hr />\n<h2>a: b</h2>');
  expect(rendered?.lines).toEqual([2, 5, 7, 8]);
});

test('says at which line of a chat the text of each turn begins', () => {
  expect(renderChat('You: Hi\nmore\nClaude: Hello\n\nYou:\n- an item', true)?.lines).toEqual([1, 3, 6]);
});

test('says so for every such element of any text', () => {
  fc.assert(
    fc.property(anyPieces, (texts) => {
      const { html, lines } = renderMarkdown(texts.join('')) ?? { html: '', lines: [] };
      expect(lines).toHaveLength(html.match(/<(?:p|h[1-6]|hr|li|tr|pre)[ >]/g)?.length ?? 0);
      expect(lines).toEqual(lines.toSorted((one, other) => one - other));
    }),
    { numRuns: 500 },
  );
});

test('opens links in a new tab without a referrer', () => {
  const html = renderHtmlOrEmpty('[a](https://a.example "t") <mailto:b@c.example> www.d.example');

  const elsewhere = 'rel="noopener noreferrer" target="_blank"';
  expect(html).toBe(
    `<p><a href="https://a.example" title="t" ${elsewhere}>a</a> ` +
      `<a href="mailto:b@c.example" ${elsewhere}>mailto:b@c.example</a> ` +
      `<a href="http://www.d.example" ${elsewhere}>www.d.example</a></p>`,
  );
});

test('shows links with forbidden targets as text', () => {
  const html = renderHtmlOrEmpty('[*here*](/there) ![picture](data:,)');

  expect(html).toBe('<p><em>here</em> picture</p>');
});

test('turns images into links and loads none', () => {
  const html = renderHtmlOrEmpty(
    '![cat](https://a.example/cat.png) ![](https://b.example/) [![in](https://c.example)](https://d.example)',
  );

  const links = [...html.matchAll(/href="([^"]*)"[^>]*>([^<]*)</g)].map(([, address, text]) => [address, text]);
  expect(links).toEqual([
    ['https://a.example/cat.png', 'cat'],
    ['https://b.example/', 'https://b.example/'],
    ['https://d.example', 'in'],
  ]);
  expect(html).not.toContain('<img');
});

test('shows a footnote where it is written, and its number raised', () => {
  const html = renderHtmlOrEmpty(
    'One[^1], two[^b].\n\n[^1]: https://a.example\n[^b]: All\n    of *it*.\n\n    More.\n\nEnd',
  );

  const link = '<a href="https://a.example" rel="noopener noreferrer" target="_blank">https://a.example</a>';
  expect(html.split('\n')).toEqual([
    '<p>One<sup>1</sup>, two<sup>2</sup>.</p>',
    `<div class="footnote"><sup>1</sup><div><p>${link}</p></div></div>`,
    '<div class="footnote"><sup>2</sup><div><p>All',
    'of <em>it</em>.</p>',
    '<p>More.</p></div></div>',
    '<p>End</p>',
  ]);
});

test('numbers footnotes in the order of their references, those within footnotes last', () => {
  const html = renderHtmlOrEmpty(
    '[^salt]: Fine[^mill].\n[^flour]: Rye.\n[^mill]: By hand.\n\nMix[^flour], and[^salt] again[^Flour].',
  );

  expect(html.replace(/<(?!\/?sup)[^>]*>/g, '').split('\n')).toEqual([
    '<sup>2</sup>Fine<sup>3</sup>.',
    '<sup>1</sup>Rye.',
    '<sup>3</sup>By hand.',
    'Mix<sup>1</sup>, and<sup>2</sup> again<sup>1</sup>.',
  ]);
});

test('shows all text of footnotes that are not referenced, empty or written twice', () => {
  const html = renderHtmlOrEmpty(
    'Before[^none]\n\n[^a]: word\n\n[^a]: again\n\n[^c]:\n\n- [^in]: list\n\n[^"<b>]: <i>',
  );

  expect(
    html
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  ).toBe('Before[^none] a word a again c in list &quot;&lt;b&gt; &lt;i&gt;');
});

test('shows tables in a scrollable region, columns aligned', () => {
  const html = renderHtmlOrEmpty('| a | b |\n|:-:|--|\n| `x\\|y` | 2 |');

  expect(html).toStartWith('<div class="table-scroll" role="region" aria-label="Table 1" tabindex="0"><table>');
  expect(html).toContain('<td align="center"><code dir="ltr">x|y</code></td>\n<td>2</td>');
  expect(html).toEndWith('</table></div>');
});

test('shows tasks as boxes with their offset in the text', () => {
  const html = renderHtmlOrEmpty('- [x] done\n- [ ] open');

  const box = (at: number) =>
    `<input type="checkbox" class="checkbox checkbox-xs" aria-label="Done" value="${at}" disabled=""`;
  expect(html).toBe(`<ul dir="auto">\n<li>${box(2)} checked=""> done</li>\n<li>${box(13)}> open</li>\n</ul>`);
});

test.each([
  ['- [ ] a\r\n\t- [x] b\r\n\r\n> 1. [X] c\r\n>\t2) [ ] d', 4],
  ['* [ ] 🙂 `[ ]` [x]\n\n  [ ] no task\n\n  * [x] e\u0000\n\n```\n- [ ] code\n```\n+\t[ ] f', 3],
  ['\ufeff- [x] a\n- [ ] b', 2],
])('finds the box of each task in %j', (text, count) => {
  const offsets = [...renderHtmlOrEmpty(text).matchAll(/ value="(\d+)" disabled=""( checked="")?/g)];

  const found = offsets.map(([, at, checked]) => [text.slice(Number(at), Number(at) + 3).toLowerCase(), checked]);
  expect(found.length).toBe(count);
  for (const [box, checked] of found) expect(box).toBe(checked ? '[x]' : '[ ]');
});

test('decodes character references, except in code', () => {
  const html = renderHtmlOrEmpty(
    '&copy; &#65; &lt;b&gt; &#42;a&#42; [&amp;](https://a.example/?b&amp;c) `&copy;`\n\n    &lt;\n',
  );

  const link = '<a href="https://a.example/?b&amp;c" rel="noopener noreferrer" target="_blank">&amp;</a>';
  expect(html).toStartWith(`<p>© A &lt;b&gt; *a* ${link} <code dir="ltr">&amp;copy;</code></p>`);
  expect(html).toContain('<code>&amp;lt;\n</code>');
});

test('returns the exact text of every code block', () => {
  const text =
    '```js\r\nif (a < b && c) "&lt;"\r\n\r\n\tend \r\n```\r\n\r\n    indented\r\n\r\n> ~~~\r\n> 🙂 מ\r\n> ~~~\r\n\r\n`in line`';

  const rendered = renderMarkdown(text);

  expect(rendered?.blocks).toEqual(['if (a < b && c) "&lt;"\r\n\r\n\tend ', 'indented', '🙂 מ']);
  expect(rendered?.html.match(/data-block="\d"/g)).toEqual(['data-block="0"', 'data-block="1"', 'data-block="2"']);
});

test.each([
  ['- run:\n  ```bash\n  cd a\n  rm b\n  ```\n- end', 'cd a\nrm b'],
  ['1. run:\n   > ~~~\n   > cd a\n   >\n   > rm b\n   > ~~~', 'cd a\n\nrm b'],
])('returns every line of code below a line of a list, as of %j', (text, code) => {
  const rendered = renderMarkdown(text);

  expect(rendered?.blocks).toEqual([code]);
  expect(rendered?.html.match(/<li>[\s\S]*<\/li>/)?.[0].replace(/<[^>]*>/g, '')).toContain(code);
});

test('breaks a line once', () => {
  expect(renderHtmlOrEmpty('a  \nb\\\nc')).toBe('<p>a<br />b<br />c</p>'); // line ends in paragraphs are lines already
});

test('shows an escaped character reference as it is', () => {
  expect(renderHtmlOrEmpty('\\&lt; \\&copy; &amp;copy;')).toBe('<p>&amp;lt; &amp;copy; &amp;copy;</p>');
});

test('renders no text that is nested deeper than browsers nest elements', () => {
  expect(renderMarkdown(`${'> '.repeat(90)}a`)).toBeDefined();
  expect(renderMarkdown(`${'> '.repeat(600)}a`)).toBeUndefined();
});

test('highlights further languages once their grammars are loaded, and leaves unknown names plain', async () => {
  const text = '```TS\nconst a = 1\n```\n```__proto__\nconst a\n```';

  await loadGrammarsIfNeeded(text);

  const blocks = [...renderHtmlOrEmpty(text).matchAll(/<code>(.*)\n<\/code>/g)].map((match) => match[1]);
  expect(blocks).toEqual(['<span class="hljs-keyword">const</span> a = <span class="hljs-number">1</span>', 'const a']);
});

test('marks invisible characters in code only', () => {
  const html = renderHtmlOrEmpty('a\u202eb `c\u202ed`\n\n```\ne\u200bf\n```');

  expect(html.match(/data-code="[^"]*"/g)).toEqual(['data-code="U+202E"', 'data-code="U+200B"']);
});

test('replaces bidirectional controls outside of code, also those written as references', () => {
  const html = renderHtmlOrEmpty('[a\u202eb](https://c.example "d\u2066e") &#x202E;&#8238;&#x0202b; &rarr; `f\u202eg`');

  expect(html.replace(/<code.*<\/code>/, '')).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|&#/);
  expect(html.match(/\ufffd/g)).toHaveLength(5);
  expect(html).toContain('→');
  expect(html).toContain('\u202e</span>g');
});
