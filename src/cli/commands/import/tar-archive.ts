import { createInvalidError } from '../../../core/error.ts';
import { tryReadBytesUpTo } from '../../../core/text/utf8.ts';
import { type Archive, assertFileCount, createDamagedError, type PackedFile } from '../../../formats/packed-files.ts';

const signature = 'ustar';
const signatureAt = 257;

/** Whether the first bytes of a file are those of a tar archive. A compressed archive has to be decompressed before. */
export const hasTarSignature = (head: Uint8Array): boolean =>
  Buffer.from(head.subarray(signatureAt, signatureAt + signature.length)).toString('latin1') === signature;

/** The limit of an archive, in bytes. All its files are in memory: a compressed one can be read from the start only. */
const maxTarBytes = 256 * 2 ** 20;

/** Reads an archive. Throws `invalid` if it is damaged or too large. */
export async function readTarArchive(name: string, chunks: AsyncIterable<Uint8Array>): Promise<Archive> {
  const bytes = await tryReadBytesUpTo(chunks, maxTarBytes);
  if (bytes === undefined)
    throw createInvalidError(`${name} holds more than 256 MiB. Unpack it, then import the folder`);
  const files = await extractTarFilesByPath(name, bytes);
  assertFileCount(name, files.size);
  return { files: new Map(Array.from(files, ([path, file]) => [path, toPackedTarFile(file)])), close() {} };
}

async function extractTarFilesByPath(name: string, bytes: Uint8Array): Promise<ReadonlyMap<string, File>> {
  try {
    return await new Bun.Archive(bytes).files();
  } catch (error) {
    throw error instanceof Error ? createDamagedError(name, error) : error;
  }
}

const toPackedTarFile = (file: File): PackedFile => ({
  modifiedAt: new Date(file.lastModified),
  size: file.size,
  async *unpack() {
    yield await file.bytes();
  },
});
