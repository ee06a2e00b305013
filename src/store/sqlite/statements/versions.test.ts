/**
 * The versions kept after rollbacks, refused writes, foreign commits and migrations. test/integration/history.test.ts
 * has the rest.
 */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { draft, temporaryFolder } from '../../../../test/support/service.ts';
import { historyOf } from '../../../../test/support/stores/stores.ts';
import type { NoteEngine } from '../../../domain/store.ts';
import { openSqlite } from '../open.ts';
import { applicationId, migrations } from '../schema.ts';

const rename = async (store: NoteEngine, ...titles: string[]) => {
  for (const title of titles) await store.update(1, { title });
};

const titlesOf = async (store: NoteEngine) => (await historyOf(store, 1)).map(({ title }) => title);

test('a dry run of a merge changes no version', async () => {
  await using store = await openSqlite({ path: ':memory:', maxVersions: 3 });
  const note = await store.create(draft({ title: 'a' }));
  await rename(store, 'b', 'c');

  const outcomes = await store.merge([{ ...note, updatedAt: '2100-01-01T00:00:00.000Z' }], { dryRun: true });
  await rename(store, 'd', 'e');

  expect(outcomes).toEqual(['replaced']);
  expect(await titlesOf(store)).toEqual(['d', 'c', 'b']);
});

test('versions that another program removed make room again', async () => {
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

test('a version that another program has inserted is not overwritten', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  await using store = await openSqlite({ path });
  await store.create(draft({ title: 'a' }));
  await rename(store, 'b');

  using other = new Database(path);
  other.run(`INSERT INTO note_versions (note_id, updated_at, category, "group", color, archived, title, content)
    VALUES (9, 1, 'css', 'first', 'info', 0, 'theirs', '-')`);
  await rename(store, 'c');

  expect(other.query('SELECT title FROM note_versions ORDER BY id').values().flat()).toEqual(['a', 'theirs', 'b']);
  expect(await titlesOf(store)).toEqual(['b', 'a']);
});

test('a note does not take the versions of another one whose rows replaced its own', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  await using store = await openSqlite({ path });
  await store.create(draft({ title: 'a' }));
  await rename(store, 'b', 'c');

  using other = new Database(path);
  other.run('DELETE FROM note_versions');
  const { id } = await store.create(draft({ title: 'other' }));
  for (const title of ['p', 'q', 'r']) await store.update(id, { title });

  expect(await titlesOf(store)).toEqual([]);
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

test('rows that were overwritten are not shown twice when the limit is raised', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  {
    await using store = await openSqlite({ path, maxVersions: 2 });
    await store.create(draft({ title: 'a' }));
    await rename(store, 'b', 'c', 'd');
    await store.create(draft({ title: 'other' }));
    await rename(store, 'e');
  }
  await using store = await openSqlite({ path, maxVersions: 10 });

  await rename(store, 'f', 'g');

  expect(await titlesOf(store)).toEqual(['f', 'e', 'd', 'c']);
});

test('merged versions take their places between others, and the oldest ones leave', async () => {
  await using store = await openSqlite({ path: ':memory:', maxVersions: 3 });
  const note = await store.create(draft({ title: 'a' }));
  const at = (day: number, title: string) => ({ ...note, title, updatedAt: `2100-01-0${day}T00:00:00.000Z` });

  const outcomes = [];
  for (const one of [at(9, 'i'), at(5, 'e'), at(7, 'g'), at(3, 'c'), at(6, 'f'), at(7, 'g'), at(2, 'b')])
    outcomes.push(...(await store.merge([one])));

  expect(outcomes).toEqual(['replaced', 'version', 'version', 'version', 'version', 'newer', 'newer']);
  expect(await titlesOf(store)).toEqual(['g', 'f', 'e']);
});

test('the versions of a database of an earlier schema are linked in their order', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  {
    using db = new Database(path);
    for (const step of migrations.slice(0, 5)) db.run(step);
    db.run(`PRAGMA application_id = ${applicationId}`);
    db.run('PRAGMA user_version = 5');
    db.run(`INSERT INTO notes (title, content, category, "group", color, created_at, updated_at) VALUES
      ('z', '-', 'css', 'first', 'info', 0, 100), ('other', '-', 'css', 'first', 'info', 0, 100), ('new', '-', 'css', 'first', 'info', 0, 0)`);
    const put =
      db.prepare(`INSERT INTO note_versions (note_id, title, content, category, "group", color, archived, updated_at)
      VALUES (?, ?, '-', 'css', 'first', 'info', 0, ?)`);
    for (const [id, title, at] of [
      [1, 'c', 3],
      [2, 'x', 1],
      [1, 'a', 1],
      [2, 'y', 2],
      [1, 'b', 2],
    ] as const)
      put.run(id, title, at);
  }
  await using store = await openSqlite({ path, maxVersions: 3 });
  expect(await titlesOf(store)).toEqual(['c', 'b', 'a']);

  await rename(store, 'zz');

  expect(await titlesOf(store)).toEqual(['z', 'c', 'b']);
  const all: string[] = [];
  for await (const some of store.scanVersions()) all.push(...some.map(({ title }) => title));
  expect(all).toEqual(['y', 'x', 'z', 'c', 'b']);
});
