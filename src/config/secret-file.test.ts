import { expect, test } from 'bun:test';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../../test/support/service.ts';
import { tryReadSecretFileWithWarning } from './secret-file.ts';

const isRoot = process.getuid?.() === 0;

/** The warning for a file with this mode, of this user (0: that of the test). */
function warningFor(mode: number, owner = 0): string | undefined {
  using folder = createTemporaryFolder();
  const path = join(folder.path, 'token');
  writeFileSync(path, 'secret');
  if (owner !== 0) chownSync(path, owner, owner);
  chmodSync(path, mode);
  const { text, warning } = tryReadSecretFileWithWarning(path, 'ACCESS_TOKEN_FILE') ?? {};
  expect(text).toBe('secret');
  return warning?.replace(path, 'token');
}

test.each([
  [0o600, undefined],
  [0o400, undefined],
  [0o640, '640. Run chmod 600 on it'],
  [0o604, '604. Run chmod 600 on it'],
  [0o602, '602. Run chmod 600 on it'],
])('of an own file with mode %o', (mode, end) => {
  expect(warningFor(mode)).toBe(end && `Others can use the secret in token (ACCESS_TOKEN_FILE), whose mode is ${end}`);
});

test.skipIf(!isRoot).each([
  [0o440, undefined],
  [0o400, undefined],
  [0o444, '444. Run chmod o= on it'],
])('of a file of another user, as mounted by Kubernetes, with mode %o', (mode, end) => {
  expect(warningFor(mode, 12_345)).toBe(
    end && `Others can use the secret in token (ACCESS_TOKEN_FILE), whose mode is ${end}`,
  );
});

test('a file that cannot be read has no text', () => {
  using folder = createTemporaryFolder();

  expect(tryReadSecretFileWithWarning(join(folder.path, 'missing'), 'NOTES_TOKEN_FILE')).toBeUndefined();
  expect(tryReadSecretFileWithWarning(folder.path, 'NOTES_TOKEN_FILE')).toBeUndefined();
});
