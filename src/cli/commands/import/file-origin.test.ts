import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/service.ts';
import { originKey } from '../../../formats/origin.ts';
import { FileOrigins } from './source.ts';

test('a file is identified by its path, and in a vault by the name of the vault and the path in it', () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'My vault', '.obsidian'), { recursive: true });
  const below = (...names: string[]) => join(folder.path, ...names);
  const origins = new FileOrigins();

  expect(origins.of(below('a.md'))).toBe(originKey('file', below('a.md')));
  expect(origins.of(below('My vault', 'a.md'))).toBe(originKey('obsidian', 'My vault/a.md'));
  expect(origins.of(below('My vault', 'deep', 'er', 'a.md'))).toBe(originKey('obsidian', 'My vault/deep/er/a.md'));
  expect(origins.of(below('My vault.md'))).toBe(originKey('file', below('My vault.md')));
});

test('a vault in a vault has its own files', () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'outer', 'inner', '.obsidian'), { recursive: true });
  mkdirSync(join(folder.path, 'outer', '.obsidian'));

  expect(new FileOrigins().of(join(folder.path, 'outer', 'inner', 'a.md'))).toBe(originKey('obsidian', 'inner/a.md'));
});

test('a vault keeps its origins when it is moved', () => {
  using folder = temporaryFolder();
  const [before, after] = ['a', 'b'].map((parent) => join(folder.path, parent, 'vault'));
  for (const vault of [before, after]) mkdirSync(join(vault ?? '', '.obsidian'), { recursive: true });
  const origins = new FileOrigins();

  expect(origins.of(join(before ?? '', 'a.md'))).toBe(origins.of(join(after ?? '', 'a.md')));
});
