import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { isForeign } from './migrate.ts';
import { applicationId } from './schema.ts';

test.each([
  ['an empty file', [], false],
  ['tables', ['CREATE TABLE notes (id)'], true],
  ['a mark', ['PRAGMA application_id = 7'], true],
  ['our mark', [`PRAGMA application_id = ${applicationId}`], false],
  ['our mark and tables', [`PRAGMA application_id = ${applicationId}`, 'CREATE TABLE bookmarks (url)'], false],
])('with %s, a database is of another program: %p', (_, statements, expected) => {
  using db = new Database(':memory:');
  for (const statement of statements) db.run(statement);

  expect(isForeign(db)).toBe(expected);
});
