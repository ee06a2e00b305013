import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { invalid, NoteError } from '../../../core/error.ts';
import type { Source } from '../../../formats/record.ts';
import { attempt } from '../../exit-code.ts';
import { interruptible } from '../../interruption.ts';

/** Limits against archive bombs. `ratio` (unpacked to packed) applies to files above `plainBytes`. */
const max = { entries: 100_000, ratio: 200, plainBytes: 16 * 1024 * 1024 };

/** The first characters of an archive that is not empty. It cannot be streamed, as its directory is at the end. */
export const zipSignature = 'PK\u0003\u0004';

/** Whether a file starts with the signature of an archive. */
export async function isZip(path: string): Promise<boolean> {
  const start = await attempt('read', path, () => Bun.file(path).slice(0, 4).text());
  return [zipSignature, 'PK\u0005\u0006'].includes(start);
}

/**
 * Opens an archive as a folder. Writes nothing to disk, so that paths in the archive are harmless. Unpacks files while
 * they are read. Throws `invalid` if it is damaged or an archive bomb.
 */
export async function openZip(path: string, modifiedAt: Date, signal: AbortSignal) {
  const damaged = damagedBy(path);
  const zip = await openPromise(path, { autoClose: false, lazyEntries: true, decodeStrings: false }).catch(damaged);
  const entries = await entriesOf(zip, path).catch((error) => {
    zip.close();
    return damaged(error);
  });
  const opened = { read: 0 };

  async function* chunks(name = ''): AsyncGenerator<Uint8Array, void, void> {
    const entry = entries.get(name);
    if (entry === undefined) return;
    opened.read++;
    try {
      yield* interruptible(await zip.openReadStreamPromise(entry), signal);
    } catch (error) {
      damaged(error);
    }
  }

  const source: Source = {
    name: path,
    modifiedAt,
    files: [...entries.keys()].sort(),
    chunks,
    async timesOf(name) {
      const time = entries.get(name)?.getLastModDate() ?? modifiedAt;
      return { createdAt: time, modifiedAt: time };
    },
  };
  return {
    source,
    part: () => opened.read / Math.max(1, entries.size),
    close: () => zip.close(),
  };
}

/** Returns the files of an archive by name, with `/`. The later of two equal names wins. */
async function entriesOf(zip: ZipFile, path: string): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > max.entries) throw invalid(`${path} holds more than ${max.entries} files`);
  const entries = new Map<string, Entry>();
  let packed = 0;
  for await (const entry of zip.eachEntry()) {
    const { compressedSize, uncompressedSize, generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
    const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false).replaceAll('\\', '/');
    packed += compressedSize;
    const isBomb = uncompressedSize > max.plainBytes && uncompressedSize > max.ratio * compressedSize;
    if (isBomb || packed > zip.fileSize)
      throw invalid(`${path} is not read: ${name} unpacks to far more than an export would`);
    if (entry.isEncrypted()) throw invalid(`${path} is encrypted. Unpack it, then import the folder`);
    if (!name.endsWith('/')) entries.set(name, entry);
  }
  return entries;
}

/** Rethrows errors about the archive itself as `invalid`. */
function damagedBy(path: string): (error: unknown) => never {
  return (error) => {
    const isForeign = error instanceof Error && error.name === 'Error' && !('syscall' in error);
    if (!isForeign) throw error;
    throw new NoteError('invalid', `${path} is damaged: it cannot be unpacked (${error.message})`, { cause: error });
  };
}
