/**
 * The versions kept after rollbacks, refused writes, foreign commits and migrations. test/integration/history.test.ts
 * has what all stores have in common.
 */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { createDraft } from '../../../test/support/sample-notes.ts';
import { createTemporaryFolder } from '../../../test/support/service.ts';
import { collectEarlierVersions, listOutcomes } from '../../../test/support/stores/stores.ts';
import type { NoteEngine } from '../../core/store.ts';
import { openSqlite } from '../open-sqlite.ts';
import { copyAndMigrateSqlite } from './migrate-sqlite.ts';
import { migrations } from './sqlite-migrations.ts';

/** A file with a note `a`. Others may open it too, as commands do, and another program. */
async function openTemporaryFile(maxVersions = 100) {
  await using opened = new AsyncDisposableStack();
  const path = join(opened.use(createTemporaryFolder()).path, 'notes.db');
  const openWith = (max: number) => openSqlite({ path, openedBy: 'command', maxVersions: max });
  const store = opened.use(await openWith(maxVersions));
  const note = await store.create(createDraft({ title: 'a' }));
  const other = opened.use(new Database(path));
  const resources = opened.move();
  return { path, store, note, other, openWith, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function rename(store: NoteEngine, titles: Iterable<string>, id = 1): Promise<void> {
  for (const title of titles) await store.update(id, { title });
}

const readJoinedTitlesOfHistory = async (store: NoteEngine) =>
  (await collectEarlierVersions(store, 1)).map(({ title }) => title).join('');

const readVersionTitles = (db: Database) => db.prepare('SELECT title FROM note_versions ORDER BY id').values().flat();

test('of a note with many changes the newest are shown, and only a few more are kept', async () => {
  await using file = await openTemporaryFile(3);
  const numbers = Array.from({ length: 100 }, (_, n) => `${n}`);
  for (const [index, title] of numbers.entries()) {
    await rename(file.store, [title]);
    expect(readVersionTitles(file.other).length).toBeLessThanOrEqual(2 * 3);
    if (index > 3)
      expect(await readJoinedTitlesOfHistory(file.store)).toBe(
        numbers
          .slice(index - 3, index)
          .toReversed()
          .join(''),
      );
  }
});

test('a lower limit shows fewer at once, and a higher one what is still there, without gaps', async () => {
  await using file = await openTemporaryFile();
  await rename(file.store, 'bcde');

  await using few = await file.openWith(2);
  expect(await readJoinedTitlesOfHistory(few)).toBe('dc');
  await rename(few, 'fghijklmnopqrstuvw');
  expect(await readJoinedTitlesOfHistory(few)).toBe('vu');

  await using many = await file.openWith(100);
  expect('vutsrqponmlkjihgfedcba').toStartWith(await readJoinedTitlesOfHistory(many));
  await rename(many, 'x');
  expect('wvutsrqponmlkjihgfedcba').toStartWith(await readJoinedTitlesOfHistory(many));
});

test('without a limit of versions none is kept, and those from before are still shown', async () => {
  await using file = await openTemporaryFile();
  await rename(file.store, 'bc');

  await using none = await file.openWith(0);
  await rename(none, 'de');

  expect(await readJoinedTitlesOfHistory(none)).toBe('ba');
  expect(readVersionTitles(file.other)).toEqual(['a', 'b']);
});

test('a dry run of a merge, and a change that is refused, leave none', async () => {
  await using file = await openTemporaryFile(2);
  const { store, note, other } = file;
  await rename(store, 'bc');
  other.run("CREATE TRIGGER refuse BEFORE UPDATE ON notes WHEN NEW.title = 'x' BEGIN SELECT RAISE(ABORT, 'no'); END");

  const results = await store.merge([{ ...note, updatedAt: '2100-01-01T00:00:00.000Z' }], { dryRun: true });
  const changes = await Promise.allSettled([rename(store, 'x'), rename(store, 'd')]);

  expect(results).toEqual([{ outcome: 'updated', id: note.id }]);
  expect(changes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(await readJoinedTitlesOfHistory(store)).toBe('cb');
});

test('merged versions take their places between others, and the oldest are left out', async () => {
  await using file = await openTemporaryFile(3);
  const at = (day: number, title: string) => ({ ...file.note, title, updatedAt: `2100-01-0${day}T00:00:00.000Z` });

  const outcomes = [];
  for (const one of [at(9, 'i'), at(5, 'e'), at(7, 'g'), at(3, 'c'), at(6, 'f'), at(7, 'g'), at(2, 'b'), at(8, 'i')])
    outcomes.push(...listOutcomes(await file.store.merge([one])));

  expect(outcomes).toEqual(['updated', 'left', 'left', 'left', 'left', 'unchanged', 'unchanged', 'unchanged']);
  expect(await readJoinedTitlesOfHistory(file.store)).toBe('gfe');
});

test('the versions of a database of an earlier schema are linked in their order', async () => {
  using folder = createTemporaryFolder();
  const path = join(folder.path, 'notes.db');
  {
    using db = new Database(path);
    copyAndMigrateSqlite(db, path, migrations.slice(0, 5));
    db.run(`INSERT INTO notes (title, content, category, "group", color, created_at, updated_at) VALUES
      ('z', '-', 'css', 'first', 'info', 0, 100), ('other', '-', 'css', 'first', 'info', 0, 100),
      ('new', '-', 'css', 'first', 'info', 0, 0)`);
    db.run(`INSERT INTO note_versions (note_id, title, content, category, "group", color, archived, updated_at)
      SELECT value ->> 0, value ->> 1, '-', 'css', 'first', 'info', 0, value ->> 2
      FROM json_each('[[1, "c", 3], [2, "x", 1], [1, "a", 1], [2, "y", 2], [1, "b", 2]]')`);
  }
  await using store = await openSqlite({ path, maxVersions: 3 });
  expect(await readJoinedTitlesOfHistory(store)).toBe('cba');

  await rename(store, ['zz']);

  expect(await readJoinedTitlesOfHistory(store)).toBe('zcb');
  const all = (await Array.fromAsync(store.streamAllVersionBatches())).flat();
  expect(all.map(({ title }) => title).join('')).toBe('yxzcb');
});
