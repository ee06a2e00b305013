import { Database } from 'bun:sqlite';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { NoteError } from '../../../domain/error.ts';
import { codeOf } from '../../../shared/thrown.ts';
import { failureOf } from '../failure.ts';
import { pragma } from '../migrate.ts';
import { keepOwner, refusePlanted } from './own-files.ts';

/** Exclusive use of a database, until disposal or the end of the process. */
interface Lock extends Disposable {
  /** Whether a store was ever created at this path. */
  readonly hasStore: boolean;
  /** Records on disk that a store was created here. */
  rememberStore(): void;
}

/**
 * Locks the database at `path` with an exclusive SQLite lock on a file beside it, which also records that a store was
 * created. Keep a reference: a collected `Database` releases its lock. Throws `busy` while another service holds it,
 * `unavailable` if the file is not writable.
 */
export function lock(path: string): Lock {
  refusePlanted(path);
  const file = `${path}.lock`;
  create(file, path);
  using opened = new DisposableStack();
  try {
    const db = opened.adopt(new Database(file), (made) => made.close(true));
    db.run('PRAGMA locking_mode = EXCLUSIVE'); // once taken, the lock outlasts its transaction
    db.run('PRAGMA journal_mode = MEMORY');
    db.run('BEGIN EXCLUSIVE');
    const marked = pragma(db, 'user_version');
    db.run(`PRAGMA user_version = ${marked}`); // fails if the lock would not hold
    db.run('ROLLBACK');
    const resources = opened.move();
    return {
      hasStore: marked > 0,
      rememberStore: () => void (marked === 0 && db.run('PRAGMA user_version = 1')),
      [Symbol.dispose]: () => resources.dispose(),
    };
  } catch (error) {
    throw refused(error, path);
  }
}

function refused(error: unknown, path: string): unknown {
  if (failureOf(error) === 'wait') {
    const message = `${path} is in use by another notes service or command. Stop it first`;
    return new NoteError('busy', message, { cause: error });
  }
  if (!/READONLY|CANTOPEN/.test(codeOf(error))) return error;
  const message = `${path} cannot be locked: ${path}.lock cannot be written to`;
  return new NoteError('unavailable', `${message}. Give it to the user that runs the service`, { cause: error });
}

function create(file: string, path: string): void {
  if (existsSync(file)) return;
  closeSync(openSync(file, constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600));
  keepOwner(path, file);
}

export interface LockState {
  readonly isHeld: boolean;
  /** Whether a store was ever created at this path; unknown while it is held. */
  readonly hasStore: boolean;
}

/** Inspects the lock of the database at `path`. Creates nothing. */
export function lockStateOf(path: string): LockState {
  refusePlanted(path);
  if (!existsSync(`${path}.lock`)) return { isHeld: false, hasStore: false };
  using db = new Database(`${path}.lock`, { readonly: true });
  try {
    return { isHeld: false, hasStore: pragma(db, 'user_version') > 0 };
  } catch (error) {
    if (failureOf(error) === 'wait') return { isHeld: true, hasStore: false };
    throw error;
  }
}
