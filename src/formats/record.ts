import { type Code, invalid, NoteError } from '../core/error.ts';
import type { PortableNote } from '../core/note.ts';
import { bytesWithin } from '../core/tools/utf8.ts';

/** One item read: a note, or why there is none; `location` is where, such as "line 12". */
export type ReadRecord =
  | {
      readonly kind: 'note';
      readonly location: string;
      readonly note: PortableNote;
      /** The change time of a file that contains only this note: it may have been edited by hand. */
      readonly fileTime?: string;
      /** The key of its source, stable across edits of the source. */
      readonly origin?: string;
      /** Whether the source states its `updatedAt`, which tells an older state of it from a newer one. */
      readonly isDated?: boolean;
      /** A sentence for the user. */
      readonly remark?: string;
    }
  /** `left out`: on purpose, such as an empty conversation; `withheld`: it seems to contain a secret. */
  | {
      readonly kind: 'bad' | 'left out' | 'withheld';
      readonly location: string;
      readonly reason: string;
      /** How many files or notes it stands for, default 1; 0: a part of one that is counted. */
      readonly count?: number;
    };

/** A part of a source that cannot be read as a note, with a reason for the user. */
export const bad = (location: string, reason: string) => ({ kind: 'bad', location, reason }) as const;

export type NoteRecord = Extract<ReadRecord, { kind: 'note' }>;

/** The input: a file, a folder or standard input. */
export interface Source {
  /** For display. */
  readonly name: string;
  readonly modifiedAt: Date;
  /** Paths of all files below a folder, relative and sorted; otherwise empty. */
  readonly files: readonly string[];
  /** The default category. */
  readonly category?: PortableNote['category'] | undefined;
  /** Reads one of `files`. */
  file(path: string): Promise<Uint8Array>;
  /** Like `file`, in chunks, if that avoids holding the whole file in memory. */
  chunksOf?(path: string): AsyncIterable<Uint8Array>;
  /** The times of one of `files`, if known. */
  timesOf?(path: string): Promise<FileTimes>;
  /** The origin key of one of `files`, or of a source that is a file; undefined without a stable name. */
  originOf?(path?: string): string | undefined;
  /** Reads the bytes in chunks; none for a folder. Call once. */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface FileTimes {
  readonly createdAt: Date;
  readonly modifiedAt: Date;
}

export interface Format {
  /** Its name for `--format`. */
  readonly name: string;
  readonly description: string;
  /** Whether a source looks like this format, by its file names and `head`, its first 64 KiB. Never throws. */
  recognizes(source: Source, head: string): boolean;
  /** Whether each file of a folder is read on its own. */
  readonly isByFile?: boolean;
  /** Throws `invalid` if nothing is readable. */
  read(source: Source): AsyncIterable<ReadRecord>;
}

/**
 * Handles a note in its own file that differs from the stored one at the same time: the file was edited, so its time
 * counts. Undefined for a note that shares a file.
 */
export function asEdited(record: NoteRecord): NoteRecord | undefined {
  const { note, fileTime, location } = record;
  if (fileTime === undefined) return undefined;
  const next = new Date(Date.parse(note.updatedAt) + 1).toISOString();
  return { kind: 'note', location, note: { ...note, updatedAt: fileTime > next ? fileTime : next } };
}

/** A file of a source; `name` is for display. */
export interface SourceFile {
  readonly name: string;
  readonly modifiedAt: Date;
  chunks(): AsyncIterable<Uint8Array>;
}

/**
 * Reads the source, or the files of a folder whose path matches, and reports the others. An unreadable file of a
 * folder affects no other file, nor records read before.
 */
export async function* readEach(
  source: Source,
  pattern: RegExp,
  read: (file: SourceFile) => AsyncIterable<ReadRecord>,
): AsyncGenerator<ReadRecord, void, void> {
  let count = 0;
  for await (const file of filesIn(source, pattern)) {
    try {
      for await (const record of read(file)) {
        count++;
        yield record;
      }
    } catch (thrown) {
      const error = asRefusal(thrown, file);
      const isLost = source.files.length === 0 && count === 0;
      if (isLost || !(error instanceof NoteError) || !causes.includes(error.code)) throw error;
      yield bad(file.name, `${error.message}. The part before it was read`);
    }
  }
  yield* leftOver(source, pattern);
}

/** A `RangeError` means a stack overflow in a recursive parser, or a string beyond the maximum length. */
const asRefusal = (thrown: unknown, { name }: SourceFile): unknown =>
  thrown instanceof RangeError
    ? new NoteError('invalid', `${name} is nested too deep, or too long`, { cause: thrown })
    : thrown;

/** Errors of a file, but not an interruption. */
const causes: readonly Code[] = ['invalid', 'unavailable'];

async function* filesIn(source: Source, pattern: RegExp): AsyncGenerator<SourceFile, void, void> {
  const { files, name, modifiedAt } = source;
  if (files.length === 0) yield { name, modifiedAt, chunks: () => source.bytes() };
  for (const path of files) {
    if (!pattern.test(path)) continue;
    const times = await source.timesOf?.(path);
    yield {
      name: path,
      modifiedAt: times?.modifiedAt ?? modifiedAt,
      chunks: () => source.chunksOf?.(path) ?? chunksOf(source.file(path)),
    };
  }
}

const chunkBytes = 2 ** 20;

async function* chunksOf(file: Promise<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const bytes = await file;
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

const maxNames = 5;

function* leftOver(source: Source, pattern: RegExp): Generator<ReadRecord, void, void> {
  const others = source.files.filter((path) => !pattern.test(path));
  if (others.length === 0) return;
  const names = others.slice(0, maxNames).join(', ');
  const more = others.length > maxNames ? ` and ${others.length - maxNames} more` : '';
  const reason = `Files that this format does not read: ${names}${more}`;
  yield { kind: 'left out', location: source.name, reason, count: others.length };
}

const maxBytes = 256 * 2 ** 20;

/** Reads a whole file, for formats that need it. Throws `invalid` if it is too large. */
export async function wholeOf({ name, chunks }: SourceFile): Promise<Uint8Array> {
  const bytes = await bytesWithin(chunks(), maxBytes);
  if (bytes === undefined) throw invalid(`${name} is larger than 256 MiB, too much to read as a whole`);
  return bytes;
}

/** Reads a whole file without its byte order mark. */
export const wholeText = async (file: SourceFile): Promise<string> => new TextDecoder().decode(await wholeOf(file));
