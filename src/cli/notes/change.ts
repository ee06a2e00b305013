import type { Note } from '../../core/note.ts';
import { changedFields } from '../../core/versions.ts';
import { type LineChanges, lineChanges } from '../terminal/diff.ts';
import { quoted, type Style } from '../terminal/style.ts';

/** The difference between two states of a note. */
export interface VersionDiff extends LineChanges {
  readonly before: Note;
  readonly after: Note;
  readonly fields: ReturnType<typeof changedFields>;
}

/** `names` label the two states in a diff. */
export function changeOf(
  before: Note,
  after: Note,
  names: readonly [before: string, after: string] = ['', ''],
): VersionDiff {
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
export function changeInWords({ fields, added, removed }: VersionDiff, style: Style): string {
  const lines = `${style.color('success', `+${added}`)} ${style.color('error', `−${removed}`)}`;
  return fields.map((field) => (field === 'content' ? `${field} ${lines}` : field)).join(', ');
}

/** Formats each changed field other than the content as one line: `field: old → new`. */
export const otherFieldsOf = ({ before, after, fields }: VersionDiff): readonly string[] =>
  fields.flatMap((field) =>
    field === 'content' ? [] : [`${field}: ${quoted(before[field])} → ${quoted(after[field])}`],
  );
