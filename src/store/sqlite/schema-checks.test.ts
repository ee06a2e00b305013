import { expect, test } from 'bun:test';
import { lockRecoverAndMigrateDatabase } from './open-sqlite-database.ts';
import { assertCurrentSchema } from './schema-checks.ts';

test.each([
  ['PRAGMA user_version = 99', 'schema'],
  ['DROP INDEX notes_by_id_range', 'notes_by_id_range'],
  ['ALTER TABLE notes DROP COLUMN version_id', 'version_id'],
  ['DROP TABLE note_versions', 'note_versions'],
  ['DROP TABLE group_labels', 'group_labels'],
  ['DROP TABLE note_origins', 'note_origins'],
  ['DROP TABLE ended_sessions', 'ended_sessions'],
  ['DROP TABLE pins', 'pins'],
  ['DROP TABLE category_labels', 'category_labels'],
])('after %s, the check names %s', (change, named) => {
  const { db, resources } = lockRecoverAndMigrateDatabase({ path: ':memory:', openedBy: 'command' });
  using _ = resources;
  expect(() => assertCurrentSchema(db)).not.toThrow();

  db.run(change);

  expect(() => assertCurrentSchema(db)).toThrow(named);
});
