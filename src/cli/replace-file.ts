import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
/** Returns a new path in the folder of a file, so that a rename to the file is atomic. Creates nothing. */
export const createTemporaryPathBeside = (path: string) => join(dirname(path), `.notes-${randomUUID()}.tmp`);

/**
 * Replaces a file atomically by a synced one, readable by its owner only. Callers sync the folder if the name has to
 * survive a power cut.
 */
export async function replaceWithPrivateFile(
  path: string,
  texts: AsyncIterable<string> | Iterable<string>,
  moveIntoPlace: (temporary: string, path: string) => Promise<void> = rename,
): Promise<void> {
  const temporary = createTemporaryPathBeside(path);
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
