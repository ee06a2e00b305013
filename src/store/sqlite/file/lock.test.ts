import { expect, test } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/service.ts';
import { lock, lockStateOf } from './lock.ts';

test('is held by one at a time, and remembers a store once told', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  expect(lockStateOf(path)).toEqual({ isHeld: false, hasStore: false });
  expect(readdirSync(folder.path)).toEqual([]);

  {
    using held = lock(path);
    expect(held.hasStore).toBe(false);
    expect(() => lock(path)).toThrow(expect.objectContaining({ code: 'busy' }));
    expect(lockStateOf(path).isHeld).toBe(true);
  }
  expect(lockStateOf(path)).toEqual({ isHeld: false, hasStore: false });
  {
    using held = lock(path);
    held.rememberStore();
    expect(lockStateOf(path).isHeld).toBe(true);
  }

  expect(lockStateOf(path)).toEqual({ isHeld: false, hasStore: true });
  using again = lock(path);
  expect(again.hasStore).toBe(true);
  expect((statSync(`${path}.lock`).mode & 0o777).toString(8)).toBe('600');
});
