import type { Note } from '../core/note.ts';

export interface Row<Integer extends number | string, Flag extends boolean | 0 | 1>
  extends Omit<Note, 'id' | 'archived' | 'createdAt' | 'updatedAt'> {
  readonly id: Integer;
  readonly archived: Flag;
  /** In ms since 1970. */
  readonly created_at: Integer;
  readonly updated_at: Integer;
}

export interface NoteJson {
  readonly id: number;
  readonly json: string;
}

export const columns = 'id, title, content, category, "group", color, archived, created_at, updated_at';

/** For an INSERT of these columns: replaces a note with the same id. */
export const replacing = `ON CONFLICT (id) DO UPDATE SET ${columns
  .split(', ')
  .slice(1)
  .map((column) => `${column} = excluded.${column}`)
  .join(', ')}`;

export type AnyRow = Row<number | string, boolean | 0 | 1>;

export function noteOf(row: AnyRow): Note {
  return {
    id: +row.id, // `Number` and `Boolean` would take a third longer
    title: row.title,
    content: row.content,
    category: row.category,
    group: row.group,
    color: row.color,
    archived: !!row.archived,
    createdAt: timestamp(+row.created_at),
    updatedAt: timestamp(+row.updated_at),
  };
}

export function noteJsonOf(row: AnyRow): NoteJson {
  const note = noteOf(row);
  return { id: note.id, json: JSON.stringify(note) };
}

export const timestamp = (ms: number): string => new Date(ms).toISOString();
