import { realpath, stat } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { ConfigError } from '../../../config.ts';
import { invalid, NoteError } from '../../../core/error.ts';
import { JsonArrayError } from '../../../core/long-json.ts';
import { codeOf, messageOf } from '../../../core/tools/thrown.ts';
import { formats } from '../../../formats/formats.ts';
import { type PeekedChunks, peekChunks } from '../../../formats/peek-chunks.ts';
import { formatRejection, type Recognition } from '../../../formats/recognition.ts';
import { openOnlyFolder, recognizeSource } from '../../../formats/recognize-source.ts';
import { createBadRecord, type Format, type ReadRecord, type Source } from '../../../formats/record.ts';
import { decompressZstd, isZstd } from '../../../formats/zstd.ts';
import { attempt } from '../../exit-code.ts';
import { twoColumns } from '../../flags.ts';
import { interruptible } from '../../interruption.ts';
import type { Input } from '../../io.ts';
import type { ImportFlags } from './command.ts';
import { chunkBytes, FileOrigins, fileChunks, type OpenSource, openFolder } from './folder.ts';

type Chunks = AsyncIterable<Uint8Array>;

const headBytes = 64 * 1024;

/** Opens a source, and reads its records as they are asked for. Throws `invalid`, `unavailable` and `ConfigError`. */
export async function openRecords(path: string, flags: ImportFlags, stdin: Input, signal: AbortSignal) {
  const opened = await openSource(path, stdin, signal, flags.category);
  const { isFolder, source, unreadable = [] } = opened;
  if (isFolder && source.files.length + unreadable.length === 0) throw invalid(`${path} holds no files`);
  const { format, source: recognized } = chooseFormat(opened, flags.format);
  return { ...opened, format, records: recordsIn({ ...opened, source: recognized }, format, signal) };
}

/**
 * Opens a file, a folder, a `.zip` archive, or for `-` standard input, and decompresses gzip and
 * Zstandard. `category` is for notes
 * that specify none. Reading throws the reason of `signal` when that aborts. Throws `unavailable`.
 */
export async function openSource(
  path: string,
  stdin: Input,
  signal: AbortSignal,
  category?: ImportFlags['category'],
): Promise<OpenSource> {
  const opened = path === '-' ? openBytes(standardInput(stdin), signal) : openPath(path, signal);
  const { source, ...rest } = await opened;
  return { ...rest, source: { ...source, category } };
}

const standardInput = (chunks: Input): Bytes => ({ name: 'standard input', modifiedAt: new Date(), chunks });

async function openPath(path: string, signal: AbortSignal): Promise<OpenSource> {
  const stats = await attempt('read', path, () => stat(path));
  if (stats.isDirectory()) return openFolder(path, stats);
  if (stats.isFile() && (await isZip(path))) return openZip(path, stats.mtime, signal);
  const size = stats.isFile() ? stats.size : undefined;
  const origin = size === undefined ? undefined : new FileOrigins().of(await realpath(path));
  return openBytes({ name: path, modifiedAt: stats.mtime, chunks: fileChunks(path), size, origin }, signal);
}

/**
 * The format with this name, or the one that the source was recognized as, with the source as it reads it. Throws
 * `invalid` if no format reads it, and `ConfigError` for a category that its notes would not take.
 */
export function chooseFormat({ source, head }: OpenSource, name?: string): Recognized {
  const named = formats.find((one) => one.name === name);
  const recognition = named ? readAs(named, source) : recognizeSource(source, head);
  if (recognition.kind !== 'format') throw rejectSource(source, head, recognition);
  const { format } = recognition;
  if (source.category === undefined || takesCategory(format)) return recognition;
  throw new ConfigError(
    `--category is for files of code and Markdown. Notes in the format ${format.name} have their own`,
  );
}

const takesCategory = ({ name }: Format) => ['code', 'markdown', 'mixed'].includes(name);

export type Recognized = Extract<Recognition, { kind: 'format' }>;

/** The format was named by the user, so that a source which it does not recognize is read all the same. */
function readAs(format: Format, source: Source): Recognized {
  const only = format.recognizes(source, '') ? undefined : openOnlyFolder(source);
  return { kind: 'format', format, source: only && format.recognizes(only, '') ? only : source };
}

