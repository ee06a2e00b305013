import type { Note, NoteDraft } from '../domain/note.ts';
import type { Entry } from './segments.ts';

/** A row of the table `notes`, with numbers and booleans as the driver of an engine returns them. */
export interface Row<Integer extends number | string, Flag extends boolean | 0 | 1>
  extends Omit<Note, 'id' | 'archived' | 'createdAt' | 'updatedAt'> {
  readonly id: Integer;
  readonly archived: Flag;
  /** In ms since 1970. */
  readonly created_at: Integer;
  readonly updated_at: Integer;
}

/** The columns of a `Row`, for SELECT and RETURNING. */
export const columns = 'id, title, content, category, "group", color, archived, created_at, updated_at';

export function newNote(id: number, { title, content, category, group, color }: NoteDraft, at: number): Note {
  const createdAt = timestamp(at);
  return { id, title, content, category, group, color, archived: false, createdAt, updatedAt: createdAt };
}

export function noteOf(row: Row<number | string, boolean | 0 | 1>): Note {
  return {
    id: Number(row.id),
    title: row.title,
    content: row.content,
    category: row.category,
    group: row.group,
    color: row.color,
    archived: Boolean(row.archived),
    createdAt: timestamp(Number(row.created_at)),
    updatedAt: timestamp(Number(row.updated_at)),
  };
}

/** A note as an entry of a list. */
export const entryOf = (row: Parameters<typeof noteOf>[0]): Entry => ({
  id: Number(row.id),
  json: JSON.stringify(noteOf(row)),
});

let lastMs = Number.NaN;
let lastText = '';

/** Formats ms since 1970 as ISO 8601. Caches the last one, since neighbours often share a time. */
export function timestamp(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
