import { NoteError } from '../core/error.ts';
import type { Fields } from '../core/json/json.ts';
import { type PortableNote, parsePortableNote } from '../core/note.ts';
import { deriveTitle } from '../core/text/derive-title.ts';
import { utf8Length } from '../core/text/utf8.ts';
import { tryConvertToIsoTime } from './untyped-values.ts';

/** An item that was read: a note, or why there is none. */
export type ReadRecord = NoteRecord | SkippedRecord;

export interface NoteRecord {
  readonly kind: 'note';
  /** Where it was in its source, such as "line 12". */
  readonly location: string;
  readonly note: PortableNote;
  /** The change time of a file that contains only this note: it may have been edited by hand. */
  readonly fileTime?: string;
  /** The key of its source, which stays the same when the source is edited. */
  readonly origin?: string;
  /** Whether the source states its `updatedAt`, which tells an older state of it from a newer one. */
  readonly isDated?: boolean;
  /** The place of the note among those that are pinned where it comes from, from 1. */
  readonly pin?: number;
  /** The title that an earlier version of Notes gave it, if another: a stored note that still has it is renamed. */
  readonly formerTitle?: string;
  /** A sentence for the user. */
  readonly remark?: string;
}

export interface SkippedRecord {
  /**
   * `bad` is what cannot be read as a note, `left out` what is not imported on purpose, such as an empty conversation,
   * and `withheld` what seems to contain a secret.
   */
  readonly kind: 'bad' | 'left out' | 'withheld';
  /** Where it was in its source, such as "line 12". */
  readonly location: string;
  readonly reason: string;
  /** How many files or notes it stands for, by default 1. It is 0 for a part of a note that is counted. */
  readonly count?: number;
  /** The names of the files that no format reads, if the record is about such files. */
  readonly unread?: readonly string[];
}

/** Creates the record of a part of a source that cannot be read as a note, with a reason for the user. */
export const createBadRecord = (location: string, reason: string) => ({ kind: 'bad', location, reason }) as const;

/** Parses fields of our own formats as a note. Returns a bad record that says which field is wrong. */
export function createRecordFromFields(location: string, fields: Fields): ReadRecord {
  const { pin: text } = fields;
  const pin = tryParsePinPlace(text);
  try {
    const record = { kind: 'note', location, note: parsePortableNote(fields) } as const;
    if (pin !== undefined) return { ...record, pin };
    return text === undefined ? record : { ...record, remark: 'Not pinned, as its pin is no place from 1 on' };
  } catch (error) {
    if (error instanceof NoteError) return createBadRecord(location, error.message);
    throw error;
  }
}

/** Parses the place of a pinned note in an export, also as a text. */
export function tryParsePinPlace(value: unknown): number | undefined {
  const place = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof place === 'number' && Number.isSafeInteger(place) && place > 0 ? place : undefined;
}

/** A note of another program. `tryConvertToIsoTime` reads its times, and `otherwise` is used if they are missing. */
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

/**
 * Creates the record of a note of another program, which has no id. An empty text is left out, and one too long is a
 * bad record.
 */
export function createRecordFromForeignNote(location: string, note: ForeignNote): ReadRecord {
  const content = replaceUnstorableCharacters(note.content);
  if (content.trim() === '') return { kind: 'left out', location, reason: 'It has no text' };
  const mebibytes = utf8Length(content) / 2 ** 20;
  if (mebibytes > maxTextMebibytes) {
    const reason = `Its text has ${mebibytes.toFixed(1)} MiB, a note at most ${maxTextMebibytes} MiB. Split it first`;
    return createBadRecord(location, reason);
  }
  const { category, color, archived = false, origin, isFile = false } = note;
  const title = deriveStorableTitleOrEmpty(note.title) || deriveStorableTitleOrEmpty(content) || 'Untitled';
  return {
    kind: 'note',
    location,
    note: { title, content, category, group: 'first', color, archived, ...toCreationAndUpdateTimes(note) },
    ...(origin !== undefined && { origin, isDated: !isFile && tryConvertToIsoTime(note.updatedAt) !== undefined }),
  };
}

function toCreationAndUpdateTimes({
  createdAt,
  updatedAt,
  otherwise,
}: ForeignNote): Pick<PortableNote, 'createdAt' | 'updatedAt'> {
  const updated = tryConvertToIsoTime(updatedAt);
  const created = tryConvertToIsoTime(createdAt) ?? updated ?? otherwise.toISOString();
  return { createdAt: created, updatedAt: updated !== undefined && updated > created ? updated : created };
}

/**
 * Derives a title that a store accepts: the first line that is not blank, shortened, without the marks of a heading.
 */
export const deriveStorableTitleOrEmpty = (text: string): string => replaceUnstorableCharacters(deriveTitle(text));

/** Replaces characters that stores reject by U+FFFD. */
export const replaceUnstorableCharacters = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd');