function rejectSource({ name }: Source, head: string, recognition: Exclude<Recognition, Recognized>): NoteError {
  if (head.startsWith(zipSignature)) return invalid(`${name} is a .zip archive. Save it as a file, and import that`);
  if (recognition.kind === 'known program') return invalid(`${name}: ${formatRejection(recognition)}`);
  const heading =
    `${name} is in no known format: it is ${recognition.description}. ` +
    'Add --format to "notes import" if it is one of these:';
  const rows = formats.map(({ name, description }) => [name, description] as const);
  return invalid(twoColumns(heading, rows).trimEnd());
}

/** Reads all records of a source. An error is reported as a bad record, or thrown if no record came before it. */
export async function* recordsIn(
  { source, links = [], unreadable = [], close }: OpenSource,
  format: Format,
  signal: AbortSignal,
): AsyncGenerator<ReadRecord, void, void> {
  for (const location of links)
    yield { kind: 'left out', location, reason: 'It is a link, and links are not followed' };
  for (const folder of unreadable) yield { kind: 'bad', ...folder };
  let isUnderstood = false;
  try {
    for await (const record of format.read(source)) {
      signal.throwIfAborted();
      isUnderstood = true;
      yield record;
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof NoteError)) throw error;
    if (!isUnderstood)
      throw error instanceof JsonArrayError ? error.reworded(`${source.name}: ${error.message}`) : error;
    yield createBadRecord(source.name, error.message);
  } finally {
    close?.();
  }
}

interface Bytes {
  readonly name: string;
  readonly modifiedAt: Date;
  readonly chunks: Chunks;
  readonly size?: number | undefined;
  readonly origin?: string | undefined;
}

async function openBytes({ name, modifiedAt, chunks, size, origin }: Bytes, signal: AbortSignal): Promise<OpenSource> {
  let read = 0;
  async function* counted(): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of interruptible(chunks, signal)) {
      read += chunk.length;
      yield chunk;
    }
  }
  const raw = await peekChunks(counted(), 4);
  const { head, all } = await peekChunks(decompressed(raw, name), headBytes);
  return {
    source: {
      name: isGzip(raw.head) || isZstd(raw.head) ? name.replace(/\.(gz|zst)$/i, '') : name,
      modifiedAt,
      files: [],
      findOrigin: () => origin,
      chunks: () => all,
    },
    head: new TextDecoder().decode(head.subarray(0, headBytes)),
    part: () => (size ? Math.min(1, read / size) : undefined),
  };
}

const isGzip = ([one, two]: Uint8Array) => one === 0x1f && two === 0x8b;

function decompressed({ head, all }: PeekedChunks, name: string): Chunks {
  if (isGzip(head)) return gunzipped(all, name);
  return isZstd(head) ? decompressZstd(name, all) : all;
}

async function* gunzipped(chunks: Chunks, name: string): AsyncGenerator<Uint8Array, void, void> {
  const unzip = createGunzip({ chunkSize: chunkBytes });
  pipeline(Readable.from(chunks), unzip, () => {}); // the reader gets the error
  try {
    yield* unzip;
  } catch (error) {
    if (!codeOf(error).startsWith('Z_')) throw error;
    const reason = `${name} is damaged: it cannot be unpacked (${messageOf(error)})`;
    throw new NoteError('invalid', reason, { cause: error });
  }
}

/** Limits against archive bombs. `ratio` (unpacked to packed) applies to files above `plainBytes`. */
const max = { entries: 100_000, ratio: 200, plainBytes: 16 * 1024 * 1024 };

/** The first characters of an archive that is not empty. It cannot be streamed, as its directory is at the end. */
const zipSignature = 'PK\u0003\u0004';

/** Whether a file starts with the signature of an archive. */
async function isZip(path: string): Promise<boolean> {
  const start = await attempt('read', path, () => Bun.file(path).slice(0, 4).text());
  return [zipSignature, 'PK\u0005\u0006'].includes(start);
}

/**
 * Opens an archive as a folder. Writes nothing to disk, so that paths in the archive are harmless. Unpacks files while
 * they are read. Throws `invalid` if it is damaged or an archive bomb.
 */
async function openZip(path: string, modifiedAt: Date, signal: AbortSignal): Promise<OpenSource> {
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
    async readTimes(name) {
      const time = entries.get(name)?.getLastModDate() ?? modifiedAt;
      return { createdAt: time, modifiedAt: time };
    },
  };
  return {
    source,
    isFolder: true,
    head: '',
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
