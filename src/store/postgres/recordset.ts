import type { Note } from '../../core/note.ts';
import { type NoteRowWith, noteColumnsSql, noteFields } from '../note-fields.ts';

/** The driver returns int8 as text. */
export type PostgresNoteRow = NoteRowWith<string, boolean>;

const rowEncoders = {
  id: String,
  text: (value: Note[keyof Note]) => value,
  flag: (value: Note[keyof Note]) => value,
  time: (value: Note[keyof Note]) => String(Date.parse(String(value))),
} as const;

/** Converts a note to the row that the driver would return. */
export const toRow = (note: Note): PostgresNoteRow =>
  Object.fromEntries(
    noteFields.map(({ name, column, type }) => [column, rowEncoders[type](note[name])]),
  ) as unknown as PostgresNoteRow;

/** Quotes JSON with dollar signs, and escapes those in it, so that no server setting affects parsing. */
export const quoteJsonSql = (json: string): string => `$$${json.replaceAll('$', '\\u0024')}$$`;

const sqlTypes = { id: 'bigint', text: 'text', flag: 'boolean', time: 'bigint' } as const;

/** The columns of notes with their types, such as `"id" bigint, "title" text`. */
export const columnDefinitionsSql = (fields: readonly (typeof noteFields)[number][]): string =>
  fields.map(({ column, type }) => `"${column}" ${sqlTypes[type]}`).join(', ');

/**
 * Inserts notes by VALUES: if Citus has all of them on one shard, it sends them to that shard as one transaction. The
 * rows of a `SELECT` from JSON would be collected on the coordinator, and committed in two phases.
 */
export const insertNoteValuesSql = (notes: readonly Note[]): string =>
  `INSERT INTO notes (${noteColumnsSql}) VALUES ${notes.map(formatValuesSql).join(', ')}`;

const formatValuesSql = (note: Note): string => `(${noteFields.map(({ name, type }) => formatters[type](note[name]))})`;

const formatters = {
  id: String,
  text: (value: Note[keyof Note]) => `${quoteJsonSql(JSON.stringify(value))}::json #>> '{}'`,
  flag: String,
  time: (value: Note[keyof Note]) => String(Date.parse(String(value))),
} as const;

/**
 * Fields of a note to write; a missing one is NULL. `ordinal` is its place among others, and `replacedAt` the
 * `updatedAt` of the state that it replaces.
 */
export type RecordsetRow = Partial<Note> & { readonly ordinal?: number; readonly replacedAt?: string };

/** A FROM item named `note` with these notes, in order. */
export function noteRecordsetSql(notes: readonly RecordsetRow[]): string {
  const rows = notes.map(({ createdAt, updatedAt, replacedAt, ...fields }) => ({
    ...fields,
    created_at: createdAt && Date.parse(createdAt),
    updated_at: updatedAt && Date.parse(updatedAt),
    replaced_at: replacedAt && Date.parse(replacedAt),
  }));
  return `json_to_recordset(${quoteJsonSql(JSON.stringify(rows))})
    AS note(ordinal integer, replaced_at bigint, ${columnDefinitionsSql(noteFields)})`;
}

/** Inserts notes with their ids. */
export const insertNotesSql = (notes: readonly Note[]): string =>
  `INSERT INTO notes (${noteColumnsSql}) SELECT ${noteColumnsSql} FROM ${noteRecordsetSql(notes)} ORDER BY id`;
