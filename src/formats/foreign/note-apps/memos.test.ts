import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';
import { missing, numbered, textWith } from '../../../../test/fixtures/words.ts';

test('Memos: content stays unchanged, the first line becomes the title, archived ones are archived', async () => {
  const { format, notes, rest } = await readFixture('memos/page.json');

  expect(format).toBe('memos');
  expect(notes.map(({ title, archived }) => [title, archived])).toEqual([
    ['Groceries', false],
    ['#idea', true],
    ['[Attachment: whiteboard.png]', false],
  ]);
  expect(notes[0]).toMatchObject({
    content: '# Groceries\n\n- [ ] milk\n- [x] 🥖 bread #shopping\n',
    category: 'notes',
    group: 'first',
    color: 'neutral',
    createdAt: '2025-03-01T08:00:00.000Z',
    updatedAt: '2025-03-02T09:30:00.500Z',
  });
  expect(notes[1]?.content).toBe('#idea\r\nA title that begins with a tag');
  expect(rest).toEqual([
    'left out | memo 4 of memos/page.json | It has no text',
    'bad | memo 5 of memos/page.json | Its field "content" must be a text',
  ]);
});

test.each([
  ['memos/v0.15.json', 'Call **Zoë** back', false, '2023-01-01T12:00:00.000Z', '2023-01-02T12:00:00.000Z'],
  ['memos/table.json', 'from the table', true, '2025-01-01T00:00:00.000Z', '2025-01-01T00:01:00.000Z'],
])('Memos: %s, an older form, is read too', async (path, title, archived, createdAt, updatedAt) => {
  const { format, notes } = await readFixture(path);

  expect(format).toBe('memos');
  expect(notes[0]).toMatchObject({ title, archived, createdAt, updatedAt });
});

test('Memos: a memo without times gets those of the file', async () => {
  const before = Date.now() - 5000;

  const { notes } = await readText('memos.json', '{"memos":[{"name":"memos/1","content":"a","createTime":"soon"}]}');

  expect(Date.parse(notes[0]?.createdAt ?? '')).toBeGreaterThan(before);
  expect(notes[0]?.updatedAt).toBe(notes[0]?.createdAt ?? '');
});

const memo = (content: string) => ({ name: `memos/${content}`, state: 'NORMAL', content });

test('Memos: a page that is not the last one says so, after its memos', async () => {
  const page = { memos: [memo('a')], nextPageToken: 'CgQI+A==' };

  const { notes, rest } = await readText('memos.json', JSON.stringify(page));

  expect(notes.map(({ content }) => content)).toEqual(['a']);
  expect(rest).toEqual([
    'bad | memos.json | There are more memos: import the next page, too, from the same address with &pageToken=CgQI%2BA%3D%3D',
  ]);
});

test('Memos: of pages joined into an array only the last one says so', async () => {
  const pages = ['1', '2', ''].map((nextPageToken) => ({ memos: [memo(`m${nextPageToken}`)], nextPageToken }));

  const [all, some] = await Promise.all(
    [pages, pages.slice(0, 2)].map((pages) => readText('memos.json', JSON.stringify(pages))),
  );

  expect([all?.notes.length, all?.rest]).toEqual([3, []]);
  expect([some?.notes.length, some?.rest]).toEqual([2, [expect.stringContaining('&pageToken=2')]]);
});

test.each([
  ['one memo', memo('a')],
  ['a page of version 0.22', { memos: [{ name: 'memos/1', uid: 'x', rowStatus: 'ACTIVE', content: 'a' }] }],
  ['a page before 2023', { data: [{ id: 1, rowStatus: 'NORMAL', createdTs: 1, content: 'a' }] }],
  ['one memo before 2023', { data: { id: 1, rowStatus: 'NORMAL', createdTs: 1, content: 'a' } }],
])('Memos: %s is read', async (_, json) => {
  const { format, notes, rest } = await readText('memos.json', JSON.stringify(json));

  expect([format, notes.map(({ content }) => content), rest]).toEqual(['memos', ['a'], []]);
});

test('Memos: files without a text, and links of files, are named', async () => {
  const attachments = [
    { filename: 'a.png' },
    { filename: 'b', externalLink: 'https://b.example' },
    { externalLink: 'https://c.example' },
  ];

  const { notes, rest } = await readText(
    'memos.json',
    JSON.stringify({ memos: [memo('a'), { name: 'memos/1', attachments }] }),
  );

  expect(notes.map(({ content }) => content)).toEqual([
    'a',
    '[Attachment: a.png]\n\n[Attachment: b](https://b.example)\n\n[Attachment: https://c.example]',
  ]);
  expect(rest).toEqual([]);
});

test('Memos: no word is lost', async () => {
  const file = fc.record({ filename: fc.constantFrom('', 'qqq.png') });
  const memo = fc.record({
    name: fc.constantFrom('memos/a', 'memos/b'),
    state: fc.constantFrom('NORMAL', 'ARCHIVED'),
    content: textWith('\n# ', '#tag', '```'),
    attachments: fc.array(file, { maxLength: 2 }),
  });
  const page = fc.record({
    memos: fc.array(memo, { maxLength: 4 }),
    nextPageToken: fc.constantFrom('', 'qqq'),
  });
  await fc.assert(
    fc.asyncProperty(fc.oneof(page, fc.array(memo, { minLength: 1 })), async (found) => {
      const { text, words } = numbered(JSON.stringify(found));

      expect(missing(words, await readText('memos.json', text))).toEqual([]);
    }),
  );
});
