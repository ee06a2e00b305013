import type { PortableNote } from '../../core/note.ts';
import { titleOf } from '../../core/tools/text.ts';
import { utf8Length } from '../../core/tools/utf8.ts';
import { bad, type ReadRecord } from '../record.ts';
import { timeOf } from './fields.ts';

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
    ...(origin !== undefined && { origin, isDated: !isFile && timeOf(note.updatedAt) !== undefined }),
  };
}

function timesOf({ createdAt, updatedAt, otherwise }: ForeignNote): Pick<PortableNote, 'createdAt' | 'updatedAt'> {
  const updated = timeOf(updatedAt);
  const created = timeOf(createdAt) ?? updated ?? otherwise.toISOString();
  return { createdAt: created, updatedAt: updated !== undefined && updated > created ? updated : created };
}

/** The first non-blank line, without Markdown heading marks. */
export const titleIn = (text: string): string => keepable(titleOf(text.replace(/^\s*#{1,6}\s+/, '')));

/** Replaces characters that stores reject by U+FFFD. */
export const keepable = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd');
