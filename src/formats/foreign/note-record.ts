import type { PortableNote } from '../../domain/note.ts';
import { titleOf } from '../../domain/title.ts';
import { utf8Length } from '../../shared/utf8.ts';
import type { ReadRecord } from '../record.ts';
import { timeOf } from './fields.ts';

/** A note as another program has it. Times are as `timeOf` takes them; without them `otherwise` counts. */
interface ForeignNote {
  readonly title: string;
  readonly content: string;
  readonly category: PortableNote['category'];
  readonly color: PortableNote['color'];
  readonly archived?: boolean;
  readonly createdAt: unknown;
  readonly updatedAt: unknown;
  readonly otherwise: Date;
  /** The key of where the note comes from, if that has a name that stays. */
  readonly origin?: string | undefined;
}

/** What the service takes in one body unless it is told otherwise (MAX_BODY_BYTES). */
const maxMebibytes = 8;

/** The record of a note, without an id. */
export function recordOf(place: string, note: ForeignNote): ReadRecord {
  const content = keepable(note.content);
  if (content.trim() === '') return { kind: 'left out', place, reason: 'It has no text' };
  const mebibytes = utf8Length(content) / 2 ** 20;
  if (mebibytes > maxMebibytes) {
    const reason = `Its text has ${mebibytes.toFixed(1)} MiB, a note at most ${maxMebibytes} MiB. Split it first`;
    return { kind: 'bad', place, reason };
  }
  const { category, color, archived = false, origin } = note;
  const title = titleIn(note.title) || titleIn(content) || 'Untitled';
  return {
    kind: 'note',
    place,
    note: { title, content, category, group: 'first', color, archived, ...timesOf(note) },
    ...(origin !== undefined && { origin }),
  };
}

function timesOf({ createdAt, updatedAt, otherwise }: ForeignNote): Pick<PortableNote, 'createdAt' | 'updatedAt'> {
  const updated = timeOf(updatedAt);
  const created = timeOf(createdAt) ?? updated ?? otherwise.toISOString();
  return { createdAt: created, updatedAt: updated !== undefined && updated > created ? updated : created };
}

/** The first line with text, without the marks of a Markdown heading. */
export const titleIn = (text: string): string => keepable(titleOf(text.replace(/^\s*#{1,6}\s+/, '')));

/** What no store keeps becomes U+FFFD. */
export const keepable = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd');
