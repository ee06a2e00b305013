import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../../../test/support/service.ts';
import * as message from '../../core/error-messages.ts';
import * as storeMessage from '../store-messages.ts';
import {
  classifyError,
  DatabaseFileReplacedError,
  type FailureKind,
  toNoteErrorIfDatabaseError,
} from './sqlite-errors.ts';

const kinds = ['locked', 'refused', 'full', 'wrong', 'no database', 'of the file system'] as const;

/** Makes SQLite or the file system throw a real error, and returns it. */
function provokeError(kind: (typeof kinds)[number]): unknown {
  using folder = createTemporaryFolder();
  const path = join(folder.path, 'a.db');
  if (kind === 'no database') writeFileSync(path, 'x'.repeat(10_000));
  using db = new Database(path);
  using other = new Database(path);
  try {
    if (kind !== 'no database') db.run('CREATE TABLE a (b UNIQUE)');
    if (kind === 'locked') other.run('BEGIN EXCLUSIVE');
    if (kind === 'refused') db.run('INSERT INTO a VALUES (1), (1)');
    if (kind === 'full') db.run('PRAGMA max_page_count = 4');
    if (kind === 'wrong') db.run('INSERT INTO nowhere VALUES (1)');
    if (kind === 'of the file system') readFileSync(join(folder.path, 'missing'));
    db.run('INSERT INTO a VALUES (zeroblob(100000))');
  } catch (error) {
    return error;
  }
  throw new Error(`nothing was ${kind}`);
}

test.each<[string, unknown, FailureKind]>([
  ['a locked database', provokeError('locked'), 'busy'],
  ['a constraint', provokeError('refused'), 'constraint'],
  ['a full disk', provokeError('full'), 'rolled-back'],
  ['a missing table', provokeError('wrong'), 'rolled-back'],
  ['a file that is no database', provokeError('no database'), 'uncertain'],
  ['an error of the file system', provokeError('of the file system'), 'uncertain'],
  ['a replaced file', new DatabaseFileReplacedError('notes.db was replaced'), 'uncertain'],
  ['a mistake of ours', new Error('a mistake of ours'), 'rolled-back'],
])('the kind of the error of %s', (_, error, kind) => {
  expect(classifyError(error)).toBe(kind);
});

test.each([
  ['locked', 'read', 'busy', message.storeNotRead, 'none', true],
  ['locked', 'write', 'busy', storeMessage.storeLocked, 'none', true],
  ['locked', 'trial', 'busy', storeMessage.writesRejected, 'none', true],
  ['full', 'write', 'unavailable', storeMessage.storeFull, 'none', false],
  ['full', 'trial', 'unavailable', storeMessage.storeWithoutRoom, 'none', true],
  ['wrong', 'write', 'unavailable', storeMessage.statementRejected, 'none', false],
  ['no database', 'read', 'unavailable', message.storeNotRead, 'none', true],
  ['no database', 'write', 'unavailable', message.storeFailed, 'unknown', false],
  ['no database', 'trial', 'unavailable', message.storeNotRead, 'none', true],
] as const)(
  'of an error that is %s during a %s, users learn: %s, %s',
  (kind, operation, code, text, outcome, retry) => {
    const cause = provokeError(kind);

    const shown = toNoteErrorIfDatabaseError(cause, operation);

    expect(shown).toMatchObject({ code, message: text, outcome, retry, cause });
  },
);

test('a mistake of ours is not taken for a failure of the store', () => {
  const mistake = new TypeError('a mistake');

  expect(toNoteErrorIfDatabaseError(mistake, 'write')).toBe(mistake);
});
