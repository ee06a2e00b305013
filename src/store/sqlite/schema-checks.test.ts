import { expect, test } from 'bun:test';
import { openAndMigrateDatabase } from './open-database.ts';
import { assertCurrentSchema } from './schema-checks.ts';

test.each([
  ['PRAGMA user_version = 99', 'schema'],
  ['DROP INDEX notes_by_id_range', 'notes_by_id_range'],
  ['ALTER TABLE notes DROP COLUMN version_id', 'version_id'],
  ['DROP TABLE note_versions', 'note_versions'],
  ['DROP TABLE group_labels', 'group_labels'],
  ['DROP TABLE note_origins', 'note_origins'],
  ['DROP TABLE ended_sessions', 'ended_sessions'],
])('after %s, the check names %s', (change, named) => {
  const { db, resources } = openAndMigrateDatabase({ path: ':memory:', user: 'command' });
  using _ = resources;
  expect(() => assertCurrentSchema(db)).not.toThrow();

  db.run(change);

  expect(() => assertCurrentSchema(db)).toThrow(named);
});
