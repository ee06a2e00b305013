import type { NoteFilter } from '../../core/note.ts';
import type { Row } from '../row.ts';

/** SQLite has no booleans. */
export type NoteRow = Row<number, 0 | 1>;

export const fieldsOf = (filter: NoteFilter) =>
  (['archived', 'category', 'group'] as const).filter((field) => filter[field] !== undefined);

/** A note as stored, with the row of its newest version. */
export type StoredRow = NoteRow & { readonly version_id: number | null };
