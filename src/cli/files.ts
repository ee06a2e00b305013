import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '../config.ts';

/** Folder for the user's state, by the XDG base directory specification. Undefined if there is no home folder. */
export function findStateFolder(env: Environment, name: string): string | undefined {
  const given = env['XDG_STATE_HOME'] ?? '';
  if (isAbsolute(given)) return join(given, 'notes', name);
  const home = env['HOME'] ?? '';
  const isThere = statSync(home, { throwIfNoEntry: false })?.isDirectory();
  return isThere ? join(home, '.local', 'state', 'notes', name) : undefined;
}

/** Keeps a text there, readable by its owner only. Throws errors of the file system. */
export async function writeStateFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, [text]);
}

export const getTemporaryPathBeside = (path: string) => join(dirname(path), `.notes-${randomUUID()}.tmp`);

/**
 * Replaces a file atomically by a synced one, readable by its owner only. Callers sync the folder if the name has to
 * survive a power cut.
 */
export async function replaceFile(
  path: string,
  texts: AsyncIterable<string> | Iterable<string>,
  moveIntoPlace: (temporary: string, path: string) => Promise<void> = rename,
): Promise<void> {
  const temporary = getTemporaryPathBeside(path);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      for await (const text of texts) await file.appendFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await moveIntoPlace(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
