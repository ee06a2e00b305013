import { NoteError } from '../../core/error.ts';
import type { NoteDraft } from '../../core/note.ts';
import { findCategoryByEnding } from '../../formats/file-names.ts';
import { collectPackedAndNestedFilesByPath } from '../../formats/packed-files.ts';
import { headBytes, peekChunks } from '../../formats/peek-chunks.ts';
import type { Source } from '../../formats/source.ts';
import { transcodeUtf16IfMarked } from '../../formats/text-encoding.ts';
import { beginsWithZstdFrame, streamDecompressedZstd } from '../../formats/zstd.ts';
import { createOriginKeyFinder, listDroppedFolder } from './dropped-folder.ts';
import { iterateReadableStream, type ReadLimit } from './import-limit.ts';

/** What was dropped, pasted or chosen. */
export type DroppedItem = File | FileSystemDirectoryEntry;

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

/** Opens a file, or a folder or an archive with all files in it. Throws `invalid` and `unavailable`. */
export async function openDroppedItem(dropped: DroppedItem, context: OpenContext): Promise<OpenedSource> {
  if (!(dropped instanceof File)) return openFolder(dropped, context);
  const start = new Uint8Array(await dropped.slice(0, 4).arrayBuffer().catch(throwUnreadableFile));
  return isZip(start) ? openArchive(dropped, context) : openFileAsSource(dropped, start, context);
}

const isZip = ([one, two, three, four]: Uint8Array) =>
  one === 0x50 && two === 0x4b && ((three === 3 && four === 4) || (three === 5 && four === 6));

const beginsWithGzipHeader = ([one, two]: Uint8Array) => one === 0x1f && two === 0x8b;

function throwUnreadableFile(cause: unknown): never {
  const reason = 'It cannot be read. If it is a folder, drop it, or use “notes import”';
  throw new NoteError('unavailable', reason, { cause });
}

async function openFileAsSource(
  file: File,
  start: Uint8Array,
  { category, limit }: OpenContext,
): Promise<OpenedSource> {
  const { name, lastModified } = file;
  const unpacked = limit.streamUntilLimit(streamUnlessUnreadable(streamDecompressedIfCompressed(file, start)));
  const { head, all } = await peekChunks(transcodeUtf16IfMarked(name, unpacked), headBytes);
  const innerName = beginsWithGzipHeader(start) || beginsWithZstdFrame(start) ? name.replace(/\.(gz|zst)$/i, '') : name;
  return {
    source: {
      name: innerName,
      modifiedAt: new Date(lastModified),
      category: findCategoryByEnding(innerName) ?? category,
      files: [],
      streamChunks: () => all,
    },
    head: new TextDecoder().decode(head.subarray(0, headBytes)),
  };
}

function streamDecompressedIfCompressed(file: File, start: Uint8Array): AsyncIterable<Uint8Array> {
  if (beginsWithGzipHeader(start)) return streamGunzipped(file);
  return beginsWithZstdFrame(start) ? streamDecompressedZstd(file.name, streamFile(file)) : streamFile(file);
}

async function* streamGunzipped(file: File): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* iterateReadableStream(file.stream().pipeThrough(new DecompressionStream('gzip')));
  } catch (cause) {
    throw new NoteError('invalid', `${file.name} is damaged: it cannot be unpacked`, { cause });
  }
}

async function* streamFile(file: File): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* iterateReadableStream(file.stream());
  } catch (error) {
    throwUnreadableFile(error);
  }
}

/** Files that only the command line reads, by the bytes at a place in them: browsers have no SQLite. */
const unreadableFormats = [
  { at: 0, signature: 'SQLite format 3\0', reason: 'It is a database, which only “notes import” reads' },
  { at: 257, signature: 'ustar', reason: 'It is a .tar archive. Unpack it, or use “notes import”' },
];

/** In bytes, enough for all signatures. */
const maxSignatureLength = 512;

/** Passes on chunks. Throws `invalid` for a file that only the command line reads. */
async function* streamUnlessUnreadable(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const { head, all } = await peekChunks(chunks, maxSignatureLength);
  const decode = (at: number, length: number) => new TextDecoder().decode(head.subarray(at, at + length));
  const found = unreadableFormats.find(({ at, signature }) => decode(at, signature.length) === signature);
  if (found !== undefined) throw new NoteError('invalid', found.reason);
  yield* all;
}

/** Opens a folder. Its files may be of several categories, so that the default is none of the page. */
async function openFolder(entry: FileSystemDirectoryEntry, { category, limit }: OpenContext): Promise<OpenedSource> {
  const folder = await listDroppedFolder(entry);
  assertHasFiles(folder.paths);
  const source = {
    name: folder.name,
    modifiedAt: new Date(),
    files: folder.paths,
    category: omitDefaultCategory(category),
    async *streamChunks(path = '') {
      yield* transcodeUtf16IfMarked(
        path,
        streamUnlessUnreadable(limit.streamUntilLimit(streamFile(await folder.openFile(path)))),
      );
    },
    async readTimes(path: string) {
      const modifiedAt = new Date((await folder.openFile(path)).lastModified);
      return { createdAt: modifiedAt, modifiedAt };
    },
    findOriginKey: createOriginKeyFinder(folder),
  };
  return { source, head: '' };
}

async function openArchive(file: File, { category, limit }: OpenContext): Promise<OpenedSource> {
  const { openZip } = await import('./open-zip.ts');
  const { name, lastModified } = file;
  const openInner = (innerName: string, bytes: Uint8Array) => openZip(innerName, bytes, limit);
  const archive = await openZip(name, file, limit);
  const files = await collectPackedAndNestedFilesByPath(name, archive, openInner);
  assertHasFiles([...files.keys()]);
  const source = {
    name,
    modifiedAt: new Date(lastModified),
    files: [...files.keys()].sort(),
    category: omitDefaultCategory(category),
    async *streamChunks(path = '') {
      const packed = files.get(path);
      if (packed !== undefined) yield* transcodeUtf16IfMarked(path, streamUnlessUnreadable(packed.unpack()));
    },
    async readTimes(path: string) {
      const modifiedAt = files.get(path)?.modifiedAt ?? new Date(lastModified);
      return { createdAt: modifiedAt, modifiedAt };
    },
  };
  return { source, head: '' };
}

function assertHasFiles(paths: readonly string[]): void {
  if (paths.length === 0) throw new NoteError('invalid', 'It holds no files');
}

/** The default category of the page would come before that of the ending of a file, such as `.css`. */
const omitDefaultCategory = (category: NoteDraft['category']) => (category === 'notes' ? undefined : category);
