import { type Entry, fromBufferPromise, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { createInvalidError } from '../../../core/error.ts';
import { type Archive, assertFileCount, createDamagedError, type PackedFile } from '../../../formats/packed-files.ts';
import { runExplainingFileErrors } from '../../error-text.ts';

/** The first characters of an archive that is not empty. It cannot be streamed, as its directory is at the end. */
export const zipSignature = 'PK\u0003\u0004';

/** Whether a file starts with the signature of an archive. */
export async function isZipFile(path: string): Promise<boolean> {
  const start = await runExplainingFileErrors('read', path, () => Bun.file(path).slice(0, 4).text());
  return [zipSignature, 'PK\u0005\u0006'].includes(start);
}

const options = { autoClose: false, lazyEntries: true, decodeStrings: false } as const;

/** Opens a file. Throws `invalid` if it is damaged or an archive bomb. */
export const openZipFile = (path: string): Promise<Archive> =>
  openZipAndReadEntries(path, () => openPromise(path, options));

/** Opens an archive in memory; `name` is for messages. Throws as `openZipFile` does. */
export const openZipBytes = (name: string, bytes: Uint8Array): Promise<Archive> =>
  openZipAndReadEntries(name, () =>
    fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), options),
  );

async function openZipAndReadEntries(name: string, open: () => Promise<ZipFile>): Promise<Archive> {
  const zip = await open().catch((error) => rethrowArchiveError(name, error));
  try {
    return { files: await readZipFilesByPath(zip, name), close: () => zip.close() };
  } catch (error) {
    zip.close();
    return rethrowArchiveError(name, error);
  }
}

/** Limits against archive bombs. `ratio` (unpacked to packed) applies to files above `plainBytes`. */
const bombLimits = { ratio: 200, plainBytes: 16 * 1024 * 1024 };

/** Reads the directory of an archive. The later of two equal names wins. */
async function readZipFilesByPath(zip: ZipFile, archiveName: string): Promise<ReadonlyMap<string, PackedFile>> {
  assertFileCount(archiveName, zip.entryCount);
  const files = new Map<string, PackedFile>();
  let packed = 0;
  for await (const entry of zip.eachEntry()) {
    const { compressedSize, uncompressedSize, generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
    const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false).replaceAll('\\', '/');
    packed += compressedSize;
    const isBomb = uncompressedSize > bombLimits.plainBytes && uncompressedSize > bombLimits.ratio * compressedSize;
    if (isBomb || packed > zip.fileSize)
      throw createInvalidError(`${archiveName} is not read: ${name} unpacks to far more than an export would`);
    if (entry.isEncrypted()) throw createInvalidError(`${archiveName} is encrypted. Unpack it, then import the folder`);
    if (!name.endsWith('/')) files.set(name, toPackedZipFile(zip, archiveName, entry));
  }
  return files;
}

const toPackedZipFile = (zip: ZipFile, archiveName: string, entry: Entry): PackedFile => ({
  modifiedAt: entry.getLastModDate(),
  size: entry.uncompressedSize,
  async *unpack() {
    try {
      yield* await zip.openReadStreamPromise(entry);
    } catch (error) {
      rethrowArchiveError(archiveName, error);
    }
  },
});

/** Rethrows errors about the archive itself as `invalid`. */
function rethrowArchiveError(name: string, error: unknown): never {
  const isAboutArchive = error instanceof Error && error.name === 'Error' && !('syscall' in error);
  throw isAboutArchive ? createDamagedError(name, error) : error;
}
