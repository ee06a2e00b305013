/** The fields of a note as columns of a database. All statements are made from this table. */
import type { Note, NoteHead } from '../core/note.ts';

/** One field of a note, and its column. Times are stored in ms since 1970. */
interface NoteField {
  readonly name: keyof Note;
  readonly column: string;
  readonly type: 'id' | 'text' | 'flag' | 'time';
  /** Whether the versions of a note have this column too. */
  readonly isVersioned: boolean;
}

/** In the order in which JSON shows them. */
export const noteFields = [
  { name: 'id', column: 'id', type: 'id', isVersioned: false },
  { name: 'title', column: 'title', type: 'text', isVersioned: true },
  { name: 'content', column: 'content', type: 'text', isVersioned: true },
  { name: 'category', column: 'category', type: 'text', isVersioned: true },
  { name: 'group', column: 'group', type: 'text', isVersioned: true },
  { name: 'color', column: 'color', type: 'text', isVersioned: true },
  { name: 'archived', column: 'archived', type: 'flag', isVersioned: true },
  { name: 'createdAt', column: 'created_at', type: 'time', isVersioned: false },
  { name: 'updatedAt', column: 'updated_at', type: 'time', isVersioned: true },
] as const satisfies readonly NoteField[];

type Field = (typeof noteFields)[number];

type ColumnValue<One extends Field, Integer, Flag> = One['type'] extends 'flag'
  ? Flag
  : One['type'] extends 'text'
    ? Note[One['name']]
    : Integer;

/** A row of notes with the types that a driver returns: PostgreSQL's has large integers as text, SQLite no booleans. */
export type NoteRowWith<Integer extends number | string, Flag extends boolean | 0 | 1> = {
  readonly [One in Field as One['column']]: ColumnValue<One, Integer, Flag>;
};

export type AnyNoteRow = NoteRowWith<number | string, boolean | 0 | 1>;

/** The columns as a list for SQL, such as `"id", "title"`. */
export const columnListSql = (fields: readonly Pick<NoteField, 'column'>[]): string =>
  fields.map(({ column }) => `"${column}"`).join(', ');

export const noteColumnsSql = columnListSql(noteFields);

/** All but the id, which the database assigns. */
export const fieldsWithoutId = noteFields.filter(({ type }) => type !== 'id');
export const versionedFields = noteFields.filter(({ isVersioned }) => isVersioned);
/** The fields that a version has from its note. */
export const unversionedFields = noteFields.filter(({ isVersioned }) => !isVersioned);
export type VersionedColumn = Extract<Field, { isVersioned: true }>['column'];
/** What an update can change, besides `updatedAt`. */
export const changeableFields = noteFields.filter(({ type }) => type === 'text' || type === 'flag');

/** Follows an INSERT of all columns: replaces a note that has the same id. */
export const replaceOnConflictSql = `ON CONFLICT (id) DO UPDATE SET ${fieldsWithoutId
  .map(({ column }) => `"${column}" = excluded."${column}"`)
  .join(', ')}`;

/** Written out field by field, so that the compiler finds a field that is missing here or in the table. */
export function toNote(row: AnyNoteRow): Note {
  return {
    id: +row.id, // `Number` and `Boolean` would take a third longer
    title: row.title,
    content: row.content,
    category: row.category,
    group: row.group,
    color: row.color,
    archived: !!row.archived,
    createdAt: formatTime(+row.created_at),
    updatedAt: formatTime(+row.updated_at),
  };
}

/** The fields that a list shows without opening the note. */
export const headFields = noteFields.filter(({ name }) => name !== 'content' && name !== 'createdAt');

export type NoteHeadRow = Omit<AnyNoteRow, 'content' | 'created_at'>;

export function toNoteHead(row: NoteHeadRow): NoteHead {
  return {
    id: +row.id,
    title: row.title,
    category: row.category,
    group: row.group,
    color: row.color,
    archived: !!row.archived,
    updatedAt: formatTime(+row.updated_at),
  };
}

/** `ms` is a time in ms since 1970. */
export const formatTime = (ms: number): string => new Date(ms).toISOString();
