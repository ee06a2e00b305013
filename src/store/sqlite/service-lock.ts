import { Database } from 'bun:sqlite';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { NoteError } from '../../core/error.ts';
import { getErrorCodeOrEmpty } from '../../core/thrown-errors.ts';
import { copyOwnerIfRoot } from './database-files.ts';
import { classifyError } from './sqlite-errors.ts';

/**
 * Locks the database at `path` against services of other processes, until disposal or the end of this process. The lock
 * is an exclusive one of SQLite on a file beside the database. The caller must hold the returned object: when a
 * `Database` is garbage-collected, its locks end. Throws `busy` while a service holds it, `unavailable` if it cannot be
 * written.
 */
export function acquireServiceLock(path: string): Disposable {
  const file = `${path}.lock`;
  createLockFileIfMissing(file, path);
  using opened = new DisposableStack();
  try {
    const db = opened.adopt(new Database(file), (connection) => connection.close(true));
    db.run('PRAGMA busy_timeout = 200'); // a command may be checking just now whether a service holds it
    db.run('PRAGMA locking_mode = EXCLUSIVE'); // the lock outlasts its transaction
    db.run('PRAGMA journal_mode = MEMORY');
    db.run('BEGIN EXCLUSIVE');
    db.run('PRAGMA user_version = 1'); // fails if the lock would not hold
    db.run('ROLLBACK');
    return opened.move();
  } catch (error) {
    throw toLockError(error, path);
  }
}

function toLockError(error: unknown, path: string): unknown {
  if (classifyError(error) === 'busy')
    return new NoteError('busy', `${path} is in use by a notes service. Stop it first`, { cause: error });
  if (!/READONLY|CANTOPEN/.test(getErrorCodeOrEmpty(error))) return error;
  const message = `${path} cannot be locked: ${path}.lock cannot be written to`;
  return new NoteError('unavailable', `${message}. Give it to the user that runs the service`, { cause: error });
}

function createLockFileIfMissing(file: string, path: string): void {
  if (existsSync(file)) return;
  closeSync(openSync(file, constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600));
  copyOwnerIfRoot(path, file);
}

/** Whether a service uses the database at `path`. Creates no file. */
export function isServiceLockHeld(path: string): boolean {
  if (!existsSync(`${path}.lock`)) return false;
  using db = new Database(`${path}.lock`, { readonly: true });
  try {
    db.prepare('PRAGMA user_version').all();
    return false;
  } catch (error) {
    if (classifyError(error) === 'busy') return true;
    throw error;
  }
}
