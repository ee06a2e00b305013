import type { Note } from '../../domain/note.ts';
import { timestamp } from '../timestamp.ts';

/** A row of `notes` as the driver returns it, with int8 as text. Times are ms since 1970. */
export interface NoteRow extends Omit<Note, 'id' | 'createdAt' | 'updatedAt'> {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The columns of a `NoteRow`. */
export const columns = 'id, title, content, category, "group", color, archived, created_at, updated_at';

export function noteOf(row: NoteRow): Note {
  return {
    id: Number(row.id),
    title: row.title,
    content: row.content,
    category: row.category,
    group: row.group,
    color: row.color,
    archived: row.archived,
    createdAt: timestamp(Number(row.created_at)),
    updatedAt: timestamp(Number(row.updated_at)),
  };
}
