import type { Database } from 'bun:sqlite';
import type { Note, NoteFilter, NoteHead } from '../../core/note.ts';
import { compareNewestFirst } from '../../core/note-order.ts';
import {
  type CreatedNote,
  type Found,
  maxCreated,
  maxOrigins,
  type NoteOrigin,
  type SearchOptions,
  searchLimits,
  titleStartLength,
} from '../../core/store.ts';
import type { StoredLabels } from '../../core/value-labels.ts';
import {
  columnListSql,
  formatTime,
  headFields,
  type NoteRowWith,
  noteColumnsSql,
  toNote,
  toNoteHead,
} from '../note-fields.ts';
import { type GroupLabelRow, toStoredLabels } from '../stored-labels.ts';

/** A row of `notes`. SQLite stores booleans as 0 and 1. */
export type SqliteNoteRow = NoteRowWith<number, 0 | 1>;

/** Lists the fields that a filter sets. */
export const listFilterFields = (filter: NoteFilter) =>
  (['archived', 'category', 'group'] as const).filter((field) => filter[field] !== undefined);

/** A row of `notes` with the id of the newest version of the note. */
export type StoredRow = SqliteNoteRow & { readonly version_id: number | null };

export function readNote(db: Database, id: number): Note | undefined {
  const [row] = db.query<SqliteNoteRow, [number]>(`SELECT ${noteColumnsSql} FROM notes WHERE id = ?`).all(id);
  return row && toNote(row);
}

/**
 * Reads the `limit` matching notes that were changed last, and how many match. Returns fewer if they are long, but at
 * least one.
 */
export function readLastChangedNotesAndTotal(db: Database, filter: NoteFilter, limit: number): Found {
  const { notes: heads, total } = readLastChangedHeadsAndTotal(db, { ...filter, limit });
  const notes: Note[] = [];
  let remainingChars: number = searchLimits.bytes;
  for (const { id } of heads) {
    const note = readNote(db, id);
    if (note === undefined) continue;
    remainingChars -= note.title.length + note.content.length;
    if (remainingChars < 0 && notes.length > 0) break;
    notes.push(note);
  }
  return { notes, total };
}

type HeadRow = Omit<SqliteNoteRow, 'content' | 'created_at'>;

/**
 * Reads the matching notes without their contents, those changed last first, and how many match. Scans the table, which
 * takes 50 ms for 100,000 notes: an index by time would make batches of updates a third slower.
 */
export function readLastChangedHeadsAndTotal(db: Database, { limit, ...filter }: SearchOptions): Found<NoteHead> {
  const fields = listFilterFields(filter);
  const where = ['true', ...fields.map((field) => `"${field}" = ?`)].join(' AND ');
  const order = limit === undefined ? 'id DESC' : 'updated_at DESC, id DESC'; // SQLite sorts long lists on disk
  const values = fields.map((field) => filter[field] ?? '');
  const rows = db
    .query<HeadRow & { readonly total: number }, (string | boolean | number)[]>(
      `SELECT ${columnListSql(headFields)},
         (SELECT count(*) FROM notes WHERE ${where}) AS total
       FROM notes WHERE ${where} ORDER BY ${order} LIMIT ?`,
    )
    .all(...values, ...values, limit ?? -1);
  return { notes: rows.map(toNoteHead).sort(compareNewestFirst), total: rows[0]?.total ?? 0 };
}

export function countAllNotes(db: Database): number {
  return db.query<{ notes: number }, []>('SELECT count(*) AS notes FROM notes').all()[0]?.notes ?? 0;
}

/** Returns the highest id ever assigned; 0 if there is none. */
export function readHighestAssignedId(db: Database): number {
  const select = `SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'notes'), 0),
    coalesce((SELECT max(id) FROM notes), 0)) AS id`;
  return db.prepare<{ id: number }, []>(select).all()[0]?.id ?? 0;
}

export function readLabels(db: Database): StoredLabels {
  const rows = db.query<GroupLabelRow, []>('SELECT "group", label FROM group_labels').all();
  const [row] = db.query<{ labels: string }, []>('SELECT labels FROM category_labels').all();
  return toStoredLabels(rows, row?.labels);
}

export function readPinnedIds(db: Database): readonly number[] {
  const [row] = db.query<{ ids: string }, []>('SELECT ids FROM pins').all();
  return row === undefined ? [] : JSON.parse(row.ids);
}

/** Reads which of the ids are those of notes, in ascending order. */
export function readExistingIds(db: Database, ids: readonly number[]): readonly number[] {
  const select = 'SELECT id FROM notes WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id';
  return db
    .query<{ id: number }, [string]>(select)
    .all(JSON.stringify(ids))
    .map(({ id }) => id);
}

export const isSignInSessionEnded = (db: Database, id: string): boolean =>
  db.query('SELECT 1 FROM ended_sessions WHERE id = ?').all(id).length > 0;

/** Reads a number that SQLite raises when another connection has committed. */
export function readDataVersion(db: Database): number {
  return db.query<{ data_version: number }, []>('PRAGMA data_version').all()[0]?.data_version ?? 0;
}

const selectOrigins = `SELECT note_id AS id, key, taken FROM note_origins JOIN notes ON notes.id = note_id
  WHERE note_id > ? ORDER BY note_id LIMIT ?`;

/** Reads the origins of notes whose ids are above `afterId`, at most `maxOrigins`. */
export const readOriginsPage = (db: Database, afterId: number): readonly NoteOrigin[] =>
  db.query<NoteOrigin, [number, number]>(selectOrigins).all(afterId, maxOrigins);

type CreatedRow = Pick<SqliteNoteRow, 'id' | 'category' | 'created_at'> & Pick<CreatedNote, 'titleStart'>;

const selectCreated = `SELECT id, substr(title, 1, ${titleStartLength}) AS titleStart, category, created_at FROM notes
  WHERE id > ? AND created_at IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ${maxCreated.notes}`;

/**
 * Reads the beginnings of notes that were created at one of the times, in order of id: a page of `maxCreated.notes`
 * notes whose ids are above `afterId`.
 */
export function readCreatedNotesPage(db: Database, times: readonly string[], afterId: number): readonly CreatedNote[] {
  const rows = db
    .query<CreatedRow, [number, string]>(selectCreated)
    .all(afterId, JSON.stringify(times.map(Date.parse)));
  return rows.map(({ created_at, ...row }) => ({ ...row, createdAt: formatTime(created_at) }));
}
