import { SQLiteError } from 'bun:sqlite';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import { getErrorCodeOrEmpty } from '../../core/thrown-errors.ts';
import type { ErrorCodec } from '../../core/workers/worker-errors.ts';
import * as storeMessage from '../store-messages.ts';

/**
 * What an error of SQLite or of the file system means for the transaction. `busy`: another program holds the database,
 * and nothing happened, so that it may be tried again. `constraint`: only this statement was rolled back.
 * `rolled-back`: the whole transaction was rolled back. `uncertain`: nobody knows what is on disk, so that the store
 * must stop.
 */
export type FailureKind = 'busy' | 'constraint' | 'rolled-back' | 'uncertain';

/** The state on disk is uncertain although SQLite reported no error: a file of the database was deleted or replaced. */
export class DatabaseFileReplacedError extends Error {
  override readonly name = 'DatabaseFileReplacedError';
}

/** An error that was thrown in `sqlite-worker.ts`, with its code: one of SQLite or of the file system. */
export class WorkerDatabaseError extends Error {
  override readonly name = 'WorkerDatabaseError';
  readonly code: string;

  constructor(text: string, code: string) {
    super(text);
    this.code = code;
  }
}

/** All errors of the worker cross to the main thread as `WorkerDatabaseError`. */
export const workerErrorCodec: ErrorCodec = {
  className: 'WorkerDatabaseError',
  encode: (error) => ({ code: getErrorCodeOrEmpty(error) }),
  decode: (text, fields) => new WorkerDatabaseError(text, (fields as { readonly code: string }).code),
};

const isDatabaseError = (error: unknown) => error instanceof SQLiteError || error instanceof WorkerDatabaseError;

const isSystemError = (error: unknown) => error instanceof Error && 'syscall' in error;

export const isSqliteFullError = (error: unknown) =>
  isDatabaseError(error) && getErrorCodeOrEmpty(error) === 'SQLITE_FULL';

/** SQLite could not grow the shared memory beside the log: the disk is full, and the write has not begun. */
const sharedMemoryCodes = ['SQLITE_IOERR_SHMSIZE', 'SQLITE_IOERR_SHMOPEN', 'SQLITE_IOERR_SHMMAP'];

const isUncertainErrorCode = (code: string) =>
  /^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code) && !sharedMemoryCodes.includes(code);

export function classifyError(error: unknown): FailureKind {
  if (error instanceof DatabaseFileReplacedError || isSystemError(error)) return 'uncertain';
  const code = isDatabaseError(error) ? getErrorCodeOrEmpty(error) : '';
  if (code.startsWith('SQLITE_BUSY')) return 'busy';
  if (code.startsWith('SQLITE_CONSTRAINT')) return 'constraint';
  return isUncertainErrorCode(code) ? 'uncertain' : 'rolled-back';
}

/** What was being done when an error occurred. A `trial` is a write that is rolled back in any case. */
export type Operation = 'read' | 'write' | 'trial';

/** Converts an error of the store to one for users. Returns all others unchanged, as they are programming errors. */
export function toNoteErrorIfDatabaseError(error: unknown, operation: Operation): unknown {
  const isOfStore = isDatabaseError(error) || error instanceof DatabaseFileReplacedError || isSystemError(error);
  if (!isOfStore) return error;
  const kind = classifyError(error);
  const code = kind === 'busy' ? 'busy' : 'unavailable';
  if (operation === 'write') {
    const outcome = kind === 'uncertain' ? 'unknown' : 'none';
    return new NoteError(code, chooseWriteMessage(error, kind), { outcome, cause: error });
  }
  const text = operation === 'trial' && kind !== 'uncertain' ? chooseTrialMessage(error) : message.storeNotRead;
  return new NoteError(code, text, { outcome: 'none', retry: true, cause: error });
}

function chooseWriteMessage(error: unknown, kind: FailureKind): string {
  if (kind === 'uncertain') return message.storeFailed;
  if (isSqliteFullError(error)) return storeMessage.storeFull;
  if (kind === 'busy') return storeMessage.storeLocked;
  return getErrorCodeOrEmpty(error).startsWith('SQLITE_READONLY')
    ? storeMessage.storeReadOnly
    : storeMessage.statementRejected;
}

const chooseTrialMessage = (error: unknown): string =>
  isSqliteFullError(error) ? storeMessage.storeWithoutRoom : storeMessage.writesRejected;

/** The error for all requests after the state on disk has become uncertain. */
export const createStoreFailedError = (cause: unknown) =>
  new NoteError('unavailable', storeMessage.storeStopping, { outcome: 'none', cause });
