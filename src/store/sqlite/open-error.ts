/** Explains to users why a database cannot be opened, and what to do. */
import { NoteError } from '../../core/error.ts';
import { getErrorCodeOrEmpty, getErrorMessage } from '../../core/thrown-errors.ts';
import { findNewestBackupPathNear, formatRestoreAdvice } from './backup/backup-names.ts';
import { resolveRealPath } from './database-files.ts';
import { nameAnotherFile } from './schema-checks.ts';

type Advice = readonly [reason: string, remedy?: string];

export const notSqlite = 'it is not a SQLite database';
const diskFails: Advice = ['its disk fails to read or to write', 'Check the disk, then try again'];
const permissions = 'Check the permissions of the file and its folder';

/** By the beginning of the code of an error. The first that fits counts. */
const adviceByCode: Readonly<Record<string, Advice | ((path: string) => Advice)>> = {
  SQLITE_NOTADB: (path) => [
    notSqlite,
    findNewestBackupPathNear(path) === undefined ? nameAnotherFile : formatRestoreAdvice(path),
  ],
  SQLITE_CORRUPT: (path) => ['it is damaged', formatRestoreAdvice(path)],
  SQLITE_BUSY: ['another program has locked it', 'Try again, or close it there'],
  SQLITE_FULL: ['its disk is full', 'Free some space'],
  SQLITE_READONLY: ['it cannot be written to', permissions],
  SQLITE_CANTOPEN: ['it cannot be opened', permissions],
  SQLITE_IOERR_SHM: ['its disk is full', 'Free some space'],
  SQLITE_IOERR: diskFails,
  EIO: diskFails,
  EACCES: ['permission is denied', permissions],
  EROFS: ['its file system is read-only', nameAnotherFile],
  ENOSPC: ['its disk is full', 'Free some space'],
  ENOTDIR: ['a part of its path is not a folder', nameAnotherFile],
  EEXIST: ['a part of its path is not a folder', nameAnotherFile],
  ENAMETOOLONG: ['its name is too long', nameAnotherFile],
};

/** Finds the reason and the remedy for an error of SQLite or the file system; undefined for others. */
export function findReasonAndRemedy(error: unknown, path: string): Advice | undefined {
  const code = getErrorCodeOrEmpty(error);
  const advice = Object.entries(adviceByCode).find(([prefix]) => code.startsWith(prefix))?.[1];
  return typeof advice === 'function' ? advice(path) : advice;
}

/**
 * Converts what was thrown while opening the database at `path` to an error for users. The messages of `NoteError`s are
 * sentences with the real path of the database; those of other errors are clauses that continue "Cannot use <path>:".
 */
export function toOpenNoteError(error: unknown, path: string): NoteError {
  if (error instanceof NoteError && resolveRealPath(path) === path) return error;
  const code = getErrorCodeOrEmpty(error).startsWith('SQLITE_BUSY') ? 'busy' : 'unavailable';
  const advice = findReasonAndRemedy(error, path) ?? [getErrorMessage(error)];
  return new NoteError(error instanceof NoteError ? error.code : code, `Cannot use ${path}: ${advice.join('. ')}`, {
    cause: error,
  });
}
