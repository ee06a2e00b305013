import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';
import { missing, numbered, textWith } from '../../../../test/fixtures/words.ts';

test.each(['cursor', 'cursor/cursor_name_this_function.md'])('Cursor: an exported chat is a note: %s', async (path) => {
  const { format, notes, rest } = await readFixture(path);

  expect([format, rest]).toEqual(['cursor', []]);
  expect(notes).toMatchObject([
    {
      title: 'Name this function 🧪',
      category: 'editor-chats',
      content:
        '**You**\n\nWie soll sie heißen?\n\n**Cursor**\n\nCall it `reconcile`.\n\n---\n\nA rule is above.\n\n' +
        '**You**\n\nDanke',
    },
  ]);
});

const head = '# T\n_Exported on 1/4/2026 at 23:26:26 GMT+8 from Cursor via Log_\n';

test('Cursor: a chat without rules between its messages is read', async () => {
  const { notes } = await readText('chat.md', `${head}\n\n**User**\n\nHello\n\n**Cursor**\n\nHi\n`);

  expect(notes.map(({ content }) => content)).toEqual(['**You**\n\nHello\n\n**Cursor**\n\nHi']);
});

test('Cursor: a text that quotes an export is Markdown', async () => {
  const { format } = await readText('about.md', `An export:\n\n${head}`);

  expect(format).toBe('markdown');
});

test('Cursor: no word of an exported chat is lost', async () => {
  const part = fc.oneof(textWith('---\n'), fc.constantFrom('\n---\n\n**User**\n\n', '\n**Cursor**\n\n'));
  await fc.assert(
    fc.asyncProperty(fc.array(part), async (parts) => {
      const { text, words } = numbered(`${head}${parts.join('')}`);

      expect(missing(words, await readText('chat.md', text))).toEqual([]);
    }),
  );
});
