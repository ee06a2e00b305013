import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/service.ts';
import { belongsTo, belongsToAny, realPathOf } from './database-files.ts';
import { isLocked, lock } from './lock.ts';

test('one at a time holds the lock, which is for its owner only; to look at it creates nothing', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  expect([isLocked(path), readdirSync(folder.path)]).toEqual([false, []]);

  {
    using _held = lock(path);
    expect(() => lock(path)).toThrow(expect.objectContaining({ code: 'busy' }));
    expect(isLocked(path)).toBe(true);
  }

  expect(isLocked(path)).toBe(false);
  using _again = lock(path);
  expect((statSync(`${path}.lock`).mode & 0o777).toString(8)).toBe('600');
});

test('links lead to one real path, also before the file exists', () => {
  using folder = temporaryFolder();
  const root = realpathSync(folder.path);
  const file = join(root, 'folder', 'notes.db');
  mkdirSync(join(root, 'folder'));
  symlinkSync('folder', join(root, 'link'));
  symlinkSync(file, join(root, 'notes.db'));

  expect(realPathOf(join(root, 'link', 'notes.db'))).toBe(file);
  expect(realPathOf(join(root, 'link', 'new', 'notes.db'))).toBe(join(root, 'folder', 'new', 'notes.db'));
  writeFileSync(file, 'SQLite format 3\0');

  expect(realPathOf(join(root, 'notes.db'))).toBe(file);
  for (const suffix of ['', '-wal', '-shm', '-journal', '.lock']) {
    expect(belongsTo(join(root, 'notes.db'), join(root, 'link', `notes.db${suffix}`))).toBe(true);
    expect(belongsToAny(`${file}${suffix}`)).toBe(true);
  }
  expect([belongsTo(file, join(root, 'notes.db-other')), belongsToAny(join(root, 'other-wal'))]).toEqual([
    false,
    false,
  ]);
});
