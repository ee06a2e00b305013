import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../../../../test/support/service.ts';
import { findBackupsUnsorted, getFreeBackupPath, tryParseBackupTime } from './backup-names.ts';

const at = Date.parse('2026-11-22T10:15:00Z');

test('a backup is named by its database and the time in UTC, a later one of the same second also by a number', () => {
  using folder = createTemporaryFolder();
  const names = ['notes-2026-11-22T10-15-00Z.db', 'notes-2026-11-22T10-15-00Z-2.db', 'notes-2026-11-22T10-15-00Z-3.db'];

  for (const name of names) {
    const path = getFreeBackupPath('/data/notes.db', folder.path, at + 999);
    expect(path).toBe(join(folder.path, name));
    writeFileSync(path, '');
  }

  expect(names.map((name) => tryParseBackupTime('/data/notes.db', name))).toEqual([at, at + 1, at + 2]);
  expect(findBackupsUnsorted(folder.path, '/data/notes.db')).toHaveLength(3);
  expect(tryParseBackupTime('/data/my-notes', 'my-notes-2026-11-22T10-15-00Z.db')).toBe(at);
});

test.each([
  'work-2026-11-22T10-15-00Z.db', // of another database
  'my-notes-2026-11-22T10-15-00Z.db',
  'notes-2026-11-22T10-15-00Z.db.part',
  'notes-2026-11-22T10-15-00Z-old.db',
  'notes-2026-02-31T10-15-00Z.db',
  'notes.db.before-restore-2026-11-22T10-15-00Z',
  'notes.db',
])('%s is no backup of notes.db', (name) => {
  expect(tryParseBackupTime('/data/notes.db', name)).toBeUndefined();
});
