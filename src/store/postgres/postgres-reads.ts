import { createLabels, type Labels } from '../../core/group-labels.ts';
import type { Note, NoteFilter, Origin } from '../../core/note.ts';
import {
  type CreatedNote,
  type EngineStats,
  type Found,
  maxCreated,
  maxOrigins,
  type NoteOrigin,
  searchLimits,
  titleStartLength,
} from '../../core/store.ts';
import { formatTime, noteColumnsSql, toNote } from '../note-fields.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { filterSql } from './postgres-snapshots.ts';
import { jsonLiteralSql, type NoteRow } from './recordset.ts';

export async function readNote(connections: ConnectionPool, id: number): Promise<Note | undefined> {
  const [row] = await connections.queryWithRetries<NoteRow>(`SELECT ${noteColumnsSql} FROM notes WHERE id = $1`, [id]);
  return row && toNote(row);
}

/** Reads the notes changed last, fewer if they are long. */
export async function readLastChangedNotes(
  connections: ConnectionPool,
  filter: NoteFilter,
  limit: number,
): Promise<Found> {
  const rows = await connections.queryWithRetries<NoteRow & { readonly total: string }>(`
    WITH counted AS (SELECT count(*) AS total FROM notes WHERE ${filterSql(filter)}),
      first AS (SELECT id, updated_at AS at, octet_length(title) + octet_length(content) AS bytes FROM notes
        WHERE ${filterSql(filter)} ORDER BY updated_at DESC, id DESC LIMIT ${limit}),
      sized AS (SELECT id, bytes, sum(bytes) OVER (ORDER BY at DESC, id DESC) AS bytes_so_far FROM first)
    SELECT ${noteColumnsSql}, total FROM sized JOIN notes USING (id) CROSS JOIN counted
    WHERE bytes_so_far <= greatest(bytes, ${searchLimits.bytes}) ORDER BY updated_at DESC, id DESC`);
  return { notes: rows.map(toNote), total: Number(rows[0]?.total ?? 0) };
}

const idSequenceSql = `pg_get_serial_sequence('notes', 'id')::regclass`;

const lastSequenceIdSql = `coalesce(pg_sequence_last_value(${idSequenceSql}), 0)`;

/** Returns the highest id ever assigned; 0 if there is none. */
export async function readHighestAssignedId(connections: ConnectionPool): Promise<number> {
  const select = `SELECT greatest(${lastSequenceIdSql}, (SELECT max(id) FROM notes)) AS id`;
  const [row] = await connections.queryWithRetries<{ id: string }>(select);
  return Number(row?.id);
}

/**
 * Makes new ids follow `lastId`. Run before an insert, so that concurrent creates get higher ids. Not undone by a
 * rollback.
 */
export const raiseIdSequenceSql = (lastId: number): string =>
  `SELECT setval(${idSequenceSql}, ${lastId}) WHERE ${lastSequenceIdSql} < ${lastId}`;

export async function readLabels(connections: ConnectionPool): Promise<Labels> {
  const select = 'SELECT "group", label FROM group_labels';
  const rows = await connections.queryWithRetries<{ group: string; label: string | null }>(select);
  return createLabels(rows.map(({ group, label }) => [group, label]));
}

export function upsertLabelsSql(labels: Labels): string {
  const rows = Object.entries(labels).map(([group, label]) => ({ group, label }));
  return `INSERT INTO group_labels ("group", label)
    SELECT "group", label FROM json_to_recordset(${jsonLiteralSql(JSON.stringify(rows))}) AS given("group" text, label text)
    ON CONFLICT ("group") DO UPDATE SET label = excluded.label`;
}

/** Inserts an ended session, and deletes those that ended by themselves before `deleteBefore`, in ms since 1970. */
export function insertEndedSessionAndDeleteExpiredSql(id: string, endsAt: number, deleteBefore: number): string {
  const rows = JSON.stringify([{ id, ends_at: endsAt }]);
  return `DELETE FROM ended_sessions WHERE ends_at < ${deleteBefore};
    INSERT INTO ended_sessions (id, ends_at)
    SELECT id, ends_at FROM json_to_recordset(${jsonLiteralSql(rows)}) AS ended(id text, ends_at bigint)
    ON CONFLICT DO NOTHING`;
}

export async function isSessionEnded(connections: ConnectionPool, id: string): Promise<boolean> {
  const rows = await connections.queryWithRetries('SELECT 1 FROM ended_sessions WHERE id = $1', [id]);
  return rows.length > 0;
}

const statsMs = 2_000;

const selectStats = `SELECT (SELECT count(*) FROM notes) AS notes, pg_total_relation_size('notes') AS bytes`;

export async function readStats(connections: ConnectionPool): Promise<EngineStats> {
  const rows = connections.query<{ notes: string; bytes: string }>(selectStats);
  const [row] = await connections.limitWait(rows, { ms: statsMs });
  return { notes: Number(row?.notes), databaseBytes: Number(row?.bytes) };
}

const selectOrigins = `SELECT note_id AS id, key, taken FROM note_origins JOIN notes ON notes.id = note_id
  WHERE note_id > $1 ORDER BY note_id LIMIT ${maxOrigins}`;

export async function readOriginsPage(connections: ConnectionPool, after: number): Promise<readonly NoteOrigin[]> {
  const rows = await connections.queryWithRetries<Origin & { readonly id: string }>(selectOrigins, [after]);
  return rows.map(({ id, key, taken }) => ({ id: Number(id), key, taken }));
}

type CreatedRow = Pick<NoteRow, 'id' | 'category' | 'created_at'> & { readonly title_start: string };

export async function readCreatedNotesPage(
  connections: ConnectionPool,
  times: readonly string[],
  after: number,
): Promise<readonly CreatedNote[]> {
  const rows = await connections.queryWithRetries<CreatedRow>(
    `SELECT id, left(title, ${titleStartLength}) AS title_start, category, created_at FROM notes
      WHERE id > $1 AND created_at = ANY('{${times.map(Date.parse)}}'::bigint[])
      ORDER BY id LIMIT ${maxCreated.notes}`,
    [after],
  );
  return rows.map(({ id, title_start, category, created_at }) => {
    return { id: Number(id), titleStart: title_start, category, createdAt: formatTime(Number(created_at)) };
  });
}
