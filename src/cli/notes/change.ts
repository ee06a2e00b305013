import type { Note } from '../../domain/note.ts';
import { changedFields } from '../../domain/versions.ts';
import { type LineChanges, lineChanges } from '../terminal/diff.ts';
import { printable, type Style } from '../terminal/style.ts';

/** What differs between two states of a note. */
export interface Change extends LineChanges {
  readonly before: Note;
  readonly after: Note;
  readonly fields: ReturnType<typeof changedFields>;
}

/** `names` are those of the two states in a diff. */
export function changeOf(
  before: Note,
  after: Note,
  names: readonly [before: string, after: string] = ['', ''],
): Change {
  const [old, now] = names;
  return {
    ...lineChanges(sideOf(before, old), sideOf(after, now)),
    before,
    after,
    fields: changedFields(before, after),
  };
}

const sideOf = ({ content: text, updatedAt: time }: Note, name: string) => ({ name, time, text });

/** `title, content +3 −1` */
export function changeInWords({ fields, added, removed }: Change, style: Style): string {
  const lines = `${style.color('success', `+${added}`)} ${style.red(`−${removed}`)}`;
  return fields.map((field) => (field === 'content' ? `${field} ${lines}` : field)).join(', ');
}

/** Each field but the text that has changed, on a line with what it was and is. */
export const otherFieldsOf = ({ before, after, fields }: Change): readonly string[] =>
  fields.flatMap((field) =>
    field === 'content' ? [] : [`${field}: ${quoted(before[field])} → ${quoted(after[field])}`],
  );

const quoted = (text: string) => printable(JSON.stringify(text));
