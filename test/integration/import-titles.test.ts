/** Markdown that was imported when another rule gave the titles: its notes are renamed once. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DryRunStore } from '../../src/cli/commands/import/dry-run-store.ts';
import { Importer } from '../../src/formats/importer.ts';
import { markdownFormat } from '../../src/formats/markdown-format.ts';
import type { Source } from '../../src/formats/source.ts';
import { importSource } from '../support/data/sources.ts';
import { createPortableNote } from '../support/sample-notes.ts';
import { openFile } from '../support/stores/open-file.ts';
import { collectEarlierVersions, stores } from '../support/stores/stores.ts';
import { createTestCli } from '../support/test-cli.ts';

const fixtures = join(import.meta.dir, '../fixtures/obsidian');

/** Notes of the vault as an earlier version stored them, some of them changed since. */
const stored = join(fixtures, 'titled-by-headings.ndjson');
const vault = join(fixtures, 'Vault');

const testedStores = new Set(['the SQLite engine', 'the client over HTTP, on PostgreSQL']);

describe.each(stores.filter(([name]) => testedStores.has(name)))('%s', (_, open) => {
  test('a note whose title is still the imported one is renamed once, and nothing else changes', async () => {
    await using store = await open();
    await importSource(store, stored);
    const before = await store.list();

    const tried = await importSource(new DryRunStore(store), vault);
    const report = await importSource(store, vault);
    const after = await store.list();
    const again = await importSource(store, vault);

    expect(after.map(({ title }) => title)).toEqual([
      '2026-03-01',
      'Garden',
      '2026-03-02 Roof',
      '2026-03-09 Roof',
      'Ann Miller',
      'Soup',
    ]);
    const withoutTitle = (notes: typeof before) => notes.map(({ title: _, updatedAt: __, ...rest }) => rest);
    expect(withoutTitle(after)).toEqual(withoutTitle(before));
    expect((await collectEarlierVersions(store, 1)).map(({ title }) => title)).toEqual(['Tasks']);
    expect(report).toMatchObject({ read: 6, retitled: 3, unchanged: 3, added: 0, updated: 0, versions: 0 });
    expect(tried).toEqual(report);
    expect(again).toMatchObject({ read: 6, retitled: 0, unchanged: 6 });
    expect(await store.list()).toEqual(after);
  });
});

/** A file without an origin, such as one of an archive or one that is dropped on the page. */
const createFileSource = (name: string, text: string): Source => ({
  name,
  modifiedAt: new Date('2026-03-01T08:00:00.000Z'),
  files: [],
  async *streamChunks() {
    yield Buffer.from(text);
  },
});

test('a note of a file without an origin is renamed too, unless its title was changed here', async () => {
  await using store = await openFile(':memory:');
  const times = { createdAt: '2026-03-01T08:00:00.000Z', updatedAt: '2026-03-01T08:00:00.000Z' };
  const fields = { category: 'notes', group: 'third', color: 'error', archived: true } as const;
  await store.merge([
    createPortableNote(1, { title: 'Tasks', content: '## Tasks\nCall', ...fields, ...times }),
    createPortableNote(2, { title: 'Mine', content: '## Tasks\nCall', ...fields, ...times }),
    createPortableNote(3, { title: 'Tuesday', content: '# Plan\nCall', ...fields, ...times }),
  ]);
  const importer = new Importer(store, { onSkipped() {}, onBatch() {}, digest: String });

  await importer.importRecords(markdownFormat.streamRecords(createFileSource('Monday.md', '## Tasks\nCall')));
  await importer.importRecords(markdownFormat.streamRecords(createFileSource('Tuesday.md', '# Plan\nCall')));

  expect(importer.report).toMatchObject({ retitled: 2, added: 0 });
  expect(await store.list()).toMatchObject([
    { id: 1, title: 'Monday', ...fields },
    { id: 2, title: 'Mine' },
    { id: 3, title: 'Plan', ...fields },
  ]);
});

test('a sync reads files once more that an earlier version has synced, and says what it renamed', async () => {
  using cli = createTestCli();
  cli.writeFile('vault/Monday.md', '## Tasks\n\nCall the bank');
  const vaultFolder = join(cli.folder, 'vault');
  await cli.run(['sync', vaultFolder]);
  await pretendTitledByHeading(cli);

  const first = await cli.run(['sync', vaultFolder]);
  const idle = await cli.run(['sync', vaultFolder]);

  expect(first.code).toBe(0);
  expect(first.stderr).toContain('1 renamed, since a heading');
  expect(idle.stderr).toContain('0 changed files of 1');
  expect(await cli.readAllNotes()).toMatchObject([{ title: 'Monday' }]);
});

/** Changes the only note, and what the sync recorded of it, to what the earlier version left. */
async function pretendTitledByHeading(cli: ReturnType<typeof createTestCli>): Promise<void> {
  const { stdout } = await cli.run(['export', '-']);
  const { origin, updatedAt, ...note } = JSON.parse(stdout);
  const taken = origin.taken.replace(/^\S+/, headingHash);
  const later = new Date(Date.parse(updatedAt) + 1).toISOString();
  const earlier = { ...note, title: 'Tasks', updatedAt: later, origin: { ...origin, taken } };
  await cli.run(['import', cli.writeFile('earlier.ndjson', JSON.stringify(earlier))]);
  const folder = join(cli.folder, 'notes/sync');
  for (const name of readdirSync(folder)) {
    const state = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), state.replaceAll(origin.taken, taken).replace(/"v\d+ /g, '"'));
  }
}

/** Of the title "Tasks" in an origin. */
const headingHash = 'b3a60e61a5233d0506ac737405a2a452';
