import { closeSync, fsyncSync, openSync } from 'node:fs';
import { getErrorCodeOrEmpty } from '../core/thrown-errors.ts';

/** Waits until the content of a file is on disk. */
export const syncFile = (file: string): void => openAndSync(file, 'r+');

/** Waits until the entries of a folder are on disk, so that new files in it survive a crash. Windows cannot do that. */
export function syncFolder(path: string): void {
  if (process.platform !== 'win32') openAndSync(path, 'r');
}

/** A process that may only read the log can sync it, too. Windows syncs only files that were opened for writing. */
const logFlags = process.platform === 'win32' ? 'r+' : 'r';

/**
 * Syncs the write-ahead log of a database, so that all commits that any program has read from it are on disk. Does
 * nothing without a log: SQLite removes one when all of it is on disk in the database file. Opens no other file of the
 * database, because closing that would release the locks of this process.
 */
export function syncWriteAheadLog(database: string): void {
  try {
    openAndSync(`${database}-wal`, logFlags);
  } catch (error) {
    if (getErrorCodeOrEmpty(error) !== 'ENOENT') throw error;
  }
}

function openAndSync(path: string, flags: string): void {
  const fd = openSync(path, flags);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
