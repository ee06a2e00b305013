/** What the formats of other programs share: lenient access to their JSON, and the records of their notes. */

import { excessIn } from '../../core/long-json.ts';
import type { PortableNote } from '../../core/note.ts';
import { type Fields, isObject, parsed } from '../../core/tools/json.ts';
import { titleOf } from '../../core/tools/text.ts';
import { utf8Length } from '../../core/tools/utf8.ts';
import { bad, type ReadRecord } from '../record.ts';

/** A note of another program. Times as `timeOf` takes them; `otherwise` is the default. */
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
const maxMebibytes = 8;

/** Builds the record of a note without id. */
export function recordOf(location: string, note: ForeignNote): ReadRecord {
  const content = keepable(note.content);
  if (content.trim() === '') return { kind: 'left out', location, reason: 'It has no text' };
  const mebibytes = utf8Length(content) / 2 ** 20;
  if (mebibytes > maxMebibytes) {
    const reason = `Its text has ${mebibytes.toFixed(1)} MiB, a note at most ${maxMebibytes} MiB. Split it first`;
    return bad(location, reason);
  }
  const { category, color, archived = false, origin, isFile = false } = note;
  const title = titleIn(note.title) || titleIn(content) || 'Untitled';
  return {
    kind: 'note',
    location,
    note: { title, content, category, group: 'first', color, archived, ...timesOf(note) },
    ...(origin !== undefined && { origin, isDated: !isFile && timestampOf(note.updatedAt) !== undefined }),
  };
}

function timesOf({ createdAt, updatedAt, otherwise }: ForeignNote): Pick<PortableNote, 'createdAt' | 'updatedAt'> {
  const updated = timestampOf(updatedAt);
  const created = timestampOf(createdAt) ?? updated ?? otherwise.toISOString();
  return { createdAt: created, updatedAt: updated !== undefined && updated > created ? updated : created };
}

/** The first non-blank line, without Markdown heading marks. */
export const titleIn = (text: string): string => keepable(titleOf(text));

/** Replaces characters that stores reject by U+FFFD. */
export const keepable = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd');

/** About 500 MB of memory, a hundred times the parts of a long conversation. */
const maxParts = 5_000_000;

/** Parses JSON; undefined if it is invalid or would take gigabytes to parse. */
export const valueIn = (json: string): unknown =>
  excessIn(json, maxParts, Number.POSITIVE_INFINITY) === undefined ? parsed(json) : undefined;

/** A value as an object, a list, a text: empty if it is missing or of another type. */
export const objectOf = (value: unknown): Fields => (isObject(value) ? value : {});

export const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The first value that is a non-blank text. */
export const firstText = (...values: readonly unknown[]): string =>
  values.map(textOf).find((text) => text.trim() !== '') ?? '';

/** Below: seconds; from here on: milliseconds. As seconds, this is the year 5138, as milliseconds, 1973. */
const lowestMilliseconds = 1e11;
const maxTime = Date.UTC(9999, 11, 31);

/** Converts seconds or milliseconds since 1970, or a date text, to ISO 8601 with milliseconds; undefined if invalid. */
export function timestampOf(value: unknown): string | undefined {
  const number = typeof value === 'string' ? numberIn(value) : typeof value === 'number' ? value : 0;
  const time = Math.round(number < lowestMilliseconds ? number * 1000 : number);
  return time > 0 && time <= maxTime ? new Date(time).toISOString() : undefined;
}

const numberIn = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : Date.parse(text) / 1000);
