/** What all formats share: sources, records, and lenient access to the JSON of other programs. */
import { type Code, invalid, NoteError } from '../core/error.ts';
import { excessIn } from '../core/long-json.ts';
import { type PortableNote, parsePortable } from '../core/note.ts';
import { type Fields, isObject, parsed } from '../core/tools/json.ts';
import { titleOf } from '../core/tools/text.ts';
import { bytesWithin, utf8Length } from '../core/tools/utf8.ts';

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
      /** The title that an earlier version of Notes gave it, if another: a stored note that still has it is renamed. */
      readonly formerTitle?: string;
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
      /** The names of files that no format reads, if it is about such. */
      readonly unread?: readonly string[];
    };

/** Creates the record of a part of a source that cannot be read as a note, with a reason for the user. */
export const createBadRecord = (location: string, reason: string) => ({ kind: 'bad', location, reason }) as const;

export type NoteRecord = Extract<ReadRecord, { kind: 'note' }>;

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

export interface Format {
  /** Its name for `--format`. */
  readonly name: string;
  readonly description: string;
  /** Whether a source looks like this format, by its file names and `head`, its first 64 KiB. Never throws. */
  recognizes(source: Source, head: string): boolean;
  /** Whether each file of a folder is read on its own. */
  readonly readsEachFile?: boolean;
  /** Whether its files may be beside any others. If there are texts beside them, each file is read in its own format. */
  readonly toleratesOtherFiles?: boolean;
  /** Throws `invalid` if nothing is readable. */
  read(source: Source): AsyncIterable<ReadRecord>;
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
export async function* readEachFile(
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
  yield* reportUnmatchedFiles(source, pattern);
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

function* reportUnmatchedFiles(source: Source, pattern: RegExp): Generator<ReadRecord, void, void> {
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
  const bytes = await bytesWithin(readChunks(), maxFileBytes);
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

/** Parses fields of our own formats as a note. Returns a bad record that says which field is wrong. */
export function parseRecordFields(location: string, fields: Fields): ReadRecord {
  try {
    return { kind: 'note', location, note: parsePortable(fields) };
  } catch (error) {
    if (error instanceof NoteError) return createBadRecord(location, error.message);
    throw error;
  }
}

/** A note of another program. Times as `parseTimestamp` reads them; `otherwise` is the default. */
interface ForeignNote {
  readonly title: string;
  readonly content: string;
  readonly category: PortableNote['category'];
  readonly color: PortableNote['color'];
  readonly archived?: boolean;
  readonly createdAt?: unknown;
  readonly updatedAt?: unknown;
  readonly otherwise: Date;
  /** The key of its source, if it has a stable name. */
  readonly origin?: string | undefined;
  /** Whether its times are those of its file, which a copy may set back. */
  readonly isFile?: boolean;
}

/** The default limit of a request body of the service (MAX_BODY_BYTES). */
const maxTextMebibytes = 8;

/** Creates the record of a note without id. */
export function createRecord(location: string, note: ForeignNote): ReadRecord {
  const content = replaceUnstorableCharacters(note.content);
  if (content.trim() === '') return { kind: 'left out', location, reason: 'It has no text' };
  const mebibytes = utf8Length(content) / 2 ** 20;
  if (mebibytes > maxTextMebibytes) {
    const reason = `Its text has ${mebibytes.toFixed(1)} MiB, a note at most ${maxTextMebibytes} MiB. Split it first`;
    return createBadRecord(location, reason);
  }
  const { category, color, archived = false, origin, isFile = false } = note;
  const title = findTitleLine(note.title) || findTitleLine(content) || 'Untitled';
  return {
    kind: 'note',
    location,
    note: { title, content, category, group: 'first', color, archived, ...toNoteTimes(note) },
    ...(origin !== undefined && { origin, isDated: !isFile && parseTimestamp(note.updatedAt) !== undefined }),
  };
}

function toNoteTimes({ createdAt, updatedAt, otherwise }: ForeignNote): Pick<PortableNote, 'createdAt' | 'updatedAt'> {
  const updated = parseTimestamp(updatedAt);
  const created = parseTimestamp(createdAt) ?? updated ?? otherwise.toISOString();
  return { createdAt: created, updatedAt: updated !== undefined && updated > created ? updated : created };
}

/** Finds the first non-blank line, without Markdown heading marks. */
export const findTitleLine = (text: string): string => replaceUnstorableCharacters(titleOf(text));

/** Replaces characters that stores reject by U+FFFD. */
export const replaceUnstorableCharacters = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd');

/** About 500 MB of memory, a hundred times the parts of a long conversation. */
const maxJsonParts = 5_000_000;

/** Parses JSON; undefined if it is invalid or would take gigabytes to parse. */
export const parseBoundedJson = (json: string): unknown =>
  excessIn(json, maxJsonParts, Number.POSITIVE_INFINITY) === undefined ? parsed(json) : undefined;

/** Converts a value to an object, a list, a text: empty if it is missing or of another type. */
export const toObject = (value: unknown): Fields => (isObject(value) ? value : {});

export const toArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The first value that is a non-blank text. */
export const findFirstText = (...values: readonly unknown[]): string =>
  values.map(toText).find((text) => text.trim() !== '') ?? '';

/** Below: seconds; from here on: milliseconds. As seconds, this is the year 5138, as milliseconds, 1973. */
const lowestMilliseconds = 1e11;
const maxTime = Date.UTC(9999, 11, 31);

/** Converts seconds or milliseconds since 1970, or a date text, to ISO 8601 with milliseconds; undefined if invalid. */
export function parseTimestamp(value: unknown): string | undefined {
  const number = typeof value === 'string' ? parseSeconds(value) : typeof value === 'number' ? value : 0;
  const time = Math.round(number < lowestMilliseconds ? number * 1000 : number);
  return time > 0 && time <= maxTime ? new Date(time).toISOString() : undefined;
}

const parseSeconds = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : Date.parse(text) / 1000);
