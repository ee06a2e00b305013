/** The number of versions after rollbacks and commits of other programs. For all stores: test/integration/history.test.ts. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { draft, temporaryFolder } from '../../../test/support/service.ts';
import { historyOf } from '../../../test/support/stores.ts';
import type { NoteEngine } from '../../domain/store.ts';
import { openSqlite } from './open.ts';

const rename = async (store: NoteEngine, ...titles: string[]) => {
  for (const title of titles) await store.update(1, { title });
};

const titlesOf = async (store: NoteEngine) => (await historyOf(store, 1)).map(({ title }) => title);

test('as many versions as before are kept after a merge was tried', async () => {
  await using store = await openSqlite({ path: ':memory:', maxVersions: 3 });
  const note = await store.create(draft({ title: 'a' }));
  await rename(store, 'b', 'c');

  const outcomes = await store.merge([{ ...note, updatedAt: '2100-01-01T00:00:00.000Z' }], { dryRun: true });
  await rename(store, 'd', 'e');

  expect(outcomes).toEqual(['replaced']);

  expect(await titlesOf(store)).toEqual(['d', 'c', 'b']);
});

test('as many versions as before are kept after another program removed some', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  await using store = await openSqlite({ path, maxVersions: 3 });
  await store.create(draft({ title: 'a' }));
  await rename(store, 'b', 'c', 'd');

  using other = new Database(path);
  other.run('DELETE FROM note_versions');
  await rename(store, 'e', 'f', 'g', 'h');

  expect(await titlesOf(store)).toEqual(['g', 'f', 'e']);
});

test('a note that has more versions than are kept now loses the older ones with its next change', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  {
    await using store = await openSqlite({ path });
    await store.create(draft({ title: 'a' }));
    await rename(store, 'b', 'c', 'd', 'e');
  }
  await using store = await openSqlite({ path, maxVersions: 2 });
  expect(await titlesOf(store)).toEqual(['d', 'c', 'b', 'a']);

  await rename(store, 'f');
  expect(await titlesOf(store)).toEqual(['e', 'd']);
  await rename(store, 'g');

  expect(await titlesOf(store)).toEqual(['f', 'e']);
});
