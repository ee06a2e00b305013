import { createReadStream, type Dirent, existsSync, type Stats, statSync } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ConfigError } from '../../../config.ts';
import { invalid, NoteError } from '../../../core/error.ts';
import { JsonArrayError } from '../../../core/long-json.ts';
import { codeOf, messageOf } from '../../../core/tools/thrown.ts';
import { code } from '../../../formats/code.ts';
import { formatOf, formats } from '../../../formats/formats.ts';
import { markdown } from '../../../formats/markdown.ts';
import { originKey } from '../../../formats/origin.ts';
import { bad, type Format, type ReadRecord, type Source } from '../../../formats/record.ts';
import { attempt } from '../../exit-code.ts';
import { twoColumns } from '../../flags.ts';
import { interruptible } from '../../interruption.ts';
import type { Input } from '../../io.ts';
import type { ImportFlags } from './command.ts';
import { isZip, openZip, zipSignature } from './zip.ts';

/** A source with its first bytes read. */
export interface OpenSource {
  readonly source: Source;
  /** Whether it is a folder or an archive. */
  readonly isFolder?: boolean;
  /** The first 64 KiB as text; empty for a folder. */
  readonly head: string;
  /** Links in a folder. They are not followed, so that nothing outside is read. */
  readonly links?: readonly string[];
  /** Folders that cannot be read, with the reason. */
  readonly unreadable?: readonly { readonly location: string; readonly reason: string }[];
  /** Fraction that was read, from 0 to 1, if known. */
  readonly part: () => number | undefined;
  /** Call when all is read. */
  readonly close?: () => void;
}

type Chunks = AsyncIterable<Uint8Array>;

const chunkBytes = 256 * 1024;
const headBytes = 64 * 1024;

/** Opens a source, and reads its records as they are asked for. Throws `invalid`, `unavailable` and `ConfigError`. */
export async function openRecords(path: string, flags: ImportFlags, stdin: Input, signal: AbortSignal) {
  const opened = await openSource(path, stdin, signal, flags.category);
  const { isFolder, source, unreadable = [] } = opened;
  if (isFolder && source.files.length + unreadable.length === 0) throw invalid(`${path} holds no files`);
  const format = formatFor(opened, flags.format);
  return { ...opened, format, records: recordsIn(opened, format, signal) };
}

/**
 * Opens a file, a folder, a `.zip` archive, or for `-` standard input, and decompresses gzip. `category` is for notes
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
  if (stats.isFile() && (await isZip(path)))
    return { isFolder: true, head: '', ...(await openZip(path, stats.mtime, signal)) };
  const size = stats.isFile() ? stats.size : undefined;
  const origin = size === undefined ? undefined : new FileOrigins().of(await realpath(path));
  return openBytes({ name: path, modifiedAt: stats.mtime, chunks: chunksOf(path), size, origin }, signal);
}

/**
 * The format with this name, or the one that recognizes the source. Throws `invalid` if none does, and `ConfigError` for
 * a category that its notes would not take.
 */
export function formatFor(opened: OpenSource, name?: string): Format {
  const format = formats.find((one) => one.name === name) ?? recognized(opened);
  if (opened.source.category === undefined || [code, markdown].includes(format)) return format;
  throw new ConfigError(
    `--category is for files of code and Markdown. Notes in the format ${format.name} have their own`,
  );
}

/** Files with a given category are code, which includes Markdown. */
function recognized({ source, head }: OpenSource): Format {
  if (head.startsWith(zipSignature))
    throw invalid(`${source.name} is a .zip archive. Save it as a file, and import that`);
  const format = formatOf(source, head);
  if (source.category !== undefined && source.files.length > 0 && (format ?? markdown) === markdown) return code;
  if (format) return format;
  const heading = `${source.name} is in no known format. Add --format to "notes import" if it is one of these:`;
  const rows = formats.map(({ name, description }) => [name, description] as const);
  throw invalid(twoColumns(heading, rows).trimEnd());
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
    yield bad(source.name, error.message);
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
  const raw = await peek(counted(), 2);
  const isGzipped = raw.head[0] === 0x1f && raw.head[1] === 0x8b;
  const { head, whole } = isGzipped
    ? await peek(gunzipped(raw.whole, name), headBytes)
    : await peek(raw.whole, headBytes);
  return {
    source: {
      name: isGzipped ? name.replace(/\.gz$/i, '') : name,
      modifiedAt,
      files: [],
      originOf: () => origin,
      chunks: () => whole,
    },
    head: new TextDecoder().decode(head.subarray(0, headBytes)),
    part: () => (size ? Math.min(1, read / size) : undefined),
  };
}

