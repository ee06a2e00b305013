import { closeSync, fsyncSync, openSync } from 'node:fs';
import { getErrorCode } from '../core/thrown-errors.ts';

export const syncFile = (file: string): void => sync(file, 'r+');

/** Syncs a folder, so that new files in it survive a crash. Windows cannot sync folders. */
export function syncFolder(path: string): void {
  if (process.platform !== 'win32') sync(path, 'r');
}

/** To sync a file that it may only read, a process has to open it for reading. Windows syncs files opened to write. */
const logFlags = process.platform === 'win32' ? 'r+' : 'r';

/**
 * Syncs the write-ahead log of a database, so that all commits that any program has read from it are on disk. Does
 * nothing without a log: SQLite removes one when all of it is on disk in the database file. Opens no other file of the
 * database, because closing that would release the locks of this process.
 */
export function syncLog(database: string): void {
  try {
    sync(`${database}-wal`, logFlags);
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error;
  }
}

function sync(path: string, flags: string): void {
  const fd = openSync(path, flags);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
