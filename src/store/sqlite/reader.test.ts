import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/service.ts';
import { categories, groups, type Note, type NoteFilter } from '../../domain/note.ts';
import { openSqlite } from './open.ts';
import { createReader } from './reader.ts';

const count = 30_000;

/** A file of many notes, in which every combination of category, group and flag is common and `css` is rare. */
async function manyNotes(folder: string): Promise<string> {
  const path = join(folder, 'notes.db');
  await openSqlite({ path })[Symbol.asyncDispose]();
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

function idsOf(reader: ReturnType<typeof createReader>, filter: NoteFilter): number[] {
  const listing = reader.read(filter);
  const json = listing.kind === 'whole' ? listing.json : [listing.head, ...listing.rest].join('');
  return JSON.parse(json).map((note: Note) => note.id);
}

describe('createReader', () => {
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
  ])('finds the same notes by index and window as a plain scan does: %p', async (filter) => {
    using folder = temporaryFolder();
    const path = await manyNotes(folder.path);
    using reader = createReader(path);
    using db = new Database(path);
    const scan = db.prepare<{ id: number }, (string | number | null)[]>(
      `SELECT id FROM notes NOT INDEXED WHERE (?1 IS NULL OR category = ?1) AND (?2 IS NULL OR "group" = ?2)
       AND (?3 IS NULL OR archived = ?3) ORDER BY id`,
    );
    const { category = null, group = null, archived } = filter;

    const expected = scan.all(category, group, archived === undefined ? null : Number(archived)).map((row) => row.id);

    expect(idsOf(reader, filter)).toEqual(expected);
    expect(reader.snapshots).toBe(0);
  });

  test('holds a long list at its moment until it is read or left', async () => {
    using folder = temporaryFolder();
    using reader = createReader(await manyNotes(folder.path));

    const [read, left] = [reader.read({}), reader.read({})];

    expect(reader.snapshots).toBe(2);
    if (read.kind === 'long') for (const _ of read.rest);
    if (left.kind === 'long') left.rest.return();
    expect(reader.snapshots).toBe(0);
  });

  test('has no vacancy while sixteen long lists are read, and tells those who waited too long', async () => {
    using folder = temporaryFolder();
    using reader = createReader(await manyNotes(folder.path), (error) => error, 100);
    const open = Array.from({ length: 15 }, () => reader.read({}));
    expect(reader.vacancy()).toBeUndefined();
    const last = reader.read({});

    await expect(reader.vacancy()).rejects.toThrow('Too many requests are waiting');
    const vacancy = reader.vacancy();
    if (last.kind === 'long') last.rest.return();

    expect(await vacancy).toBeUndefined();
    for (const listing of open) if (listing.kind === 'long') listing.rest.return();
  });

  test('lets in all who waited, also behind those who then read nothing', async () => {
    using folder = temporaryFolder();
    using reader = createReader(await manyNotes(folder.path));
    const open = Array.from({ length: 16 }, () => reader.read({}));
    const waiting = Array.from({ length: 40 }, () => reader.vacancy());

    for (const listing of open) if (listing.kind === 'long') listing.rest.return();

    expect(await Promise.all(waiting)).toHaveLength(40);
    expect(reader.vacancy()).toBeUndefined();
  });

  test('bounds how many long lists are read at once; short ones still are', async () => {
    using folder = temporaryFolder();
    using reader = createReader(await manyNotes(folder.path));
    const open = Array.from({ length: 16 }, () => reader.read({}));

    expect(() => reader.read({})).toThrow('Too many requests are waiting');
    expect(idsOf(reader, { category: 'css' })).toEqual([7, 10_006, 20_005]);
    for (const listing of open) if (listing.kind === 'long') listing.rest.return();
    expect(reader.read({}).kind).toBe('long');
  });
});
