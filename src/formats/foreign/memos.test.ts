import { expect, test } from 'bun:test';
import { readFixture, readText } from '../../../test/fixtures/read.ts';

test('Memos: content stays unchanged, the first line becomes the title, archived ones are archived', async () => {
  const { format, notes } = await readFixture('memos/page.json');

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
});

test('Memos: memos without text are reported', async () => {
  const { rest } = await readFixture('memos/page.json');

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

test('Memos: pages joined into an array are read', async () => {
  const page = await Bun.file(new URL('../../../test/fixtures/memos/page.json', import.meta.url)).text();

  const { notes } = await readText('memos.json', `[${page},${page}]`);

  expect(notes).toHaveLength(6);
});

test('Memos: an id that is neither number nor text names no memo', async () => {
  const { notes } = await readText(
    'memos.json',
    '{"memos":[{"id":{"toString":1},"rowStatus":"NORMAL","createdTs":1,"content":"a"}]}',
  );

  expect(notes.map(({ content }) => content)).toEqual(['a']);
});

test('Memos: a memo without times gets those of the file', async () => {
  const before = Date.now() - 5000;

  const { notes } = await readText('memos.json', '{"memos":[{"name":"memos/1","content":"a","createTime":"soon"}]}');

  expect(Date.parse(notes[0]?.createdAt ?? '')).toBeGreaterThan(before);
  expect(notes[0]?.updatedAt).toBe(notes[0]?.createdAt ?? '');
});
