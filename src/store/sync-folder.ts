import { closeSync, fsyncSync, openSync } from 'node:fs';

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
