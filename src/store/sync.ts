import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

export const syncFile = (file: string): void => sync(file, 'r+');

/** Syncs a folder, so that new files in it survive a crash. Windows cannot sync folders. */
export function syncFolder(path: string): void {
  if (process.platform !== 'win32') sync(path, 'r');
}

/** Like `syncFolder`, without blocking the thread. */
export async function syncFolderAsync(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
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
