import { realpath, stat } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { NoteError } from '../../../core/error.ts';
import { getErrorCodeOrEmpty, getErrorMessage } from '../../../core/thrown-errors.ts';
import { headBytes, type PeekedChunks, peekChunks } from '../../../formats/peek-chunks.ts';
import { transcodeUtf16IfMarked } from '../../../formats/text-encoding.ts';
import { beginsWithZstdFrame, streamDecompressedZstd } from '../../../formats/zstd.ts';
import { runExplainingFileErrors } from '../../error-text.ts';
import { streamOrThrowOnAbort } from '../../interruption.ts';
import type { Input } from '../../io.ts';
import { FileOriginKeyFactory } from './file-origin-keys.ts';
import { openArchiveSource } from './open-archive.ts';
import { chunkBytes, type OpenSource, openFolderSource, streamFileChunks } from './open-folder.ts';
import type { ImportFlags } from './source-flags.ts';
import { hasTarSignature, readTarArchive } from './tar-archive.ts';
import { isZipFile, openZipFile } from './zip-archive.ts';

type Chunks = AsyncIterable<Uint8Array>;

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
  const opened =
    path === '-'
      ? unpackAndOpenByteSource(createStandardInputSource(stdin), signal)
      : openFileOrFolderSource(path, signal);
  const { source, ...rest } = await opened;
  const { files, streamChunks } = source;
  const converted =
    files.length === 0
      ? streamChunks
      : (file?: string) => transcodeUtf16IfMarked(file ?? source.name, streamChunks(file));
  return { ...rest, source: { ...source, streamChunks: converted, category } };
}

const createStandardInputSource = (chunks: Input): ByteSource => ({
  name: 'standard input',
  modifiedAt: new Date(),
  chunks,
});

async function openFileOrFolderSource(path: string, signal: AbortSignal): Promise<OpenSource> {
  const stats = await runExplainingFileErrors('read', path, () => stat(path));
  if (stats.isDirectory()) return openFolderSource(path, stats);
  if (stats.isFile() && (await isZipFile(path)))
    return openArchiveSource({ name: path, modifiedAt: stats.mtime, archive: await openZipFile(path) }, signal);
  const size = stats.isFile() ? stats.size : undefined;
  const origin = size === undefined ? undefined : new FileOriginKeyFactory().tryCreateKey(await realpath(path));
  return unpackAndOpenByteSource(
    { name: path, modifiedAt: stats.mtime, chunks: streamFileChunks(path), size, origin },
    signal,
  );
}

interface ByteSource {
  readonly name: string;
  readonly modifiedAt: Date;
  readonly chunks: Chunks;
  readonly size?: number | undefined;
  readonly origin?: string | undefined;
}

async function unpackAndOpenByteSource(
  { name, modifiedAt, chunks, size, origin }: ByteSource,
  signal: AbortSignal,
): Promise<OpenSource> {
  let read = 0;
  async function* countBytes(): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of streamOrThrowOnAbort(chunks, signal)) {
      read += chunk.length;
      yield chunk;
    }
  }
  const raw = await peekChunks(countBytes(), 4);
  const unpacked = await peekChunks(decompressIfCompressed(raw, name), headBytes);
  if (hasTarSignature(unpacked.head))
    return openArchiveSource({ name, modifiedAt, archive: await readTarArchive(name, unpacked.all) }, signal);
  const { head, all } = await peekChunks(transcodeUtf16IfMarked(name, unpacked.all), headBytes);
  return {
    source: {
      name: hasGzipSignature(raw.head) || beginsWithZstdFrame(raw.head) ? name.replace(/\.(gz|zst)$/i, '') : name,
      modifiedAt,
      files: [],
      findOriginKey: () => origin,
      streamChunks: () => all,
    },
    head: new TextDecoder().decode(head.subarray(0, headBytes)),
    part: () => (size ? Math.min(1, read / size) : undefined),
  };
}

const hasGzipSignature = ([one, two]: Uint8Array) => one === 0x1f && two === 0x8b;

function decompressIfCompressed({ head, all }: PeekedChunks, name: string): Chunks {
  if (hasGzipSignature(head)) return decompressGzip(all, name);
  return beginsWithZstdFrame(head) ? streamDecompressedZstd(name, all) : all;
}

async function* decompressGzip(chunks: Chunks, name: string): AsyncGenerator<Uint8Array, void, void> {
  const unzip = createGunzip({ chunkSize: chunkBytes });
  pipeline(Readable.from(chunks), unzip, () => {}); // the reader gets the error
  try {
    yield* unzip;
  } catch (error) {
    if (!getErrorCodeOrEmpty(error).startsWith('Z_')) throw error;
    const reason = `${name} is damaged: it cannot be unpacked (${getErrorMessage(error)})`;
    throw new NoteError('invalid', reason, { cause: error });
  }
}
