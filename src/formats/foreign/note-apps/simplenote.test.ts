import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';
import { missing, numbered, textWith } from '../../../../test/fixtures/words.ts';

test.each(['simplenote', 'simplenote/source/notes.json'])(
  'Simplenote: the first line is the title, and the trash is archived: %s',
  async (path) => {
    const { format, notes } = await readFixture(path);

    expect(format).toBe('simplenote');
    expect(notes).toMatchObject([
      {
        title: 'Einkauf 🛒',
        content: '# Einkauf 🛒\n\nMilch\n\nTags: home, soon',
        category: 'notes',
        archived: false,
        createdAt: '2024-03-01T10:00:00.000Z',
        updatedAt: '2024-03-02T10:00:00.000Z',
      },
      { title: 'Old', content: 'Old\r\ntext', archived: true, updatedAt: '2024-01-02T10:00:00.000Z' },
    ]);
  },
);

test('Simplenote: empty notes, and text files that repeat a note, are left out', async () => {
  const { rest } = await readFixture('simplenote');

  expect(rest).toEqual([
    'left out | note 2 of activeNotes in source/notes.json | It has no text',
    'left out | Einkauf.txt | It repeats a note of source/notes.json',
  ]);
});

test('Simplenote: no word of a note is lost', async () => {
  const note = fc.record({ content: textWith('Tags: '), tags: fc.array(textWith(), { maxLength: 2 }) });
  const notes = fc.record({ activeNotes: fc.array(note), trashedNotes: fc.array(note) });
  await fc.assert(
    fc.asyncProperty(notes, async (value) => {
      const { text, words } = numbered(JSON.stringify(value));

      expect(missing(words, await readText('notes.json', text))).toEqual([]);
    }),
  );
});
