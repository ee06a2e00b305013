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
import { lastSequenceIdSql } from './postgres-settings-writes.ts';
import { filterConditionSql } from './postgres-snapshots.ts';
import type { PostgresNoteRow } from './recordset.ts';

export async function readNote(connections: ConnectionPool, id: number): Promise<Note | undefined> {
  const [row] = await connections.readWithRetries<PostgresNoteRow>(
    `SELECT ${noteColumnsSql} FROM notes WHERE id = $1`,
    [id],
  );
  return row && toNote(row);
}

/** Reads the notes changed last, fewer if they are long. */
export async function readLastChangedNotesAndTotal(
  connections: ConnectionPool,
  filter: NoteFilter,
  limit: number,
): Promise<Found> {
  const rows = await connections.readWithRetries<PostgresNoteRow & { readonly total: string }>(`
    WITH counted AS (SELECT count(*) AS total FROM notes WHERE ${filterConditionSql(filter)}),
      first AS (SELECT id, updated_at AS at, octet_length(title) + octet_length(content) AS bytes FROM notes
        WHERE ${filterConditionSql(filter)} ORDER BY updated_at DESC, id DESC LIMIT ${limit}),
      sized AS (SELECT id, bytes, sum(bytes) OVER (ORDER BY at DESC, id DESC) AS bytes_so_far FROM first)
    SELECT ${noteColumnsSql}, total FROM sized JOIN notes USING (id) CROSS JOIN counted
    WHERE bytes_so_far <= greatest(bytes, ${searchLimits.bytes}) ORDER BY updated_at DESC, id DESC`);
  return { notes: rows.map(toNote), total: Number(rows[0]?.total ?? 0) };
}

/** Returns the highest id ever assigned; 0 if there is none. */
export async function readHighestAssignedId(connections: ConnectionPool): Promise<number> {
  const select = `SELECT greatest(${lastSequenceIdSql}, (SELECT max(id) FROM notes)) AS id`;
  const [row] = await connections.readWithRetries<{ id: string }>(select);
  return Number(row?.id);
}

export async function readPinnedIds(connections: ConnectionPool): Promise<readonly number[]> {
  const [row] = await connections.readWithRetries<{ ids: string }>('SELECT ids FROM pins');
  return row === undefined ? [] : JSON.parse(row.ids);
}

export async function readExistingIds(connections: ConnectionPool, ids: readonly number[]): Promise<readonly number[]> {
  const select = `SELECT id FROM notes WHERE id = ANY('{${ids}}'::bigint[])`;
  const rows = await connections.readWithRetries<{ id: string }>(select);
  return rows.map(({ id }) => Number(id));
}

export async function isSignInSessionEnded(connections: ConnectionPool, id: string): Promise<boolean> {
  const rows = await connections.readWithRetries('SELECT 1 FROM ended_sessions WHERE id = $1', [id]);
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
  const rows = await connections.readWithRetries<Origin & { readonly id: string }>(selectOrigins, [after]);
  return rows.map(({ id, key, taken }) => ({ id: Number(id), key, taken }));
}

type CreatedRow = Pick<PostgresNoteRow, 'id' | 'category' | 'created_at'> & { readonly title_start: string };

export async function readCreatedNotesPage(
  connections: ConnectionPool,
  times: readonly string[],
  after: number,
): Promise<readonly CreatedNote[]> {
  const rows = await connections.readWithRetries<CreatedRow>(
    `SELECT id, left(title, ${titleStartLength}) AS title_start, category, created_at FROM notes
      WHERE id > $1 AND created_at = ANY('{${times.map(Date.parse)}}'::bigint[])
      ORDER BY id LIMIT ${maxCreated.notes}`,
    [after],
  );
  return rows.map(({ id, title_start, category, created_at }) => {
    return { id: Number(id), titleStart: title_start, category, createdAt: formatTime(Number(created_at)) };
  });
}
