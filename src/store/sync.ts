import { closeSync, fsyncSync, openSync } from 'node:fs';

export const syncFile = (file: string): void => sync(file, 'r+');

/** Syncs a folder, so that new files in it survive a crash. Windows cannot sync folders. */
export function syncFolder(path: string): void {
  if (process.platform !== 'win32') sync(path, 'r');
}

function sync(path: string, flags: string): void {
  const fd = openSync(path, flags);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
