import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '../config.ts';

/** Folder for the user's state, by the XDG base directory specification. Undefined if there is no home folder. */
export function stateFolder(env: Environment, name: string): string | undefined {
  const given = env['XDG_STATE_HOME'] ?? '';
  if (isAbsolute(given)) return join(given, 'notes', name);
  const home = env['HOME'] ?? '';
  const isThere = statSync(home, { throwIfNoEntry: false })?.isDirectory();
  return isThere ? join(home, '.local', 'state', 'notes', name) : undefined;
}

/** Replaces a file atomically, readable by its owner only. Throws errors of the file system. */
export function keepState(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
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
