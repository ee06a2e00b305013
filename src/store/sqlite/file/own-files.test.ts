import { expect, test } from 'bun:test';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/service.ts';
import { realPathOf } from './own-files.ts';

test('resolves links to one real path, also before the file exists', () => {
  using folder = temporaryFolder();
  const root = realpathSync(folder.path);
  const file = join(root, 'folder', 'notes.db');
  mkdirSync(join(root, 'folder'));
  symlinkSync('folder', join(root, 'link'));
  symlinkSync(file, join(root, 'notes.db'));

  expect(realPathOf(join(root, 'link', 'notes.db'))).toBe(file);
  expect(realPathOf(join(root, 'link', 'new', 'notes.db'))).toBe(join(root, 'folder', 'new', 'notes.db'));
  writeFileSync(file, '');
  expect(realPathOf(join(root, 'link', 'notes.db'))).toBe(file);
  expect(realPathOf(join(root, 'notes.db'))).toBe(file);
});
