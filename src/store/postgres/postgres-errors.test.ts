import { describe, expect, test } from 'bun:test';
import { inspect } from 'node:util';
import { SQL } from 'bun';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import * as storeMessage from '../store-messages.ts';
import {
  classifyError,
  DatabaseError,
  DatabaseTimeout,
  type FailureKind,
  isUnreachableError,
  toDatabaseErrorIfFromDriver,
  toNoteErrorIfDatabaseError,
} from './postgres-errors.ts';

/** Creates an error as thrown by the driver; `errno` is the SQLSTATE, if it comes from the server. */
const driverError = (code: string, errno?: string) =>
  new SQL.PostgresError('new row violates check constraint "no_sesame"', {
    code,
    ...(errno !== undefined && { errno }),
    detail: 'Failing row contains (1, sesame, treasure).',
    hint: 'sesame',
    severity: 'ERROR',
  });

const ofServer = (sqlState: string) => toDatabaseErrorIfFromDriver(driverError('ERR_POSTGRES_SERVER_ERROR', sqlState));
const ofDriver = (code: string) => toDatabaseErrorIfFromDriver(driverError(code));

describe('classifyError', () => {
  test.each<[string, FailureKind, string]>([
    ['40001', 'busy', 'a serialization failure'],
    ['40P01', 'busy', 'a deadlock'],
    ['23505', 'busy', 'an id that is taken'],
    ['53300', 'busy', 'too many connections'],
    ['55P03', 'busy', 'a lock that took too long'],
    ['57014', 'busy', 'a statement that took too long'],
    ['57P03', 'busy', 'a server that starts'],
    ['0A000', 'rolled-back', 'a statement that the server does not support'],
    ['26000', 'rolled-back', 'a prepared statement that a proxy has left on another connection'],
    ['25006', 'busy', 'a standby'],
    ['28P01', 'rolled-back', 'a wrong password'],
    ['3D000', 'rolled-back', 'no such database'],
    ['42501', 'rolled-back', 'no right'],
    ['42P01', 'rolled-back', 'no such table'],
    ['53100', 'full', 'a full disk'],
    ['22021', 'constraint', 'a character that cannot be kept'],
    ['23514', 'constraint', 'a rule of the table'],
    ['54000', 'constraint', 'a limit of the program'],
    ['P0001', 'constraint', 'a trigger of somebody else'],
    ['53200', 'rolled-back', 'no memory left'],
    ['57P01', 'uncertain', 'a session that was ended'],
    ['08006', 'uncertain', 'a connection that failed'],
    ['XX000', 'uncertain', 'an internal error'],
    ['58030', 'uncertain', 'an error of the disk'],
  ])('%s: %s (%s)', (sqlState, expected) => {
    expect(classifyError(ofServer(sqlState))).toBe(expected);
  });

  test('knows that nothing happened if the server was not reached, but not if the connection was lost', () => {
    expect(classifyError(ofDriver('ERR_POSTGRES_CONNECTION_REFUSED'))).toBe('busy');
    expect(classifyError(ofDriver('ERR_POSTGRES_CONNECTION_TIMEOUT'))).toBe('busy');
    expect(classifyError(ofDriver('ERR_POSTGRES_CONNECTION_CLOSED'))).toBe('uncertain');
    expect(classifyError(new DatabaseTimeout(100))).toBe('uncertain');
    expect(classifyError(new Error('a mistake of ours'))).toBe('uncertain');
  });
});

describe('toNoteErrorIfDatabaseError', () => {
  test.each([
    ['40001', 'busy', 'none', true, storeMessage.storeSlow],
    ['57P03', 'busy', 'none', true, storeMessage.storeUnreachable],
    ['25006', 'busy', 'none', true, storeMessage.storeReadOnlyNow],
    ['42P01', 'unavailable', 'none', false, storeMessage.statementRejected],
    ['53100', 'unavailable', 'none', false, storeMessage.storeFull],
    ['23514', 'internal', 'none', false, storeMessage.noteRejected],
    ['57P01', 'unavailable', 'unknown', false, message.storeFailed],
  ])('%s during a write becomes %s, outcome %s, retry %p: %s', (sqlState, code, outcome, retry, text) => {
    const error = toNoteErrorIfDatabaseError(ofServer(sqlState), 'write');

    expect(error).toBeInstanceOf(NoteError);
    expect(error).toMatchObject({ code, outcome, retry, message: text });
  });

  test.each(['40001', '42P01', '53100', '23514', '57P01'])('%s during a read speaks of no change', (sqlState) => {
    const error = toNoteErrorIfDatabaseError(ofServer(sqlState), 'read');

    expect(error).toMatchObject({ message: 'The store could not be read. Try again', outcome: 'none', retry: true });
  });

  test.each([
    ['53100', 'The store has no room left'],
    ['42501', 'The store refuses writes at the moment'],
    ['57P01', 'The store could not be read. Try again'],
    ['25006', 'The database is read-only. Run notes doctor for the reason'],
  ])('%s during a trial says: %s', (sqlState, text) => {
    expect(toNoteErrorIfDatabaseError(ofServer(sqlState), 'trial')).toMatchObject({ message: text, outcome: 'none' });
  });

  test('returns programming errors, and errors that are already converted, unchanged', () => {
    const [mistake, converted] = [new TypeError('x is not a function'), new NoteError('not_found', 'No such note')];

    expect(toNoteErrorIfDatabaseError(mistake, 'write')).toBe(mistake);
    expect(toNoteErrorIfDatabaseError(converted, 'write')).toBe(converted);
  });

  test('hides the rows that the database quotes from logs', () => {
    const error = toNoteErrorIfDatabaseError(ofServer('23514'), 'write');

    expect(inspect(error, { depth: 10, showHidden: true })).toContain('no_sesame');
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/Failing row|treasure/);
  });
});

test.each([
  ['ERR_POSTGRES_CONNECTION_REFUSED', undefined, true],
  ['ERR_POSTGRES_CONNECTION_CLOSED', undefined, true],
  ['ERR_POSTGRES_SERVER_ERROR', '57P03', true],
  ['ERR_POSTGRES_SERVER_ERROR', '57014', false],
  ['ERR_POSTGRES_SERVER_ERROR', '28P01', false],
])('a database that says %s %s is away: %p', (code, sqlState, expected) => {
  const error = toDatabaseErrorIfFromDriver(driverError(code, sqlState));

  expect(error).toBeInstanceOf(DatabaseError);
  expect(isUnreachableError(error)).toBe(expected);
});
