import { expect, test } from 'bun:test';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/service.ts';
import { isFileOfAnyDatabase, isFileOfDatabase, resolveRealPath } from './database-files.ts';

test('links lead to one real path, also before the file exists', () => {
  using folder = temporaryFolder();
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
    expect(isFileOfDatabase(join(root, 'notes.db'), join(root, 'link', `notes.db${suffix}`))).toBe(true);
    expect(isFileOfAnyDatabase(`${file}${suffix}`)).toBe(true);
  }
  expect([isFileOfDatabase(file, join(root, 'notes.db-other')), isFileOfAnyDatabase(join(root, 'other-wal'))]).toEqual([
    false,
    false,
  ]);
});
