import type { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { openDatabase } from '../file/database.ts';
import { continueAfter, lastIdOf } from './last-id.ts';

const create = (db: Database, id: number | null = null) =>
  db.run(
    `INSERT INTO notes (id, title, content, category, "group", color, created_at, updated_at)
       VALUES (?, 'a', 'b', 'css', 'first', 'info', 0, 0)`,
    [id],
  ).lastInsertRowid;

test('is the highest id ever assigned, also of a note that is gone or has a higher id than any assigned', () => {
  const { db, resources } = openDatabase({ path: ':memory:', isChecked: false });
  using _ = resources;
  expect(lastIdOf(db)).toBe(0);

  create(db);
  create(db, 7);
  db.run('DELETE FROM notes WHERE id = 7');
  expect(lastIdOf(db)).toBe(7);
  db.run('UPDATE notes SET id = 9');
  expect(lastIdOf(db)).toBe(9);
});

test('new ids follow the higher one of those given and assigned, also in an empty table', () => {
  const { db, resources } = openDatabase({ path: ':memory:', isChecked: false });
  using _ = resources;

  continueAfter(db, 5);
  expect([lastIdOf(db), create(db)]).toEqual([5, 6]);
  db.run('DELETE FROM notes');
  continueAfter(db, 2);
  expect([lastIdOf(db), create(db)]).toEqual([6, 7]);
});
