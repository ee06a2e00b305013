import type { Database } from 'bun:sqlite';
import { closeSync, fdatasyncSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { NoteError } from '../../core/error.ts';
import { getErrorCodeOrEmpty } from '../../core/thrown-errors.ts';
import * as storeMessage from '../store-messages.ts';
import { findLockHolder } from './lock-holder.ts';
import { classifyError, isSqliteFullError } from './sqlite-errors.ts';

/**
 * Makes sure that the write-ahead log which an earlier program left is on disk completely. When a sync fails, Linux
 * counts its pages as written: later syncs succeed without them, also in another process, and after a power cut these
 * pages and all that follow them in the log are missing. Hence the log is written again, copied into the database, and
 * truncated.
 *
 * Writing it again comes first: after a power cut during the copying, the database would otherwise have newer pages
 * than the log on disk, and SQLite would mix the two.
 *
 * Throws `unavailable` on a full disk, and `busy` if a program reads from the log or writes to it for longer than the
 * `busy_timeout` of the connection. `fd` is a descriptor of the log that was opened before and will be used again.
 */
export function recoverLog(db: Database, path: string, fd?: number): void {
  try {
    lockAndRewriteLog(db, path);
    if (fd !== undefined) clearLogSyncErrors(db, fd);
    checkpointAndTruncateLog(db, path);
  } catch (error) {
    if (!isOutOfSpaceError(error)) throw error;
    throw new NoteError('unavailable', storeMessage.storeFull, { outcome: 'none', cause: error });
  }
}

const isOutOfSpaceError = (error: unknown) =>
  isSqliteFullError(error) || /^(ENOSPC|EDQUOT)$/.test(getErrorCodeOrEmpty(error));

/** Writes the log again as it is, while a lock of SQLite prevents others from writing to it. */
function lockAndRewriteLog(db: Database, path: string): void {
  try {
    db.run('BEGIN IMMEDIATE');
    rewriteInPlaceAndSync(`${path}-wal`);
  } catch (error) {
    throw classifyError(error) === 'busy' ? createInUseError(path, 'writer', error) : error;
  } finally {
    if (db.inTransaction) db.run('ROLLBACK');
  }
}

/** How many bytes of a file are read and written at once. */
const chunkBytes = 2 ** 16;

function rewriteInPlaceAndSync(file: string): void {
  const fd = openSync(file, 'r+');
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let offset = 0;
    let length = readSync(fd, chunk, 0, chunkBytes, offset);
    while (length > 0) {
      offset += writeSync(fd, chunk, 0, length, offset);
      length = readSync(fd, chunk, 0, chunkBytes, offset);
    }
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Each open descriptor reports a failed sync once, even if another descriptor was synced. Our descriptor and that of
 * SQLite report it here, so that their next syncs report only what happens then.
 */
function clearLogSyncErrors(db: Database, fd: number): void {
  for (const sync of [() => fdatasyncSync(fd), () => db.run('PRAGMA wal_checkpoint(PASSIVE)')]) {
    try {
      sync();
    } catch {} // the next checkpoint does again what this one could not complete
  }
}

/** Throws `busy` while somebody reads from the log. */
function checkpointAndTruncateLog(db: Database, path: string): void {
  const [row] = db.prepare<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').all();
  if (row?.busy === 1) throw createInUseError(path, 'reader');
}

function createInUseError(path: string, role: 'reader' | 'writer', cause?: unknown): NoteError {
  const holder = findLockHolder(path, role) ?? 'another program';
  const does = role === 'reader' ? 'reads from' : 'writes to';
  return new NoteError('busy', `${path} was not closed properly, and ${holder} ${does} it. Try again, or end that`, {
    cause,
  });
}
