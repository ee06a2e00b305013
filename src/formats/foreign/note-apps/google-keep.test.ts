import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';
import { missing, numbered, textWith, word } from '../../../../test/fixtures/words.ts';

test('Google Keep: the notes of a takeout have their titles, texts, lists, labels, colors and times', async () => {
  const { notes } = await readFixture('google-keep');

  expect(notes.map(({ title, content, color, archived }) => [title, content, color, archived])).toEqual([
    ['Nothing', 'Nothing', 'neutral', false],
    ['Milk', '- [x] Milk\n- [ ] Bread\n  of rye', 'primary', false],
    ['Old', 'Archived', 'neutral', true],
    [
      'Garden plan',
      'Grün 🌱\n\nhttps://example.com/\n\n[Example](https://example.com/)\n\nLabels: home, later on',
      'error',
      false,
    ],
    ['Thrown away', '[Image: 1.png]\n[Recording: 2.3gp]\n[File: 3.pdf]', 'neutral', true],
  ]);
  expect(notes[3]).toMatchObject({
    category: 'notes',
    createdAt: '2023-07-27T05:46:22.242Z',
    updatedAt: '2023-08-01T05:05:03.436Z',
  });
});

test('Google Keep: the same notes in HTML, the list of labels and other files are left out', async () => {
  const { rest } = await readFixture('google-keep');

  expect(rest.filter((line) => line.includes('.json file, too'))).toHaveLength(5);
  expect(rest.filter((line) => !line.includes('.json file, too'))).toEqual([
    'left out | Takeout/Keep/Labels.txt | It lists the labels of Google Keep, which are in the notes',
    'left out | Takeout/archive_browser.html | It is an HTML page, which no format reads',
  ]);
});

test('Google Keep: no word of a note is lost', async () => {
  const text = textWith('- [ ] ', '[a](b)');
  const note = fc.record({
    title: text,
    textContent: text,
    listContent: fc.array(fc.record({ text, isChecked: fc.boolean() }), { maxLength: 2 }),
    labels: fc.array(fc.record({ name: text }), { maxLength: 2 }),
    annotations: fc.array(fc.record({ title: text, url: fc.constant(word) }), { maxLength: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(note, async (fields) => {
      const keep = { ...fields, color: 'BLUE', isTrashed: false, userEditedTimestampUsec: 1690866308447000 };
      const { text: json, words } = numbered(JSON.stringify(keep));
      const reading = await readText('note.json', json);

      expect(reading.format).toBe('google-keep');
      expect(missing(words, reading)).toEqual([]);
    }),
  );
});
