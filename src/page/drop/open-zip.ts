/** Opens `.zip` archives in a browser: a script of its own, loaded with the first archive. */
import { unzipRaw, type ZipEntry } from 'unzipit';
import { createInvalidError, NoteError } from '../../core/error.ts';
import { type Archive, assertFileCount, createDamagedError, type PackedFile } from '../../formats/packed-files.ts';
import { iterateReadableStream, type ReadLimit } from './import-limit.ts';

/** Reads the directory of an archive; `name` is for messages. Throws `invalid` if it is damaged or encrypted. */
export async function openZip(name: string, bytes: Blob | Uint8Array, limit: ReadLimit): Promise<Archive> {
  const { entries } = await unzipRaw(bytes).catch((error) => throwDamagedOrSame(name, error));
  assertFileCount(name, entries.length);
  const files = new Map<string, PackedFile>();
  for (const entry of entries) {
    const path = entry.name.replaceAll('\\', '/');
    if (entry.encrypted) throw createInvalidError(`${name} is encrypted. Unpack it, then import the folder`);
    if (!path.endsWith('/')) files.set(path, toPackedFile(name, entry, limit));
  }
  return { files, close() {} };
}

const toPackedFile = (archiveName: string, entry: ZipEntry, limit: ReadLimit): PackedFile => ({
  modifiedAt: entry.lastModDate,
  size: entry.size,
  async *unpack() {
    try {
      yield* limit.streamUntilLimit(iterateReadableStream(await entry.stream()));
    } catch (error) {
      throwDamagedOrSame(archiveName, error);
    }
  },
});

function throwDamagedOrSame(name: string, error: unknown): never {
  throw error instanceof Error && !(error instanceof NoteError) ? createDamagedError(name, error) : error;
}
