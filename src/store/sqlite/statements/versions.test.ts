/** The number of versions after rollbacks, refused writes and foreign commits. test/integration/history.test.ts has the rest. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { draft, temporaryFolder } from '../../../../test/support/service.ts';
import { historyOf } from '../../../../test/support/stores.ts';
import type { NoteEngine } from '../../../domain/store.ts';
import { openSqlite } from '../open.ts';

const rename = async (store: NoteEngine, ...titles: string[]) => {
  for (const title of titles) await store.update(1, { title });
};

const titlesOf = async (store: NoteEngine) => (await historyOf(store, 1)).map(({ title }) => title);

test('a dry run of a merge changes no count', async () => {
  await using store = await openSqlite({ path: ':memory:', maxVersions: 3 });
  const note = await store.create(draft({ title: 'a' }));
  await rename(store, 'b', 'c');

  const outcomes = await store.merge([{ ...note, updatedAt: '2100-01-01T00:00:00.000Z' }], { dryRun: true });
  await rename(store, 'd', 'e');

  expect(outcomes).toEqual(['replaced']);
  expect(await titlesOf(store)).toEqual(['d', 'c', 'b']);
});

test('versions that another program removed are counted again', async () => {
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

test('with a lower limit, the next change of a note removes its excess versions', async () => {
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

test('a refused change leaves no version', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  await using store = await openSqlite({ path, maxVersions: 2 });
  await store.create(draft({ title: 'a' }));
  await rename(store, 'b', 'c');

  using other = new Database(path);
  other.run("CREATE TRIGGER refuse BEFORE UPDATE ON notes WHEN NEW.title = 'x' BEGIN SELECT RAISE(ABORT, 'no'); END");
  const [refused, changed] = await Promise.allSettled([rename(store, 'x'), rename(store, 'd')]);

  expect([refused.status, changed.status]).toEqual(['rejected', 'fulfilled']);
  expect(await titlesOf(store)).toEqual(['c', 'b']);
});
