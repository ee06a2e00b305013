import type { Database } from 'bun:sqlite';
import { closeSync, fdatasyncSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { NoteError } from '../../core/error.ts';
import { getErrorCode } from '../../core/thrown-errors.ts';
import * as storeMessage from '../store-messages.ts';
import { findLockHolder } from './lock-holder.ts';
import { failureOf, isFull } from './sqlite-errors.ts';

/**
 * Makes sure that the log which an earlier program left is on disk, with all that it holds. Linux counts pages as written
 * when a sync of them has failed: later syncs succeed without them, also in another process, and a power cut loses them
 * with all that follows them in the log. Hence the log is written again, copied into the database, and emptied.
 *
 * It is written again first because a power cut amid the copying would otherwise leave newer pages in the database than
 * in the log on disk, and SQLite would mix the two.
 *
 * Throws `unavailable` on a full disk, and `busy` if a program reads from the log or writes to it for longer than the
 * `busy_timeout` of the connection. After a failure `fd` is a file of the log that has been open since before.
 */
export function recoverLog(db: Database, path: string, fd?: number): void {
  try {
    rewriteLog(db, path);
    if (fd !== undefined) forgetFailedSyncs(db, fd);
    emptyLog(db, path);
  } catch (error) {
    if (!isWithoutRoom(error)) throw error;
    throw new NoteError('unavailable', storeMessage.storeFull, { outcome: 'none', cause: error });
  }
}

const isWithoutRoom = (error: unknown) => isFull(error) || /^(ENOSPC|EDQUOT)$/.test(getErrorCode(error));

/** Writes the log as it is, while nobody else may write to it. */
function rewriteLog(db: Database, path: string): void {
  try {
    db.run('BEGIN IMMEDIATE');
    rewriteFile(`${path}-wal`);
  } catch (error) {
    throw failureOf(error) === 'wait' ? inUse(path, 'writer', error) : error;
  } finally {
    if (db.inTransaction) db.run('ROLLBACK');
  }
}

/** How many bytes of a file are read and written at once. */
const chunkBytes = 2 ** 16;

function rewriteFile(file: string): void {
  const fd = openSync(file, 'r+');
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let length = readSync(fd, chunk, 0, chunkBytes, 0);
    for (let at = 0; length > 0; length = readSync(fd, chunk, 0, chunkBytes, at))
      at += writeSync(fd, chunk, 0, length, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Each open file reports once that a sync failed, also one of another: here, before it is asked for its own. */
function forgetFailedSyncs(db: Database, fd: number): void {
  for (const sync of [() => fdatasyncSync(fd), () => db.run('PRAGMA wal_checkpoint(PASSIVE)')]) {
    try {
      sync();
    } catch {} // what this checkpoint does not complete, the next one does again
  }
}

/** Copies the log into the database, and truncates it. */
function emptyLog(db: Database, path: string): void {
  const [row] = db.prepare<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').all();
  if (row?.busy === 1) throw inUse(path, 'reader');
}

function inUse(path: string, role: 'reader' | 'writer', cause?: unknown): NoteError {
  const holder = findLockHolder(path, role) ?? 'another program';
  const does = role === 'reader' ? 'reads from' : 'writes to';
  return new NoteError('busy', `${path} was not closed properly, and ${holder} ${does} it. Try again, or end that`, {
    cause,
  });
}
