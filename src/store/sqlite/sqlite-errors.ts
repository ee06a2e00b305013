import { SQLiteError } from 'bun:sqlite';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import { getErrorCode } from '../../core/thrown-errors.ts';
import * as storeMessage from '../store-messages.ts';

/**
 * What an error of SQLite means: `wait` nothing happened, retry; `refuse` only this statement was rolled back; `fail`
 * the transaction was rolled back; `stop` the state on disk is uncertain.
 */
export type Failure = 'wait' | 'refuse' | 'fail' | 'stop';

/**
 * The state on disk is uncertain: a file was replaced, or the write-ahead log could not be copied into the database.
 */
export class UncertainState extends Error {
  override readonly name = 'UncertainState';
}

/** Also means a full disk, on which the shared memory beside the log could not grow. The write has not begun. */
const sharedMemory = ['SQLITE_IOERR_SHMSIZE', 'SQLITE_IOERR_SHMOPEN', 'SQLITE_IOERR_SHMMAP'];

const isUncertain = (code: string) => /^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code) && !sharedMemory.includes(code);

/** An error on the second thread, with the code of SQLite or the file system. */
export class JobError extends Error {
  override readonly name = 'JobError';
  readonly code: string;

  constructor({ message, code }: { readonly message: string; readonly code: string }) {
    super(message);
    this.code = code;
  }
}

const isOfSqlite = (error: unknown) => error instanceof SQLiteError || error instanceof JobError;

export function failureOf(error: unknown): Failure {
  if (error instanceof UncertainState || isOfSystem(error)) return 'stop';
  const code = isOfSqlite(error) ? getErrorCode(error) : '';
  if (code.startsWith('SQLITE_BUSY')) return 'wait';
  if (code.startsWith('SQLITE_CONSTRAINT')) return 'refuse';
  return isUncertain(code) ? 'stop' : 'fail';
}

const isOfSystem = (error: unknown) => error instanceof Error && 'syscall' in error;

export const isFull = (error: unknown) => isOfSqlite(error) && getErrorCode(error) === 'SQLITE_FULL';

export type During = 'read' | 'write' | 'trial';

/**
 * Converts an error of SQLite to one that may be shown. Returns others, which are programming errors, unchanged. A
 * `trial` is a write that is rolled back.
 */
export function noteErrorOf(error: unknown, during: During): unknown {
  const isOfStore = isOfSqlite(error) || error instanceof UncertainState || isOfSystem(error);
  if (!isOfStore) return error;
  const failure = failureOf(error);
  const code = failure === 'wait' ? 'busy' : 'unavailable';
  if (during !== 'write') {
    const refused = isFull(error) ? storeMessage.storeWithoutRoom : storeMessage.writesRejected;
    const text = during === 'trial' && failure !== 'stop' ? refused : message.storeNotRead;
    return new NoteError(code, text, { outcome: 'none', retry: true, cause: error });
  }
  if (failure === 'stop') return new NoteError(code, message.storeFailed, { outcome: 'unknown', cause: error });
  const isReadOnly = getErrorCode(error).startsWith('SQLITE_READONLY');
  const otherwise = isReadOnly ? storeMessage.storeReadOnly : storeMessage.statementRejected;
  const refused = failure === 'wait' ? storeMessage.storeLocked : otherwise;
  const text = isFull(error) ? storeMessage.storeFull : refused;
  return new NoteError(code, text, { outcome: 'none', cause: error });
}

/** The error for all requests after the state on disk became uncertain. */
export const storeLostError = (cause: unknown) =>
  new NoteError('unavailable', storeMessage.storeStopping, { outcome: 'none', cause });
