import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { createTemporaryFolder } from '../../../test/support/service.ts';
import { categories, groups, type NoteFilter } from '../../core/note.ts';
import { lockRecoverAndMigrateDatabase } from './open-sqlite-database.ts';
import { openAndIterateNotes } from './sqlite-snapshots.ts';

const count = 5_000;

/** A file of notes with all combinations of category, group and flag, of which only `css` is rare, and its reader. */
function manyNotes() {
  using opened = new DisposableStack();
  const path = join(opened.use(createTemporaryFolder()).path, 'notes.db');
  const { db, resources } = lockRecoverAndMigrateDatabase({ path, openedBy: 'command' });
  opened.use(resources);
  db.run(
    `WITH RECURSIVE series (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < ${count})
     INSERT INTO notes (title, content, category, "group", color, archived, created_at, updated_at)
     SELECT 'n' || value, 'c',
       CASE WHEN value % 1999 = 7 THEN 'css' ELSE json_extract(?1, '$[' || (1 + value * 7 % 6) || ']') END,
       json_extract(?2, '$[' || (value * 11 / 3 % 5) || ']'), 'info', value % 3 = 0, 0, 0
     FROM series`,
    [JSON.stringify(categories), JSON.stringify(groups)],
  );
  const moved = opened.move();
  return { db, path, [Symbol.dispose]: () => moved.dispose() };
}

const readSnapshotIds = (path: string, filter: NoteFilter) =>
  [...openAndIterateNotes(path, filter)].map(({ id }) => id);

test.each<NoteFilter>([
  {},
  { category: 'css' },
  { group: 'third' },
  { archived: false },
  { category: 'prompts', group: 'second', archived: true },
])('the index finds the same notes as a scan: %p', (filter) => {
  using notes = manyNotes();
  const scan = notes.db.prepare<{ id: number }, (string | number | null)[]>(
    `SELECT id FROM notes NOT INDEXED WHERE (?1 IS NULL OR category = ?1) AND (?2 IS NULL OR "group" = ?2)
     AND (?3 IS NULL OR archived = ?3) ORDER BY id`,
  );
  const { category = null, group = null, archived } = filter;

  const expected = scan.all(category, group, archived === undefined ? null : Number(archived)).map(({ id }) => id);

  expect(readSnapshotIds(notes.path, filter)).toEqual(expected);
});
