import { expect, test } from 'bun:test';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../../../test/support/service.ts';
import { isFileOfDatabase, isFileOfSqliteDatabase, resolveRealPath } from './database-files.ts';

test('links lead to one real path, also before the file exists', () => {
  using folder = createTemporaryFolder();
  const root = realpathSync(folder.path);
  const file = join(root, 'folder', 'notes.db');
  mkdirSync(join(root, 'folder'));
  symlinkSync('folder', join(root, 'link'));
  symlinkSync(file, join(root, 'notes.db'));

  expect(resolveRealPath(join(root, 'link', 'notes.db'))).toBe(file);
  expect(resolveRealPath(join(root, 'link', 'new', 'notes.db'))).toBe(join(root, 'folder', 'new', 'notes.db'));
  writeFileSync(file, 'SQLite format 3\0');

  expect(resolveRealPath(join(root, 'notes.db'))).toBe(file);
  for (const suffix of ['', '-wal', '-shm', '-journal', '.lock']) {
    expect(isFileOfDatabase(join(root, 'link', `notes.db${suffix}`), join(root, 'notes.db'))).toBe(true);
    expect(isFileOfSqliteDatabase(`${file}${suffix}`)).toBe(true);
  }
  expect([
    isFileOfDatabase(join(root, 'notes.db-other'), file),
    isFileOfSqliteDatabase(join(root, 'other-wal')),
  ]).toEqual([false, false]);
});
