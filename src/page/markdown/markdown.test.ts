import { expect, test } from 'bun:test';
import { loadGrammars } from './code.ts';
import { renderMarkdown } from './markdown.ts';

const htmlOf = (text: string) => renderMarkdown(text)?.html ?? '';

/** The allowed elements with their attributes. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['br', 'del', 'em', 'h1', 'h2', 'h3', 'hr', 'li', 'p', 'strong'].map((name) => [name, []])),
  ...Object.fromEntries(['table', 'thead', 'tbody', 'tr'].map((name) => [name, []])),
  a: ['href', 'title', 'rel', 'target'],
  blockquote: ['dir'],
  button: ['type', 'class', 'data-block', 'data-shell', 'aria-label'],
  code: ['dir'],
  div: ['class', 'role', 'aria-label', 'tabindex'],
  input: ['value', 'type', 'class', 'aria-label', 'disabled', 'checked'],
  ol: ['start', 'dir'],
  pre: ['role', 'aria-label', 'tabindex', 'dir'],
  span: ['class', 'data-code', 'title'],
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
];

test.each(hostile)('yields only elements, attributes and addresses of its list from %j', (text) => {
  const html = htmlOf(text);

  expect(html).not.toBe('');
  expect(strangersIn(html)).toEqual([]);
});

test('opens links in a new tab without a referrer', () => {
  const html = htmlOf('[a](https://a.example "t") <mailto:b@c.example> www.d.example');

  const elsewhere = 'rel="noopener noreferrer" target="_blank"';
  expect(html).toBe(
    `<p><a href="https://a.example" title="t" ${elsewhere}>a</a> ` +
      `<a href="mailto:b@c.example" ${elsewhere}>mailto:b@c.example</a> ` +
      `<a href="http://www.d.example" ${elsewhere}>www.d.example</a></p>`,
  );
});

test('shows links with forbidden targets as text', () => {
  const html = htmlOf('[*here*](/there) ![picture](data:,)');

  expect(html).toBe('<p><em>here</em> picture</p>');
});

test('turns images into links and loads none', () => {
  const html = htmlOf(
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

test('shows tables in a scrollable region, columns aligned', () => {
  const html = htmlOf('| a | b |\n|:-:|--|\n| `x\\|y` | 2 |');

  expect(html).toStartWith('<div class="table-scroll" role="region" aria-label="Table 1" tabindex="0"><table>');
  expect(html).toContain('<td align="center"><code dir="ltr">x|y</code></td>\n<td>2</td>');
  expect(html).toEndWith('</table></div>');
});

test('shows tasks as boxes with their offset in the text', () => {
  const html = htmlOf('- [x] done\n- [ ] open');

  const box = (at: number) =>
    `<input type="checkbox" class="checkbox checkbox-xs" aria-label="Done" value="${at}" disabled=""`;
  expect(html).toBe(`<ul dir="auto">\n<li>${box(2)} checked=""> done</li>\n<li>${box(13)}> open</li>\n</ul>`);
});

test.each([
  ['- [ ] a\r\n\t- [x] b\r\n\r\n> 1. [X] c\r\n>\t2) [ ] d', 4],
  ['* [ ] 🙂 `[ ]` [x]\n\n  [ ] no task\n\n  * [x] e\u0000\n\n```\n- [ ] code\n```\n+\t[ ] f', 3],
  ['\ufeff- [x] a\n- [ ] b', 2],
])('finds the box of each task in %j', (text, count) => {
  const offsets = [...htmlOf(text).matchAll(/ value="(\d+)" disabled=""( checked="")?/g)];

  const found = offsets.map(([, at, checked]) => [text.slice(Number(at), Number(at) + 3).toLowerCase(), checked]);
  expect(found.length).toBe(count);
  for (const [box, checked] of found) expect(box).toBe(checked ? '[x]' : '[ ]');
});

test('decodes character references, except in code', () => {
  const html = htmlOf('&copy; &#65; &lt;b&gt; &#42;a&#42; [&amp;](https://a.example/?b&amp;c) `&copy;`\n\n    &lt;\n');

  const link = '<a href="https://a.example/?b&amp;c" rel="noopener noreferrer" target="_blank">&amp;</a>';
  expect(html).toStartWith(`<p>&copy; &#65; &lt;b&gt; &#42;a&#42; ${link} <code dir="ltr">&amp;copy;</code></p>`);
  expect(html).toContain('<code>&amp;lt;\n</code>');
});

test('returns the exact text of every code block', () => {
  const text =
    '```js\r\nif (a < b && c) "&lt;"\r\n\r\n\tend \r\n```\r\n\r\n    indented\r\n\r\n> ~~~\r\n> 🙂 מ\r\n> ~~~\r\n\r\n`in line`';

  const rendered = renderMarkdown(text);

  expect(rendered?.blocks).toEqual(['if (a < b && c) "&lt;"\r\n\r\n\tend ', 'indented', '🙂 מ']);
  expect(rendered?.html.match(/data-block="\d"/g)).toEqual(['data-block="0"', 'data-block="1"', 'data-block="2"']);
});

test('highlights further languages once their grammars are loaded, and leaves unknown names plain', async () => {
  const text = '```TS\nconst a = 1\n```\n```__proto__\nconst a\n```';

  await loadGrammars(text);

  const blocks = [...htmlOf(text).matchAll(/<code>(.*)\n<\/code>/g)].map((match) => match[1]);
  expect(blocks).toEqual(['<span class="hljs-keyword">const</span> a = <span class="hljs-number">1</span>', 'const a']);
});

test('marks invisible characters in code only', () => {
  const html = htmlOf('a\u202eb `c\u202ed`\n\n```\ne\u200bf\n```');

  expect(html.match(/data-code="[^"]*"/g)).toEqual(['data-code="U+202E"', 'data-code="U+200B"']);
});

test('replaces bidirectional controls outside of code, also those written as references', () => {
  const html = htmlOf('[a\u202eb](https://c.example "d\u2066e") &#x202E;&#8238;&#x0202b; &rarr; `f\u202eg`');

  expect(html.replace(/<code.*<\/code>/, '')).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|&#/);
  expect(html.match(/\ufffd/g)).toHaveLength(5);
  expect(html).toContain('&rarr;');
  expect(html).toContain('\u202e</span>g');
});
