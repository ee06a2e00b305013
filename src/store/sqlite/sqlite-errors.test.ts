import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/service.ts';
import * as message from '../../core/error-messages.ts';
import * as storeMessage from '../store-messages.ts';
import { type Failure, failureOf, noteErrorOf, UncertainState } from './sqlite-errors.ts';

const kinds = ['locked', 'refused', 'full', 'wrong', 'no database', 'of the file system'] as const;

/** A real error of a database, or of the file system. */
function errorOf(kind: (typeof kinds)[number]): unknown {
  using folder = temporaryFolder();
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

test.each<[string, unknown, Failure]>([
  ['a locked database', errorOf('locked'), 'wait'],
  ['a constraint', errorOf('refused'), 'refuse'],
  ['a full disk', errorOf('full'), 'fail'],
  ['a missing table', errorOf('wrong'), 'fail'],
  ['a file that is no database', errorOf('no database'), 'stop'],
  ['an error of the file system', errorOf('of the file system'), 'stop'],
  ['a replaced file', new UncertainState('notes.db was replaced'), 'stop'],
  ['a mistake of ours', new Error('a mistake of ours'), 'fail'],
])('the failure of %s', (_, error, failure) => {
  expect(failureOf(error)).toBe(failure);
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
] as const)('of an error that is %s during a %s, users learn: %s, %s', (kind, during, code, text, outcome, retry) => {
  const cause = errorOf(kind);

  const shown = noteErrorOf(cause, during);

  expect(shown).toMatchObject({ code, message: text, outcome, retry, cause });
});

test('a mistake of ours is not taken for a failure of the store', () => {
  const mistake = new TypeError('a mistake');

  expect(noteErrorOf(mistake, 'write')).toBe(mistake);
});
