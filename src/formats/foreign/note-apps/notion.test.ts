import { describe, expect, test } from 'bun:test';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';
import { missing, numbered, textWith } from '../../../../test/fixtures/words.ts';
import { importSource, writeFileAndFolders } from '../../../../test/support/data/sources.ts';
import { createTemporaryFolder } from '../../../../test/support/service.ts';
import { openFile } from '../../../../test/support/stores/open-file.ts';

describe("Notion's pages", () => {
  test('become notes with the titles that Notion shows, and their text as exported', async () => {
    const { format, notes, rest } = await readFixture('notion');

    expect(format).toBe('notion');
    expect(notes.map(({ title, content }) => [title, content.split('\n').at(-2)])).toEqual([
      ['Garden', '![Bed](Garden%203f6c1d2e9a8b4c7d8e9f0a1b2c3d4e5f/bed.png)'],
      ['Bed 1', 'Tomatoes'],
      ['What grows where, and what should be sown next year?', 'Bed 2'],
      ['Untitled', 'Call [[nobody]]'],
    ]);
    expect(notes[1]?.content).toBe('# Bed 1\n\nStatus: Done\nCreated: March 3, 2026 10:20 AM\n\nTomatoes\n');
    expect(rest).toEqual([
      expect.stringMatching(
        /^left out \| .*\.csv \| It is a table of a database, which is left out: its pages are notes$/,
      ),
      expect.stringMatching(/^left out \| .*bed\.png \| Other files, such as attachments, are left out$/),
    ]);
  });

  test('are recognized by the ids in the names of all Markdown files', async () => {
    const id = '0123456789abcdef0123456789abcdef';
    const names = [`Page ${id}.md`, `${id}.md`, `Page${id}.md`, 'Page.md'];

    const readings = await Promise.all(names.map((name) => readText(name, '# Other\n')));

    expect(readings.map(({ format, notes }) => [format, notes[0]?.title])).toEqual([
      ['notion', 'Other'],
      ['notion', 'Other'],
      ['markdown', 'Other'],
      ['markdown', 'Other'],
    ]);
  });

  test('of a later export update their notes, also in another folder and under another name', async () => {
    using folder = createTemporaryFolder();
    await using store = await openFile(join(folder.path, 'notes.db'));
    const id = '0123456789abcdef0123456789abcdef';
    writeFileAndFolders(join(folder.path, `one/Plan ${id}.md`), '# Plan\n\nFirst\n');
    await importSource(store, join(folder.path, 'one'));
    mkdirSync(join(folder.path, 'two'));
    renameSync(join(folder.path, `one/Plan ${id}.md`), join(folder.path, `two/Plan B ${id}.md`));
    writeFileAndFolders(join(folder.path, `two/Plan B ${id}.md`), '# Plan B\n\nSecond\n');

    const report = await importSource(store, join(folder.path, 'two'));

    expect(report).toMatchObject({ added: 0, updated: 1 });
    expect(await store.list()).toMatchObject([{ title: 'Plan B', content: '# Plan B\n\nSecond\n' }]);
  });

  test('lose no word', async () => {
    await fc.assert(
      fc.asyncProperty(textWith('# ', '---\n', ': ', '\n# ', '- '), async (page) => {
        const { text, words } = numbered(page);
        const reading = await readText('Page 0123456789abcdef0123456789abcdef.md', text);
        expect(missing(words, reading)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
