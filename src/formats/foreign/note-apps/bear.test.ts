import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readFixture } from '../../../../test/fixtures/read.ts';
import { missing, numbered, textWith } from '../../../../test/fixtures/words.ts';
import type { ReadRecord } from '../../record.ts';
import type { Source } from '../../source.ts';
import { bearFormat } from './bear.ts';

const createSource = (files: Readonly<Record<string, string>>): Source => ({
  name: 'Note.textbundle',
  modifiedAt: new Date(0),
  files: Object.keys(files),
  async *streamChunks(path = '') {
    yield Buffer.from(files[path] ?? '');
  },
});

describe("Bear's bundles", () => {
  test('become notes titled by their first words; archive and trash become archived', async () => {
    const { format, notes, rest } = await readFixture('bear');

    expect(format).toBe('bear');
    expect(notes.map(({ title, archived }) => [title, archived])).toEqual([
      ['Call the roofer on Monday', false],
      ['Chapter 1', false],
      ['Gone', true],
      ['Old', true],
      ['No heading here', false],
      ['Roof', false],
    ]);
    expect(notes[5]).toMatchObject({
      content: '# Roof\n\n#house/roof# See [[Ann]]\n\n![](assets/roof.png)\n',
      createdAt: '2026-03-01T08:00:00.000Z',
      updatedAt: '2026-03-02T08:00:00.000Z',
    });
    expect(rest).toEqual([
      expect.stringMatching(/Secret\.textbundle \| It is encrypted: unlock it in Bear, then export again$/),
      expect.stringMatching(/roof\.png \| Attachments are left out$/),
    ]);
  });

  test('with damaged facts are named', async () => {
    const records: ReadRecord[] = await Array.fromAsync(
      bearFormat.streamRecords(createSource({ 'info.json': '{', 'text.md': 'a' })),
    );

    expect(records).toEqual([{ kind: 'bad', location: 'Note.textbundle', reason: 'Its info.json must be valid JSON' }]);
  });

  test('lose no word', async () => {
    await fc.assert(
      fc.asyncProperty(textWith('# ', '#tag', '---\n', '## \n'), async (body) => {
        const { text, words } = numbered(body);
        const files = { 'info.json': '{"net.shinyfrog.bear":{}}', 'text.md': text };
        const records: ReadRecord[] = await Array.fromAsync(bearFormat.streamRecords(createSource(files)));
        const notes = records.flatMap((record) => (record.kind === 'note' ? [record.note] : []));
        expect(missing(words, { notes, rest: [] })).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
