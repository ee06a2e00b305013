import { describe, expect, test } from 'bun:test';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { readFixture } from '../../../../test/fixtures/read.ts';
import { missing, numbered, textWith } from '../../../../test/fixtures/words.ts';
import { importSource } from '../../../../test/support/data/sources.ts';
import { createTemporaryFolder } from '../../../../test/support/service.ts';
import { openFile } from '../../../../test/support/stores/open-file.ts';
import type { ReadRecord } from '../../record.ts';
import type { Source } from '../../source.ts';
import { joplinFormat } from './joplin.ts';

const id = (end: string) => end.padStart(32, '0');

const createSource = (files: Readonly<Record<string, string>>): Source => ({
  name: 'notes.jex',
  modifiedAt: new Date(0),
  files: Object.keys(files),
  async *streamChunks(path = '') {
    yield Buffer.from(files[path] ?? '');
  },
});

describe("Joplin's items", () => {
  test('become notes with tags and to-dos as front matter, and the trash archived', async () => {
    const { format, notes, rest } = await readFixture('joplin/raw');

    expect(format).toBe('joplin');
    expect(notes.map(({ title, content, archived }) => [title, content, archived])).toEqual([
      [
        'Roof: costs',
        '---\nsource: https://example.org/roof?a=1\nauthor: "Ada: Lovelace"\ntags:\n  - house & garden\n  - work\n---\n\n' +
          `# Offer\n\n12,000, see [Ann](:/${id('2')})\n\n![photo](:/${'a'.repeat(32)})\nprice: fixed\n`,
        false,
      ],
      ['Call Ann', '---\ncompleted?: yes\ndue: 2026-03-01T09:00:00.000Z\n---\n\n', false],
      ['Old plan', 'Thrown away', true],
      ['Only a title', 'Only a title', false],
    ]);
    expect(notes[0]).toMatchObject({ createdAt: '2026-02-02T08:00:00.000Z', updatedAt: '2026-02-03T08:00:00.000Z' });
    expect(rest.toSorted()).toEqual([
      `left out | ${id('4')}.md | It is encrypted: let Joplin decrypt it, then export again`,
      `left out | ${'f'.repeat(32)}.md | Notebooks are left out`,
      `left out | resources/${'a'.repeat(32)}.png | Attachments are left out`,
    ]);
  });

  test('that are damaged are named', async () => {
    const records: ReadRecord[] = await Array.fromAsync(
      joplinFormat.streamRecords(createSource({ [`${id('1')}.md`]: 'Title\n\nText' })),
    );

    expect(records).toMatchObject([{ kind: 'bad', reason: expect.stringContaining('It is no item of Joplin') }]);
  });

  test('are the notes that its Markdown export has, too', async () => {
    using folder = createTemporaryFolder();
    await using store = await openFile(join(folder.path, 'notes.db'));
    cpSync(join(import.meta.dir, '../../../../test/fixtures/joplin'), folder.path, { recursive: true });
    await importSource(store, join(folder.path, 'raw'));

    const report = await importSource(store, join(folder.path, 'markdown'));

    expect(report).toMatchObject({ read: 1, added: 0 });
    expect((await store.list()).map(({ title }) => title)).toEqual([
      'Roof: costs',
      'Call Ann',
      'Old plan',
      'Only a title',
    ]);
  });

  test('lose no word', async () => {
    await fc.assert(
      fc.asyncProperty(textWith('\n\n', ': ', '---\n', 'type_: 1', '\t'), async (body) => {
        const { text, words } = numbered(body);
        const item = `Title\n\n${text}\n\nid: ${id('1')}\ntype_: 1`;
        const records: ReadRecord[] = await Array.fromAsync(
          joplinFormat.streamRecords(createSource({ [`${id('1')}.md`]: item })),
        );
        const notes = records.flatMap((record) => (record.kind === 'note' ? [record.note] : []));
        expect(missing(words, { notes, rest: [] })).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
