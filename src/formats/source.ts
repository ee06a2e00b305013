import { createInvalidError, type ErrorCode, NoteError } from '../core/error.ts';
import type { PortableNote } from '../core/note.ts';
import { tryReadBytesUpTo } from '../core/text/utf8.ts';
import { createBadRecord, type ReadRecord } from './record.ts';

/** A source is what an import reads: a file, a folder or standard input. */
export interface Source {
  /** The name of the source for display. */
  readonly name: string;
  readonly modifiedAt: Date;
  /** The paths of all files below a folder, relative and sorted. The list is empty for a file. */
  readonly files: readonly string[];
  /** All files of the folder, if `files` are only a part of them. */
  readonly siblings?: readonly string[];
  /** The default category. */
  readonly category?: PortableNote['category'] | undefined;
  /**
   * Yields the bytes of one of `files`, or without a path those of the source itself. It can be called once for each,
   * and yields nothing of a folder.
   */
  streamChunks(path?: string): AsyncIterable<Uint8Array>;
  /** Reads the times of one of `files`. It is missing if the source does not know them. */
  readTimes?(path: string): Promise<FileTimes>;
  /** The origin key of one of `files`, or of a source that is a file; undefined without a stable name. */
  findOriginKey?(path?: string): string | undefined;
}

export interface FileTimes {
  readonly createdAt: Date;
  readonly modifiedAt: Date;
}

/** A file of a source; `name` is for display. */
export interface SourceFile {
  readonly name: string;
  readonly modifiedAt: Date;
  streamChunks(): AsyncIterable<Uint8Array>;
}

/**
 * Yields the records of the source, or of the files of a folder whose path matches, and a record about the others. An
 * unreadable file of a folder affects no other file, nor records read before.
 */
export async function* streamRecordsOfMatchingFiles(
  source: Source,
  pattern: RegExp,
  read: (file: SourceFile) => AsyncIterable<ReadRecord>,
): AsyncGenerator<ReadRecord, void, void> {
  let count = 0;
  for await (const file of streamMatchingFiles(source, pattern)) {
    try {
      for await (const record of read(file)) {
        count++;
        yield record;
      }
    } catch (thrown) {
      const error = toInvalidErrorIfRangeError(thrown, file);
      const isLost = source.files.length === 0 && count === 0;
      if (isLost || !(error instanceof NoteError) || !fileErrorCodes.includes(error.code)) throw error;
      yield createBadRecord(file.name, `${error.message}. The part before it was read`);
    }
  }
  const unmatched = tryCreateUnmatchedFilesRecord(source, pattern);
  if (unmatched !== undefined) yield unmatched;
}

/**
 * Converts a `RangeError` to a `NoteError`: it means a stack overflow in a recursive parser, or a string beyond the
 * maximum length. Other errors stay.
 */
const toInvalidErrorIfRangeError = (thrown: unknown, { name }: SourceFile): unknown =>
  thrown instanceof RangeError
    ? new NoteError('invalid', `${name} is nested too deep, or too long`, { cause: thrown })
    : thrown;

/** These errors are about one file of a folder. An interruption is not. */
const fileErrorCodes: readonly ErrorCode[] = ['invalid', 'unavailable'];

async function* streamMatchingFiles(source: Source, pattern: RegExp): AsyncGenerator<SourceFile, void, void> {
  const { files, name, modifiedAt } = source;
  if (files.length === 0) yield { name, modifiedAt, streamChunks: () => source.streamChunks() };
  for (const path of files) {
    if (!pattern.test(path)) continue;
    const times = await source.readTimes?.(path);
    yield { name: path, modifiedAt: times?.modifiedAt ?? modifiedAt, streamChunks: () => source.streamChunks(path) };
  }
}

const maxShownNames = 5;

/** Creates a record that names the files that do not match. Returns undefined if all match. */
function tryCreateUnmatchedFilesRecord(source: Source, pattern: RegExp): ReadRecord | undefined {
  const others = source.files.filter((path) => !pattern.test(path));
  if (others.length === 0) return undefined;
  const names = others.slice(0, maxShownNames).join(', ');
  const more = others.length > maxShownNames ? ` and ${others.length - maxShownNames} more` : '';
  const reason = `Files that this format does not read: ${names}${more}`;
  return { kind: 'left out', location: source.name, reason, count: others.length, unread: others };
}

const maxFileBytes = 256 * 2 ** 20;

/** Reads all bytes of a file, for formats that cannot stream it. Throws `invalid` if it is too large. */
export async function readFileBytes({ name, streamChunks }: SourceFile): Promise<Uint8Array> {
  const bytes = await tryReadBytesUpTo(streamChunks(), maxFileBytes);
  if (bytes === undefined) throw createInvalidError(`${name} is larger than 256 MiB, too much to read as a whole`);
  return bytes;
}

/** Reads all text of a file, without its byte order mark. */
export const readFileText = async (file: SourceFile): Promise<string> =>
  new TextDecoder().decode(await readFileBytes(file));

/** Reads all text of one of the files of a source, or of a source that is a file. */
export const readSourceFileText = (source: Source, path?: string): Promise<string> =>
  readFileText({
    name: path ?? source.name,
    modifiedAt: source.modifiedAt,
    streamChunks: () => source.streamChunks(path),
  });
