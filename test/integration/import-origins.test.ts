/** Notes imported again are recognized by origin: they follow their source, and local changes stay. */
import { describe, expect, test } from 'bun:test';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { exportToFile } from '../../src/cli/commands/export/export-to-file.ts';
import { exportToFolder } from '../../src/cli/commands/export/export-to-folder.ts';
import { DryRunStore } from '../../src/cli/commands/import/dry-run-store.ts';
import type { Note } from '../../src/core/note.ts';
import type { PortableStore } from '../../src/core/store.ts';
import { joinNoteBatchesWithOrigins, streamOriginBatches } from '../../src/formats/origin.ts';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import {
  createClaudeSession,
  getNthClaudeSessionPath,
  importSource,
  writeFileAndFolders,
} from '../support/data/sources.ts';
import { createTemporaryFolder } from '../support/service.ts';
import { collectEarlierVersions, stores } from '../support/stores/stores.ts';

async function readOnlyNote(store: PortableStore): Promise<Note> {
  const notes = await store.list();
  const note = notes[0];
  if (note === undefined || notes.length > 1) throw new Error(`expected one note, found ${notes.length}`);
  return note;
}

const testedStores = new Set(['the SQLite engine', 'the client over HTTP, on PostgreSQL']);

describe.each(stores.filter(([name]) => testedStores.has(name)))('%s', (_, open) => {
  test('a growing Claude Code session stays one note, with its earlier texts in the history', async () => {
    using folder = createTemporaryFolder();
    await using store = await open();
    const file = getNthClaudeSessionPath(folder.path, 1);

    const reports = [];
    for (const messages of [4, 8, 12, 12]) {
      writeFileAndFolders(file, createClaudeSession(messages, 'Fix'));
      reports.push(await importSource(store, folder.path));
    }

    expect(reports.map(({ added, updated, unchanged }) => ({ added, updated, unchanged }))).toEqual([
      { added: 1, updated: 0, unchanged: 0 },
      { added: 0, updated: 1, unchanged: 0 },
      { added: 0, updated: 1, unchanged: 0 },
      { added: 0, updated: 0, unchanged: 1 },
    ]);
    const note = await readOnlyNote(store);
    expect([note.title, note.content.match(/Message/g)?.length]).toEqual(['Fix', 12]);
    expect(reports[1]?.updatedIds).toEqual([note.id]);
    const versions = await collectEarlierVersions(store, note.id);
    expect(versions.map(({ content }) => content.match(/Message/g)?.length)).toEqual([8, 4]);
  });

  test('an edited file of a vault keeps its note, also when the vault was moved', async () => {
    using folder = createTemporaryFolder();
    await using store = await open();
    mkdirSync(join(folder.path, 'a/Vault/.obsidian'), { recursive: true });
    const below = 'Vault/Daily/today.md';
    writeFileAndFolders(join(folder.path, 'a', below), '# Today\n\nFirst');
    await importSource(store, join(folder.path, 'a/Vault'));
    const { id } = await readOnlyNote(store);

    writeFileAndFolders(join(folder.path, 'a', below), '# Today\n\nFirst, second');
    const edited = await importSource(store, join(folder.path, 'a/Vault'));
    renameSync(join(folder.path, 'a'), join(folder.path, 'b'));
    writeFileAndFolders(join(folder.path, 'b', below), '# Tomorrow\n\nThird');
    const moved = await importSource(store, join(folder.path, 'b/Vault/Daily'));

    expect([edited.updated, moved.updated]).toEqual([1, 1]);
    expect(await readOnlyNote(store)).toMatchObject({ id, title: 'today', content: '# Tomorrow\n\nThird' });
  });

  test('a local change without one in the source stays', async () => {
    using folder = createTemporaryFolder();
    await using store = await open();
    writeFileAndFolders(getNthClaudeSessionPath(folder.path, 1), createClaudeSession(2));
    await importSource(store, folder.path);
    const changed = await store.update((await readOnlyNote(store)).id, { content: 'Mine' });

    expect(await importSource(store, folder.path)).toMatchObject({ unchanged: 1, added: 0, updated: 0 });

    expect(await readOnlyNote(store)).toEqual(changed);
  });

  test('of changes on both sides, both are kept: the older one, here of the source, goes to the history', async () => {
    using folder = createTemporaryFolder();
    await using store = await open();
    writeFileAndFolders(getNthClaudeSessionPath(folder.path, 1), createClaudeSession(2, 'One'));
    await importSource(store, folder.path);
    const { id } = await readOnlyNote(store);
    await store.update(id, { content: 'Mine' });
    writeFileAndFolders(getNthClaudeSessionPath(folder.path, 1), createClaudeSession(4, 'Two'));

    const tried = await importSource(new DryRunStore(store), folder.path);
    const report = await importSource(store, folder.path);
    const again = await importSource(store, folder.path);

    expect(report).toMatchObject({ added: 0, updated: 0, versions: 1 });
    expect(tried).toEqual(report);
    expect(again).toMatchObject({ unchanged: 1, versions: 0, added: 0 });
    expect(await readOnlyNote(store)).toMatchObject({ title: 'One', content: 'Mine' });
    const [theirs] = await collectEarlierVersions(store, id);
    expect([theirs?.title, theirs?.content.match(/Message/g)?.length]).toEqual(['Two', 4]);
  });

  test('a removed source deletes nothing, and a dry run changes nothing', async () => {
    using folder = createTemporaryFolder();
    await using store = await open();
    for (const n of [1, 2]) writeFileAndFolders(getNthClaudeSessionPath(folder.path, n), createClaudeSession(n + 2));
    await importSource(store, folder.path);
    const before = await store.list();
    rmSync(getNthClaudeSessionPath(folder.path, 1));
    writeFileAndFolders(getNthClaudeSessionPath(folder.path, 2), createClaudeSession(6));

    expect(await importSource(new DryRunStore(store), folder.path)).toMatchObject({ updated: 1 });
    expect(await store.list()).toEqual(before);
    await importSource(store, folder.path);

    expect((await store.list()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });

  test('two sessions with the same text become two notes only once they differ', async () => {
    using folder = createTemporaryFolder();
    await using store = await open();
    for (const n of [1, 2]) writeFileAndFolders(getNthClaudeSessionPath(folder.path, n), createClaudeSession(2));
    await importSource(store, folder.path);
    await importSource(store, folder.path);
    expect(await store.list()).toHaveLength(1);

    writeFileAndFolders(getNthClaudeSessionPath(folder.path, 2), createClaudeSession(4));
    await importSource(store, folder.path);
    writeFileAndFolders(getNthClaudeSessionPath(folder.path, 1), createClaudeSession(6));
    await importSource(store, folder.path);

    const lengths = (await store.list()).map(({ content }) => content.match(/Message/g)?.length);
    expect(lengths.toSorted()).toEqual([4, 6]);
  });

  test.each(['ndjson', 'json', 'markdown'] as const)(
    'an export as %s carries origins to another store',
    async (format) => {
      using folder = createTemporaryFolder();
      await using from = await open();
      await using to = await open();
      const projects = join(folder.path, 'projects');
      writeFileAndFolders(getNthClaudeSessionPath(projects, 1), createClaudeSession(2));
      await importSource(from, projects);
      const target = { path: join(folder.path, `all.${format}`), force: true };
      const notes = joinNoteBatchesWithOrigins(from.scan(), streamOriginBatches(from));
      if (format === 'markdown') await exportToFolder(target, notes);
      else await exportToFile(target, notes, format);
      await importSource(to, target.path);
      writeFileAndFolders(getNthClaudeSessionPath(projects, 1), createClaudeSession(4));

      expect(await importSource(to, projects)).toMatchObject({ added: 0, updated: 1 });
    },
  );
});

test('two concurrent imports of one source make one note', async () => {
  using folder = createTemporaryFolder();
  await using store = await openSqlite({ path: ':memory:' });
  const projects = join(folder.path, 'projects');
  for (let n = 1; n <= 20; n++) writeFileAndFolders(getNthClaudeSessionPath(projects, n), createClaudeSession(n));

  const reports = await Promise.all([importSource(store, projects), importSource(store, projects)]);

  expect(await store.list()).toHaveLength(20);
  expect(reports.map(({ added, unchanged }) => added + unchanged)).toEqual([20, 20]);
});
