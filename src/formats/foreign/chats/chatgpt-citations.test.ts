import { expect, test } from 'bun:test';
import { replaceCitationsAndAppendSources } from './chatgpt-citations.ts';

const [open, close, next] = ['\ue200', '\ue201', '\ue202'];
const mark = (...parts: readonly string[]) => `${open}${parts.join(next)}${close}`;
const cite = mark('cite', 'turn0search1', 'turn0news3');
const page = { title: 'Release [notes]', url: 'https://acme.example/a_(b)' };
const link = '[Release \\[notes\\]](https://acme.example/a_%28b%29)';

/** A text with a mark, with what metadata says of that mark. */
const cited = (text: string, reference: object) =>
  replaceCitationsAndAppendSources(text, { content_references: [{ matched_text: cite, ...reference }] });

test.each([
  ['pages', { items: [page] }, `(${link})`],
  [
    'several pages',
    { items: [page, { attribution: 'B', url: 'https://b.example' }] },
    `(${link}, [B](https://b.example))`,
  ],
  ['one page', { type: 'webpage_extended', ...page }, link],
  ['a page with checked addresses only', { title: 'T', safe_urls: ['https://t.example'] }, '[T](https://t.example)'],
  [
    'a ready text',
    { items: [], alt: '([acme.example](https://acme.example))' },
    '([acme.example](https://acme.example))',
  ],
  ['a name', { type: 'product_entity', alt: '[Acme Kettle]()' }, 'Acme Kettle'],
  ['a file', { type: 'file', name: 'report.pdf' }, '(report.pdf)'],
])('a mark becomes a link to %s', (_, reference, expected) => {
  expect(cited(`It is out ${cite}.`, reference)).toBe(`It is out ${expected}.`);
});

test.each([
  ['nothing is known', {}],
  ['it is hidden', { type: 'hidden', url: 'https://a.example' }],
  ['its address is a script', { items: [{ title: 'a', url: 'javascript:alert(1)' }] }],
])('a mark becomes nothing if %s', (_, reference) => {
  expect(cited(`It is out ${cite}. And ${cite}\n`, reference)).toBe('It is out. And\n');
});

test.each([
  [`By ${mark('entity', '["company","ACME","x"]')}.`, 'By ACME.'],
  [`See ${mark('url', 'the docs', 'https://docs.example/')}.`, 'See [the docs](https://docs.example/).'],
  [`See ${mark('cite', 'https://docs.example/')}.`, 'See [https://docs.example/](https://docs.example/).'],
  [`Watch ${mark('video', 'A talk', 'turn0search1')}.`, 'Watch A talk.'],
  [`a ${mark('filecite', 'turn1file0', 'L1-L9')} b ${mark('image_group', '{"query":["x"]}')}`, 'a b'],
  [`a ${mark('navlist', 'More', 'turn0news1')}${mark('genui', '{"x":1}')}${mark('i', 'turn0image0')}`, 'a'],
  [`cut off ${open}cite${next}turn0`, 'cut off'],
  [`not closed ${open}url${next}ACME${next} is here ${cite}`, 'not closed ACME is here'],
  [`\ue203The grid failed.\ue204${next}turn0search0\ue206 Then`, 'The grid failed. Then'],
])('a mark alone: %j', (text, expected) => {
  expect(replaceCitationsAndAppendSources(text, {})).toBe(expected);
});

test('the older marks become links by their place, or else by their number', () => {
  const source = (title: string, index: number) => ({
    metadata: { title, url: `https://${title}.example`, extra: { cited_message_idx: index } },
  });
  const citations = [
    { start_ix: 13, ...source('one', 11) },
    source('two', 12),
    { start_ix: 99, ...source('three', 11) },
  ];
  const text = 'Paris is big 【11†source】. Lyon【12†(Wiki)】, Rome【 13†source】【4:0†source】【7†L1-L4】';

  expect(replaceCitationsAndAppendSources(text, { citations })).toBe(
    'Paris is big [one](https://one.example). Lyon[two](https://two.example), Rome',
  );
});

test('words in the brackets of a browsing tool stay, and other brackets, too', () => {
  expect(replaceCitationsAndAppendSources('【0†Skip to content】 【引用】', {})).toBe('Skip to content 【引用】');
});

test('the sources below a message follow it, unless they are linked in it', () => {
  const sources = [page, { attribution: 'B', url: 'https://b.example' }, { title: 'x', url: 'javascript:alert(1)' }];
  const content_references = [
    { matched_text: cite, items: [page] },
    { matched_text: ' ', type: 'sources_footnote', sources },
  ];

  expect(replaceCitationsAndAppendSources(`It is out ${cite}.`, { content_references })).toBe(
    `It is out (${link}).\n\nSources: [B](https://b.example)`,
  );
});
