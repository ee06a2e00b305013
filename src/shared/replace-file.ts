import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Replaces a file atomically, readable by its owner only. Throws errors of the file system. */
export function replaceFile(path: string, text: string): void {
  const part = `${path}.${process.pid}.part`;
  rmSync(part, { force: true }); // left by a killed process with the same pid
  try {
    writeFileSync(part, text, { mode: 0o600, flag: 'wx' });
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
