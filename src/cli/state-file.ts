import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '../config/settings-table.ts';
import { replaceWithPrivateFile } from './replace-file.ts';

/** Folder for the user's state, by the XDG base directory specification. Undefined if there is no home folder. */
export function findStatePath(env: Environment, name: string): string | undefined {
  const stateHome = env['XDG_STATE_HOME'] ?? '';
  if (isAbsolute(stateHome)) return join(stateHome, 'notes', name);
  const home = env['HOME'] ?? '';
  const isThere = statSync(home, { throwIfNoEntry: false })?.isDirectory();
  return isThere ? join(home, '.local', 'state', 'notes', name) : undefined;
}

/** Writes a file in the state folder, readable by its owner only. Throws errors of the file system. */
export async function replaceStateFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceWithPrivateFile(path, [text]);
}
