import type { Note, NoteDraft } from '../../domain/note.ts';
import { timestamp } from '../timestamp.ts';

/** A row of the table `notes`. Times are ms since 1970. */
export interface NoteRow extends Omit<Note, 'archived' | 'createdAt' | 'updatedAt'> {
  readonly archived: 0 | 1;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The columns of a `NoteRow`, for SELECT and RETURNING. */
export const columns = 'id, title, content, category, "group", color, archived, created_at, updated_at';

export function newNote(id: number, { title, content, category, group, color }: NoteDraft, at: number): Note {
  const createdAt = timestamp(at);
  return { id, title, content, category, group, color, archived: false, createdAt, updatedAt: createdAt };
}

export function noteOf(row: NoteRow): Note {
  return {
    id: row.id,
    title: row.title,
    content: row.content,
    category: row.category,
    group: row.group,
    color: row.color,
    archived: row.archived === 1,
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
  };
}
