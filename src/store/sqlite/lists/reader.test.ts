import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/service.ts';
import { categories, groups, type NoteFilter } from '../../../domain/note.ts';
import { openSqlite } from '../open.ts';
import { Reader } from './reader.ts';

const count = 30_000;

/** Creates a file of many notes, with all combinations of category, group and flag; only `css` is rare. */
async function manyNotes(folder: string): Promise<string> {
  const path = join(folder, 'notes.db');
  await (await openSqlite({ path }))[Symbol.asyncDispose]();
  using db = new Database(path);
  db.run(
    `WITH RECURSIVE series (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < ${count})
     INSERT INTO notes (title, content, category, "group", color, archived, created_at, updated_at)
     SELECT 'n' || value, 'c',
       CASE WHEN value % 9999 = 7 THEN 'css' ELSE json_extract(?1, '$[' || (1 + value * 7 % 6) || ']') END,
       json_extract(?2, '$[' || (value * 11 / 3 % 5) || ']'), 'info', value % 3 = 0, 0, 0
     FROM series`,
    [JSON.stringify(categories), JSON.stringify(groups)],
  );
  return path;
}

const idsOf = (reader: Reader, filter: NoteFilter) => [...reader.rows(filter)].map(({ id }) => id);

describe('Reader', () => {
  test.each<NoteFilter>([
    {},
    { category: 'css' },
    { category: 'notes' },
    { group: 'third' },
    { archived: true },
    { archived: false },
    { category: 'notes', archived: false },
    { category: 'css', group: 'first' },
    { category: 'prompts', group: 'second', archived: true },
  ])('finds the same notes by the index as by a scan: %p', async (filter) => {
    using folder = temporaryFolder();
    const path = await manyNotes(folder.path);
    using reader = new Reader(path);
    using db = new Database(path);
    const scan = db.prepare<{ id: number }, (string | number | null)[]>(
      `SELECT id FROM notes NOT INDEXED WHERE (?1 IS NULL OR category = ?1) AND (?2 IS NULL OR "group" = ?2)
       AND (?3 IS NULL OR archived = ?3) ORDER BY id`,
    );
    const { category = null, group = null, archived } = filter;

    const expected = scan.all(category, group, archived === undefined ? null : Number(archived)).map((row) => row.id);

    expect(idsOf(reader, filter)).toEqual(expected);
  });

  test('continues at the next existing id, however far it is', async () => {
    using folder = temporaryFolder();
    const path = await manyNotes(folder.path);
    using reader = new Reader(path);
    using db = new Database(path);
    const before = idsOf(reader, { category: 'css' });
    db.run('UPDATE notes SET id = ? WHERE id = ?', [Number.MAX_SAFE_INTEGER, before[0] ?? 0]);

    expect(idsOf(reader, { category: 'css' })).toEqual([...before.slice(1), Number.MAX_SAFE_INTEGER]);
  });

  test('holds the snapshot of a list until it is read or abandoned', async () => {
    using folder = temporaryFolder();
    const path = await manyNotes(folder.path);
    using reader = new Reader(path);
    using other = new Database(path);
    const [read, left] = [reader.rows({}), reader.rows({})];
    for (const rows of [read, left]) rows.next();

    other.run('DELETE FROM notes WHERE id > 10');

    expect([...read]).toHaveLength(count - 1);
    left.return();
    expect(idsOf(reader, {})).toHaveLength(10);
  });
});
