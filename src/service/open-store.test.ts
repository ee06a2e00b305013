import { expect, test } from 'bun:test';
import { findSqliteVersionProblem, readSqliteVersion } from './open-store.ts';

test.each(['3.51.3', '3.51.10', '3.52.0', '3.100.0', '4.0.0', readSqliteVersion()])('SQLite %s is sound', (version) => {
  expect(findSqliteVersionProblem(version)).toBeUndefined();
});

test.each(['3.51.2', '3.51', '3.43.2', '3.9.0', '2.99.99'])('SQLite %s may damage a database', (version) => {
  expect(findSqliteVersionProblem(version)).toContain(`SQLite ${version} may damage a database`);
});
