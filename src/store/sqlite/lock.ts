import { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { NoteError } from '../../domain/error.ts';
import { failureOf } from './failure.ts';

/**
 * Makes this process the only service on `path` until the lock is disposed of, or the process ends in any way.
 * The lock is an exclusive one of SQLite on an empty file beside the database. The handle must stay referenced:
 * a collected `Database` gives its lock up. Throws `busy` while another service holds it.
 */
export function lock(path: string): Disposable {
  const db = new Database(`${path}.lock`);
  try {
    db.run('PRAGMA journal_mode = MEMORY');
    db.run('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close(true);
    if (failureOf(error) !== 'wait') throw error;
    const message = `${path} is in use by another notes service or command. Stop that one`;
    throw new NoteError('busy', message, { cause: error });
  }
  return db;
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
