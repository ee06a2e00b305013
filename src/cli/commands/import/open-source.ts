import { realpath, stat } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { NoteError } from '../../../core/error.ts';
import { getErrorCode, getErrorMessage } from '../../../core/thrown-errors.ts';
import { type PeekedChunks, peekChunks } from '../../../formats/peek-chunks.ts';
import { transcodeToUtf8 } from '../../../formats/text-encoding.ts';
import { decompressZstd, isZstdFrame } from '../../../formats/zstd.ts';
import { explainFileErrors } from '../../error-text.ts';
import { yieldUntilAborted } from '../../interruption.ts';
import type { Input } from '../../io.ts';
import { FileOrigins } from './file-origins.ts';
import { openArchive } from './open-archive.ts';
import { chunkBytes, type OpenSource, openFolder, readFileChunks } from './open-folder.ts';
import type { ImportFlags } from './source-flags.ts';
import { isTar, readTar } from './tar-archive.ts';
import { isZip, openZipFile } from './zip-archive.ts';

type Chunks = AsyncIterable<Uint8Array>;

const headBytes = 64 * 1024;

/**
 * Opens a file, a folder, an archive, or for `-` standard input; decompresses gzip and Zstandard, and converts texts in
 * UTF-16. `category` is for notes that specify none. Reading throws the reason of `signal` when that aborts. Throws
 * `unavailable`, and `invalid` for a damaged archive.
 */
export async function openSource(
  path: string,
  stdin: Input,
  signal: AbortSignal,
  category?: ImportFlags['category'],
): Promise<OpenSource> {
  const opened = path === '-' ? openByteSource(createStandardInputSource(stdin), signal) : openPath(path, signal);
  const { source, ...rest } = await opened;
  const { files, readChunks } = source;
  const converted =
    files.length === 0 ? readChunks : (file?: string) => transcodeToUtf8(file ?? source.name, readChunks(file));
  return { ...rest, source: { ...source, readChunks: converted, category } };
}

const createStandardInputSource = (chunks: Input): ByteSource => ({
  name: 'standard input',
  modifiedAt: new Date(),
  chunks,
});

async function openPath(path: string, signal: AbortSignal): Promise<OpenSource> {
  const stats = await explainFileErrors('read', path, () => stat(path));
  if (stats.isDirectory()) return openFolder(path, stats);
  if (stats.isFile() && (await isZip(path)))
    return openArchive({ name: path, modifiedAt: stats.mtime, archive: await openZipFile(path) }, signal);
  const size = stats.isFile() ? stats.size : undefined;
  const origin = size === undefined ? undefined : new FileOrigins().createOrigin(await realpath(path));
  return openByteSource({ name: path, modifiedAt: stats.mtime, chunks: readFileChunks(path), size, origin }, signal);
}

interface ByteSource {
  readonly name: string;
  readonly modifiedAt: Date;
  readonly chunks: Chunks;
  readonly size?: number | undefined;
  readonly origin?: string | undefined;
}

async function openByteSource(
  { name, modifiedAt, chunks, size, origin }: ByteSource,
  signal: AbortSignal,
): Promise<OpenSource> {
  let read = 0;
  async function* countBytes(): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of yieldUntilAborted(chunks, signal)) {
      read += chunk.length;
      yield chunk;
    }
  }
  const raw = await peekChunks(countBytes(), 4);
  const unpacked = await peekChunks(decompressChunks(raw, name), headBytes);
  if (isTar(unpacked.head))
    return openArchive({ name, modifiedAt, archive: await readTar(name, unpacked.all) }, signal);
  const { head, all } = await peekChunks(transcodeToUtf8(name, unpacked.all), headBytes);
  return {
    source: {
      name: isGzip(raw.head) || isZstdFrame(raw.head) ? name.replace(/\.(gz|zst)$/i, '') : name,
      modifiedAt,
      files: [],
      findOriginKey: () => origin,
      readChunks: () => all,
    },
    head: new TextDecoder().decode(head.subarray(0, headBytes)),
    part: () => (size ? Math.min(1, read / size) : undefined),
  };
}

const isGzip = ([one, two]: Uint8Array) => one === 0x1f && two === 0x8b;

function decompressChunks({ head, all }: PeekedChunks, name: string): Chunks {
  if (isGzip(head)) return decompressGzip(all, name);
  return isZstdFrame(head) ? decompressZstd(name, all) : all;
}

async function* decompressGzip(chunks: Chunks, name: string): AsyncGenerator<Uint8Array, void, void> {
  const unzip = createGunzip({ chunkSize: chunkBytes });
  pipeline(Readable.from(chunks), unzip, () => {}); // the reader gets the error
  try {
    yield* unzip;
  } catch (error) {
    if (!getErrorCode(error).startsWith('Z_')) throw error;
    const reason = `${name} is damaged: it cannot be unpacked (${getErrorMessage(error)})`;
    throw new NoteError('invalid', reason, { cause: error });
  }
}
