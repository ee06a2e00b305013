import { Database } from 'bun:sqlite';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { NoteError } from '../../core/error.ts';
import { getErrorCode } from '../../core/thrown-errors.ts';
import { keepOwner } from './database-files.ts';
import { failureOf } from './sqlite-errors.ts';

/**
 * Locks the database at `path` against other services, until disposal or the end of the process, with an exclusive
 * SQLite lock on a file beside it. Keep a reference: a collected `Database` releases its lock. Throws `busy` while a
 * service holds it, `unavailable` if the file is not writable.
 */
export function lock(path: string): Disposable {
  const file = `${path}.lock`;
  create(file, path);
  using opened = new DisposableStack();
  try {
    const db = opened.adopt(new Database(file), (made) => made.close(true));
    db.run('PRAGMA busy_timeout = 200'); // a command may be looking whether a service holds it
    db.run('PRAGMA locking_mode = EXCLUSIVE'); // once taken, the lock outlasts its transaction
    db.run('PRAGMA journal_mode = MEMORY');
    db.run('BEGIN EXCLUSIVE');
    db.run('PRAGMA user_version = 1'); // fails if the lock would not hold
    db.run('ROLLBACK');
    return opened.move();
  } catch (error) {
    throw refused(error, path);
  }
}

function refused(error: unknown, path: string): unknown {
  if (failureOf(error) === 'wait')
    return new NoteError('busy', `${path} is in use by a notes service. Stop it first`, { cause: error });
  if (!/READONLY|CANTOPEN/.test(getErrorCode(error))) return error;
  const message = `${path} cannot be locked: ${path}.lock cannot be written to`;
  return new NoteError('unavailable', `${message}. Give it to the user that runs the service`, { cause: error });
}

function create(file: string, path: string): void {
  if (existsSync(file)) return;
  closeSync(openSync(file, constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600));
  keepOwner(path, file);
}

/** Whether a service holds the database at `path`. Creates nothing. */
export function isLocked(path: string): boolean {
  if (!existsSync(`${path}.lock`)) return false;
  using db = new Database(`${path}.lock`, { readonly: true });
  try {
    db.prepare('PRAGMA user_version').all();
    return false;
  } catch (error) {
    if (failureOf(error) === 'wait') return true;
    throw error;
  }
}
