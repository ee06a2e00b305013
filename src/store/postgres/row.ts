import type { Note } from '../../core/note.ts';
import type { Row } from '../row.ts';

/** The driver returns int8 as text. */
export type NoteRow = Row<string, boolean>;

/** Quotes JSON with dollar signs, and escapes those in it, so that no server setting affects parsing. */
export const jsonLiteral = (json: string): string => `$$${json.replaceAll('$', '\\u0024')}$$`;

/** Fields of a note to write; a missing one is NULL. */
export type RecordsetRow = Partial<Note> & { readonly ordinal?: number };

/** A FROM item named `note` with these notes, in order. */
export function recordsOf(notes: readonly RecordsetRow[]): string {
  const rows = notes.map(({ createdAt, updatedAt, ...fields }) => ({
    ...fields,
    created_at: createdAt && Date.parse(createdAt),
    updated_at: updatedAt && Date.parse(updatedAt),
  }));
  return `json_to_recordset(${jsonLiteral(JSON.stringify(rows))}) AS note(
    ordinal integer, id bigint, title text, content text, category text, "group" text, color text, archived boolean,
    created_at bigint, updated_at bigint)`;
}
