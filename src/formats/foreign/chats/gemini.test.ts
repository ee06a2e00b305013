import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';
import { missing, numbered, textWith } from '../../../../test/fixtures/words.ts';

test('Gemini: prompts of a conversation are a note, the others one a day', async () => {
  const { notes } = await readFixture('gemini');

  expect(notes.map(({ title, createdAt, updatedAt }) => [title, createdAt, updatedAt])).toEqual([
    ['Known first', '2026-02-28T10:00:00.000Z', '2026-03-01T10:00:00.000Z'],
    ['Gemini 2026-03-02: Wie wirkt', '2026-03-02T09:15:00.000Z', '2026-03-02T09:20:00.000Z'],
  ]);
  expect(notes[1]).toMatchObject({
    category: 'chat-tool',
    content:
      '**You**\n\nWie wirkt\npolarisiertes Glas? 🕶️\n\n**Gemini**\n\nIt lets through **one** direction:\n\n' +
      '- a\n- b\n  1. c\n\n```js\nlet a = 1 < 2;\n```\n\n**You**\n\nAnd how is it made?\n\n' +
      '[Image: glass.png]\n\n[File: plan.pdf]\n\n**Gemini**\n\nIt is **stretched**.\n\nA second draft',
  });
});

test('Gemini: activity that is no prompt, or of another program, is left out', async () => {
  const { rest } = await readFixture('gemini');

  expect(rest.map((line) => line.split(' | ')[2])).toEqual([
    'It is activity of another program than Gemini',
    'It is activity of Gemini without a prompt, such as feedback',
  ]);
});

test('Gemini: the verb of a title is removed in any language, if most titles begin with it', async () => {
  const record = (title: string, minute: number) => ({
    header: 'Gemini-Apps',
    title,
    time: `2026-03-02T09:0${minute}:00.000Z`,
    safeHtmlItem: [{ html: 'x' }],
  });
  const titles = ['Eingegeben: Eins', 'Eingegeben: Zwei', 'Eingegeben: Drei', 'Erstellt: Vier'];

  const { format, notes } = await readText('MyActivity.json', JSON.stringify(titles.map(record)));

  expect(format).toBe('gemini');
  expect(notes[0]?.content.match(/.*(Eins|Zwei|Drei|Vier)/g)).toEqual(['Eins', 'Zwei', 'Drei', 'Erstellt: Vier']);
});

test('Gemini: no word of a prompt or response is lost', async () => {
  const html = textWith('<p>', '</p>', '<ul><li>', '</li></ul>', '<b>', '</b>', '<pre><code>', '</code></pre>', '<br>');
  const record = fc.record({
    header: fc.constant('Gemini Apps'),
    title: textWith().map((text) => `Prompted ${text}`),
    time: fc.constantFrom('2026-03-02T09:15:00.000Z', '2026-03-03T09:15:00.000Z'),
    safeHtmlItem: fc.array(fc.record({ html }), { minLength: 1, maxLength: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 4 }), async (records) => {
      const { text, words } = numbered(JSON.stringify(records));

      const reading = await readText('MyActivity.json', text);

      expect(reading.format).toBe('gemini');
      expect(missing(words, reading)).toEqual([]);
    }),
  );
});
