import { describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/service.ts';
import { automaticName, manualName, manualTimeOf, restoreAdvice, timeOf } from './backup-names.ts';

const at = Date.parse('2026-11-22T10:15:00Z');

test('an automatic backup is named by its database and the time in UTC', () => {
  expect(automaticName('/data/notes.db', at + 999)).toBe('notes-2026-11-22T10-15-00Z.db');
  expect(timeOf('/data/notes.db', 'notes-2026-11-22T10-15-00Z.db')).toBe(at);
  expect(timeOf('/data/my-notes', 'my-notes-2026-11-22T10-15-00Z.db')).toBe(at);
});

test.each([
  'notes-20261122T101500Z.db', // of "notes backup"
  'work-2026-11-22T10-15-00Z.db', // of another database
  'my-notes-2026-11-22T10-15-00Z.db',
  'notes-2026-11-22T10-15-00Z.db.part',
  'notes-2026-13-22T10-15-00Z.db',
  'notes-2026-02-31T10-15-00Z.db',
  'notes.db',
])('%s is no automatic backup of notes.db', (name) => {
  expect(timeOf('/data/notes.db', name)).toBeUndefined();
});

test('a backup by hand is named by its database and the time in UTC, and so is no other one', () => {
  expect(manualName('/data/my-notes.db', at + 999)).toBe('my-notes-20261122T101500Z.db');
  expect(manualTimeOf('/data/my-notes.db', 'my-notes-20261122T101500Z.db')).toBe(at);
  expect(manualTimeOf('/data/my-notes.db', 'notes-20261122T101500Z.db')).toBeUndefined();
  expect(manualTimeOf('/data/notes.db', 'my-notes-20261122T101500Z.db')).toBeUndefined();
  expect(manualTimeOf('/data/notes.db', 'notes-20261332T101500Z.db')).toBeUndefined();
});

describe('restoreAdvice', () => {
  test('names the newest of manual and automatic backups', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'notes.db');
    expect(restoreAdvice(path)).toBe('Restore a backup with "notes restore"');

    writeFileSync(join(folder.path, 'notes-20261121T101500Z.db'), '');
    expect(restoreAdvice(path)).toEndWith('/notes-20261121T101500Z.db');

    mkdirSync(join(folder.path, 'backups'));
    writeFileSync(join(folder.path, 'backups', 'notes-2026-11-22T10-15-00Z.db'), '');
    expect(restoreAdvice(path)).toEndWith('/backups/notes-2026-11-22T10-15-00Z.db');
  });

  test('names no link and no folder, which someone else may have planted', () => {
    using folder = temporaryFolder();
    symlinkSync('/etc/hostname', join(folder.path, 'notes-20261121T101500Z.db'));
    mkdirSync(join(folder.path, 'notes-20261122T101500Z.db'));

    expect(restoreAdvice(join(folder.path, 'notes.db'))).toBe('Restore a backup with "notes restore"');
  });
});
