import { NoteError } from '../core/error.ts';
import type { Fields } from '../core/json/json.ts';
import { type PortableNote, parsePortable } from '../core/note.ts';
import { deriveTitle } from '../core/text/derive-title.ts';
import { utf8Length } from '../core/text/utf8.ts';
import { tryParseTimestamp } from './untyped-values.ts';

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

/** Parses fields of our own formats as a note. Returns a bad record that says which field is wrong. */
export function createRecordFromFields(location: string, fields: Fields): ReadRecord {
  try {
    return { kind: 'note', location, note: parsePortable(fields) };
  } catch (error) {
    if (error instanceof NoteError) return createBadRecord(location, error.message);
    throw error;
  }
}

/** A note of another program. Times as `tryParseTimestamp` reads them; `otherwise` is the default. */
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
export function createForeignRecord(location: string, note: ForeignNote): ReadRecord {
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
    ...(origin !== undefined && { origin, isDated: !isFile && tryParseTimestamp(note.updatedAt) !== undefined }),
  };
}

function toNoteTimes({ createdAt, updatedAt, otherwise }: ForeignNote): Pick<PortableNote, 'createdAt' | 'updatedAt'> {
  const updated = tryParseTimestamp(updatedAt);
  const created = tryParseTimestamp(createdAt) ?? updated ?? otherwise.toISOString();
  return { createdAt: created, updatedAt: updated !== undefined && updated > created ? updated : created };
}

/** Finds the first non-blank line, without Markdown heading marks. */
export const findTitleLine = (text: string): string => replaceUnstorableCharacters(deriveTitle(text));

/** Replaces characters that stores reject by U+FFFD. */
export const replaceUnstorableCharacters = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd');
