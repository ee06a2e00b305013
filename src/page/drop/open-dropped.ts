import { NoteError } from '../../core/error.ts';
import type { NoteDraft } from '../../core/note.ts';
import { findCategoryByEnding } from '../../formats/named-file.ts';
import { openAndCollectPackedFiles } from '../../formats/packed-files.ts';
import { peekChunks } from '../../formats/peek-chunks.ts';
import type { Source } from '../../formats/source.ts';
import { transcodeToUtf8 } from '../../formats/text-encoding.ts';
import { decompressZstd, isZstdFrame } from '../../formats/zstd.ts';
import { createOriginFinder, listFolder } from './dropped-folder.ts';
import { type ReadLimit, readStream } from './read-limit.ts';

/** What was dropped, pasted or chosen. */
export type Dropped = File | FileSystemDirectoryEntry;

interface OpenContext {
  /** For notes whose source names none. */
  readonly category: NoteDraft['category'];
  readonly limit: ReadLimit;
}

interface OpenedSource {
  readonly source: Source;
  /** The first 64 KiB as text; empty for a folder. */
  readonly head: string;
}

const headLength = 64 * 1024;

/** Opens a file, or a folder or an archive with all files in it. Throws `invalid` and `unavailable`. */
export async function openDropped(dropped: Dropped, context: OpenContext): Promise<OpenedSource> {
  if (!(dropped instanceof File)) return openFolder(dropped, context);
  const start = new Uint8Array(await dropped.slice(0, 4).arrayBuffer().catch(rejectFile));
  return isZip(start) ? openArchive(dropped, context) : openFile(dropped, start, context);
}

const isZip = ([one, two, three, four]: Uint8Array) =>
  one === 0x50 && two === 0x4b && ((three === 3 && four === 4) || (three === 5 && four === 6));

const isGzip = ([one, two]: Uint8Array) => one === 0x1f && two === 0x8b;

function rejectFile(cause: unknown): never {
  const reason = 'It cannot be read. If it is a folder, drop it, or use “notes import”';
  throw new NoteError('unavailable', reason, { cause });
}

async function openFile(file: File, start: Uint8Array, { category, limit }: OpenContext): Promise<OpenedSource> {
  const { name, lastModified } = file;
  const unpacked = limit.apply(rejectUnreadable(decompress(file, start)));
  const { head, all } = await peekChunks(transcodeToUtf8(name, unpacked), headLength);
  const innerName = isGzip(start) || isZstdFrame(start) ? name.replace(/\.(gz|zst)$/i, '') : name;
  return {
    source: {
      name: innerName,
      modifiedAt: new Date(lastModified),
      category: findCategoryByEnding(innerName) ?? category,
      files: [],
      readChunks: () => all,
    },
    head: new TextDecoder().decode(head.subarray(0, headLength)),
  };
}

function decompress(file: File, start: Uint8Array): AsyncIterable<Uint8Array> {
  if (isGzip(start)) return gunzip(file);
  return isZstdFrame(start) ? decompressZstd(file.name, readFile(file)) : readFile(file);
}

async function* gunzip(file: File): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* readStream(file.stream().pipeThrough(new DecompressionStream('gzip')));
  } catch (cause) {
    throw new NoteError('invalid', `${file.name} is damaged: it cannot be unpacked`, { cause });
  }
}

async function* readFile(file: File): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* readStream(file.stream());
  } catch (error) {
    rejectFile(error);
  }
}

/** Files that only the command line reads, by the bytes at a place in them: browsers have no SQLite. */
const unreadable = [
  { at: 0, signature: 'SQLite format 3\0', reason: 'It is a database, which only “notes import” reads' },
  { at: 257, signature: 'ustar', reason: 'It is a .tar archive. Unpack it, or use “notes import”' },
];

/** In bytes, enough for all signatures. */
const signedLength = 512;

/** Passes on chunks. Throws `invalid` for a file that only the command line reads. */
async function* rejectUnreadable(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const { head, all } = await peekChunks(chunks, signedLength);
  const decode = (at: number, length: number) => new TextDecoder().decode(head.subarray(at, at + length));
  const found = unreadable.find(({ at, signature }) => decode(at, signature.length) === signature);
  if (found !== undefined) throw new NoteError('invalid', found.reason);
  yield* all;
}

/** Opens a folder. Its files may be of several categories, so that the default is none of the page. */
async function openFolder(entry: FileSystemDirectoryEntry, { category, limit }: OpenContext): Promise<OpenedSource> {
  const folder = await listFolder(entry);
  assertFiles(folder.paths);
  const source = {
    name: folder.name,
    modifiedAt: new Date(),
    files: folder.paths,
    category: toFolderCategory(category),
    async *readChunks(path = '') {
      yield* transcodeToUtf8(path, rejectUnreadable(limit.apply(readFile(await folder.open(path)))));
    },
    async readTimes(path: string) {
      const modifiedAt = new Date((await folder.open(path)).lastModified);
      return { createdAt: modifiedAt, modifiedAt };
    },
    findOriginKey: createOriginFinder(folder),
  };
  return { source, head: '' };
}

async function openArchive(file: File, { category, limit }: OpenContext): Promise<OpenedSource> {
  const { openZip } = await import('./open-zip.ts');
  const { name, lastModified } = file;
  const openInner = (innerName: string, bytes: Uint8Array) => openZip(innerName, bytes, limit);
  const archive = await openZip(name, file, limit);
  const files = await openAndCollectPackedFiles(name, archive, { openZip: openInner, opened: [] });
  assertFiles([...files.keys()]);
  const source = {
    name,
    modifiedAt: new Date(lastModified),
    files: [...files.keys()].sort(),
    category: toFolderCategory(category),
    async *readChunks(path = '') {
      const packed = files.get(path);
      if (packed !== undefined) yield* transcodeToUtf8(path, rejectUnreadable(packed.unpack()));
    },
    async readTimes(path: string) {
      const modifiedAt = files.get(path)?.modifiedAt ?? new Date(lastModified);
      return { createdAt: modifiedAt, modifiedAt };
    },
  };
  return { source, head: '' };
}

function assertFiles(paths: readonly string[]): void {
  if (paths.length === 0) throw new NoteError('invalid', 'It holds no files');
}

/** The default category of the page would come before that of the ending of a file, such as `.css`. */
const toFolderCategory = (category: NoteDraft['category']) => (category === 'notes' ? undefined : category);