async function* chunksOf(path: string, name = path): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* createReadStream(path, { highWaterMark: chunkBytes });
  } catch (error) {
    await attempt('read', name, () => Promise.reject(error));
  }
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

/** Reads at least `minLength` bytes if there are as many. Returns them and an iterable of all bytes from the start. */
async function peek(chunks: Chunks, minLength: number): Promise<{ readonly head: Uint8Array; readonly whole: Chunks }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (let length = 0; length < minLength; ) {
    const { value, done } = await iterator.next();
    if (done) break;
    first.push(value);
    length += value.length;
  }
  async function* whole(): AsyncGenerator<Uint8Array, void, void> {
    yield* first.splice(0);
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { head: Buffer.concat(first), whole: whole() };
}

async function openFolder(path: string, { mtime }: Stats): Promise<OpenSource> {
  const root = await attempt('read', path, () => realpath(path));
  const files: string[] = [];
  const links: string[] = [];
  const unreadable: { location: string; reason: string }[] = [];
  for await (const [below, entry] of entriesIn(root)) {
    if (entry instanceof Error) unreadable.push({ location: below, reason: entry.message });
    else if (entry.isSymbolicLink()) links.push(below);
    else if (entry.isFile()) files.push(below);
  }
  const origins = new FileOrigins();
  let read = 0;
  const source: Source = {
    name: path,
    modifiedAt: mtime,
    files: files.sort(),
    async *chunks(below) {
      if (below === undefined) return;
      read++;
      yield* readWithin(root, below);
    },
    async timesOf(below) {
      const { birthtimeMs, birthtime, mtimeMs, mtime: modifiedAt } = statSync(join(root, below));
      return { createdAt: birthtimeMs > 0 && birthtimeMs < mtimeMs ? birthtime : modifiedAt, modifiedAt };
    },
    originOf: (below = '') => origins.of(join(root, below)),
  };
  return { source, isFolder: true, head: '', links, unreadable, part: () => read / Math.max(1, files.length) };
}

/** Yields all entries below a folder with paths separated by `/`; for an unreadable subfolder the error. */
async function* entriesIn(root: string, folder = ''): AsyncGenerator<[below: string, Dirent | Error], void, void> {
  const path = join(root, folder);
  const entries = await attempt('read', path, () => readdir(path, { withFileTypes: true })).catch((error) => {
    if (folder === '' || !(error instanceof Error)) throw error;
    return error;
  });
  if (entries instanceof Error) return yield [folder, entries];
  for (const entry of entries) {
    const below = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* entriesIn(root, below);
    else yield [below, entry];
  }
}

/** Reads a file. Checks again that it is not a link out of the folder, as it may have become one. */
async function* readWithin(root: string, below: string): AsyncGenerator<Uint8Array, void, void> {
  const path = join(root, below);
  if (!(await attempt('read', below, () => realpath(path))).startsWith(root.endsWith(sep) ? root : root + sep))
    throw invalid(`${below} is a link out of the folder`);
  const { size } = await attempt('read', below, () => stat(path));
  if (size > chunkBytes) yield* chunksOf(path, below);
  else yield await attempt('read', below, () => readFile(path));
}

/** Identifies files by real path, or in an Obsidian vault, which may be moved, by its name and the path in it. */
export class FileOrigins {
  readonly #vaults = new Map<string, string | undefined>();

  of(path: string): string | undefined {
    const vault = this.#vaultOf(dirname(path));
    if (vault === undefined) return originKey('file', path);
    return originKey('obsidian', [basename(vault), ...relative(vault, path).split(sep)].join('/'));
  }

  #vaultOf(folder: string): string | undefined {
    if (this.#vaults.has(folder)) return this.#vaults.get(folder);
    const above = dirname(folder);
    const isVault = existsSync(join(folder, '.obsidian'));
    const vault = isVault ? folder : above === folder ? undefined : this.#vaultOf(above);
    this.#vaults.set(folder, vault);
    return vault;
  }
}
