import { type Code, invalid, NoteError } from '../core/error.ts';
import type { PortableNote } from '../core/note.ts';
import { readBytesUpTo } from '../core/text/utf8.ts';
import { createBadRecord, type ReadRecord } from './record.ts';

/** The input: a file, a folder or standard input. */
export interface Source {
  /** For display. */
  readonly name: string;
  readonly modifiedAt: Date;
  /** Paths of all files below a folder, relative and sorted; otherwise empty. */
  readonly files: readonly string[];
  /** All files of a folder of which `files` are a part. */
  readonly siblings?: readonly string[];
  /** The default category. */
  readonly category?: PortableNote['category'] | undefined;
  /** Reads one of `files`, or without a path the source itself, once; nothing of a folder. */
  readChunks(path?: string): AsyncIterable<Uint8Array>;
  /** The times of one of `files`, if known. */
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
  readChunks(): AsyncIterable<Uint8Array>;
}

/**
 * Reads the source, or the files of a folder whose path matches, and reports the others. An unreadable file of a
 * folder affects no other file, nor records read before.
 */
export async function* readEachMatchingFile(
  source: Source,
  pattern: RegExp,
  read: (file: SourceFile) => AsyncIterable<ReadRecord>,
): AsyncGenerator<ReadRecord, void, void> {
  let count = 0;
  for await (const file of listMatchingFiles(source, pattern)) {
    try {
      for await (const record of read(file)) {
        count++;
        yield record;
      }
    } catch (thrown) {
      const error = toReadError(thrown, file);
      const isLost = source.files.length === 0 && count === 0;
      if (isLost || !(error instanceof NoteError) || !fileErrorCodes.includes(error.code)) throw error;
      yield createBadRecord(file.name, `${error.message}. The part before it was read`);
    }
  }
  yield* createUnmatchedFilesRecord(source, pattern);
}

/** A `RangeError` means a stack overflow in a recursive parser, or a string beyond the maximum length. */
const toReadError = (thrown: unknown, { name }: SourceFile): unknown =>
  thrown instanceof RangeError
    ? new NoteError('invalid', `${name} is nested too deep, or too long`, { cause: thrown })
    : thrown;

/** Errors of a file, but not an interruption. */
const fileErrorCodes: readonly Code[] = ['invalid', 'unavailable'];

async function* listMatchingFiles(source: Source, pattern: RegExp): AsyncGenerator<SourceFile, void, void> {
  const { files, name, modifiedAt } = source;
  if (files.length === 0) yield { name, modifiedAt, readChunks: () => source.readChunks() };
  for (const path of files) {
    if (!pattern.test(path)) continue;
    const times = await source.readTimes?.(path);
    yield { name: path, modifiedAt: times?.modifiedAt ?? modifiedAt, readChunks: () => source.readChunks(path) };
  }
}

const maxShownNames = 5;

function* createUnmatchedFilesRecord(source: Source, pattern: RegExp): Generator<ReadRecord, void, void> {
  const others = source.files.filter((path) => !pattern.test(path));
  if (others.length === 0) return;
  const names = others.slice(0, maxShownNames).join(', ');
  const more = others.length > maxShownNames ? ` and ${others.length - maxShownNames} more` : '';
  const reason = `Files that this format does not read: ${names}${more}`;
  yield { kind: 'left out', location: source.name, reason, count: others.length, unread: others };
}

const maxFileBytes = 256 * 2 ** 20;

/** Reads all bytes of a file, for formats that cannot stream it. Throws `invalid` if it is too large. */
export async function readFileBytes({ name, readChunks }: SourceFile): Promise<Uint8Array> {
  const bytes = await readBytesUpTo(readChunks(), maxFileBytes);
  if (bytes === undefined) throw invalid(`${name} is larger than 256 MiB, too much to read as a whole`);
  return bytes;
}

/** Reads all text of a file, without its byte order mark. */
export const readFileText = async (file: SourceFile): Promise<string> =>
  new TextDecoder().decode(await readFileBytes(file));

/** Reads all text of one of the files of a source, or of a source that is a file. */
export const readSourceText = (source: Source, path?: string): Promise<string> =>
  readFileText({
    name: path ?? source.name,
    modifiedAt: source.modifiedAt,
    readChunks: () => source.readChunks(path),
  });
