import type { Database } from 'bun:sqlite';
import type { Note, NoteFilter, NoteHead } from '../../../domain/note.ts';
import { newestFirst } from '../../../domain/sort.ts';
import { type Found, type SearchOptions, searchLimits } from '../../../domain/store.ts';
import { columns, noteOf, timestamp } from '../../row.ts';
import { fieldsOf, type NoteRow } from '../row.ts';

export function readNote(db: Database, id: number): Note | undefined {
  const [row] = db.query<NoteRow, [number]>(`SELECT ${columns} FROM notes WHERE id = ?`).all(id);
  return row && noteOf(row);
}

/** Reads the notes changed last, fewer if they are long. */
export function readNewest(db: Database, filter: NoteFilter, limit: number): Found {
  const { notes: heads, total } = readNewestHeads(db, { ...filter, limit });
  const notes: Note[] = [];
  let left: number = searchLimits.bytes;
  for (const { id } of heads) {
    const note = readNote(db, id);
    if (note === undefined) continue;
    left -= note.title.length + note.content.length;
    if (left < 0 && notes.length > 0) break;
    notes.push(note);
  }
  return { notes, total };
}

type HeadRow = Omit<NoteRow, 'content' | 'created_at'>;

/**
 * Reads the matching notes without their contents, those changed last first. Scans the table: 50 ms for 100,000 notes.
 * An index by time would make batches of updates a third slower.
 */
export function readNewestHeads(db: Database, { limit, ...filter }: SearchOptions): Found<NoteHead> {
  const fields = fieldsOf(filter);
  const where = ['true', ...fields.map((field) => `"${field}" = ?`)].join(' AND ');
  const order = limit === undefined ? 'id DESC' : 'updated_at DESC, id DESC'; // SQLite sorts long lists on disk
  const values = fields.map((field) => filter[field] ?? '');
  const rows = db
    .query<HeadRow & { readonly total: number }, (string | boolean | number)[]>(
      `SELECT id, title, category, "group", color, archived, updated_at,
         (SELECT count(*) FROM notes WHERE ${where}) AS total
       FROM notes WHERE ${where} ORDER BY ${order} LIMIT ?`,
    )
    .all(...values, ...values, limit ?? -1);
  return { notes: rows.map(headOf).sort(newestFirst), total: rows[0]?.total ?? 0 };
}

const headOf = ({ id, title, category, group, color, archived, updated_at }: HeadRow): NoteHead => ({
  ...{ id, title, category, group, color },
  archived: archived === 1,
  updatedAt: timestamp(updated_at),
});
