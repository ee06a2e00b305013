import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Returns when a file is on disk. */
export function syncFile(file: string): void {
  const fd = openSync(file, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** A new file is not lost when its folder is on disk too. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return; // knows no such thing
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
