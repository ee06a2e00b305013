import { Database } from 'bun:sqlite';
import { chownSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { NoteError } from '../../domain/error.ts';
import { failureOf } from './failure.ts';
import { pragma } from './migrate.ts';

/** Being the only service on a database, until it is disposed of or the process ends in any way. */
export interface Lock extends Disposable {
  /** Whether a store was made at this path, now or earlier. */
  readonly hasStore: boolean;
  /** Keeps in mind, on disk, that a store was made here. */
  rememberStore(): void;
}

/**
 * Locks the database at `path`: an exclusive lock of SQLite on a file beside it, which also remembers that a store was made.
 * The handle must stay referenced: a collected `Database` gives its lock up. Throws `busy` while another service holds
 * it, `unavailable` where nobody can: a file that cannot be written to takes no lock.
 */
export function lock(path: string): Lock {
  const file = `${path}.lock`;
  create(file, path);
  const db = new Database(file);
  try {
    db.run('PRAGMA locking_mode = EXCLUSIVE'); // once taken, the lock outlasts its transaction
    db.run('PRAGMA journal_mode = MEMORY');
    db.run('BEGIN EXCLUSIVE');
    const marked = pragma(db, 'user_version');
    db.run(`PRAGMA user_version = ${marked}`); // fails where the lock would not hold
    db.run('ROLLBACK');
    return {
      hasStore: marked > 0,
      rememberStore: () => void (marked === 0 && db.run('PRAGMA user_version = 1')),
      [Symbol.dispose]: () => db.close(true),
    };
  } catch (error) {
    db.close(true);
    throw refused(error, path);
  }
}

function refused(error: unknown, path: string): unknown {
  const failure = failureOf(error);
  if (failure === 'wait') {
    const message = `${path} is in use by another notes service or command. Stop that one`;
    return new NoteError('busy', message, { cause: error });
  }
  const isReadOnly = error instanceof Error && 'code' in error && /READONLY|CANTOPEN/.test(String(error.code));
  if (!isReadOnly) return error;
  const message = `${path} cannot be locked: ${path}.lock cannot be written to. Give it to the user that runs the service`;
  return new NoteError('unavailable', message, { cause: error });
}

/** Whoever runs a command as root does not lock the owner of the notes out. */
function create(file: string, path: string): void {
  if (existsSync(file)) return;
  closeSync(openSync(file, constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600));
  const owner = statSync(path, { throwIfNoEntry: false });
  if (process.getuid?.() === 0 && owner) chownSync(file, owner.uid, owner.gid);
}

/** Whether somebody holds the lock on `path` now; nothing is created. */
export function isLocked(path: string): boolean {
  if (!existsSync(`${path}.lock`)) return false;
  using db = new Database(`${path}.lock`, { readonly: true });
  try {
    db.prepare('PRAGMA schema_version').all();
    return false;
  } catch (error) {
    if (failureOf(error) === 'wait') return true;
    throw error;
  }
}
