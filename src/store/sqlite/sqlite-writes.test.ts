import { expect, test } from 'bun:test';
import { openDatabase } from './database.ts';
import { prepareVersions } from './sqlite-versions.ts';
import { prepareWrites, tryWrites } from './sqlite-writes.ts';

test.each(['INSERT', 'UPDATE'])('a trigger that refuses an %s fails the trial with its reason', (operation) => {
  const { db, resources } = openDatabase({ path: ':memory:', user: 'command' });
  using _ = resources;
  db.run(`CREATE TRIGGER no BEFORE ${operation} ON notes BEGIN SELECT RAISE(ABORT, 'not today'); END`);
  const write = prepareWrites(db, prepareVersions(db, 1));
  db.run('BEGIN');

  expect(() => tryWrites(write)).toThrow('not today');
});
