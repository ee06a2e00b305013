import type { Note } from '../../core/note.ts';
import { columnListSql, formatTime, noteFields, toNote, versionedFields } from '../note-fields.ts';
import type { VersionsRange } from '../note-storage.ts';
import { maxVersionCharsPerRead } from '../version-batches.ts';
import type { Connection, ConnectionPool } from './connection-pool.ts';
import { noteRecordsetSql, type PostgresNoteRow } from './recordset.ts';

const versionedColumns = columnListSql(versionedFields);

const insertVersionsFromSql = (source: string): string =>
  `INSERT INTO note_versions (note_id, ${versionedColumns}) SELECT id, ${versionedColumns} FROM ${source}
   ON CONFLICT DO NOTHING`;

/** Inserts the stored states of notes as versions, without sending their texts. */
export const insertVersionsFromNotesSql = (ids: readonly number[]): string =>
  insertVersionsFromSql(`notes WHERE id IN (${ids})`);

/** Inserts states of notes as versions. */
export const insertVersionsSql = (versions: readonly Note[]): string =>
  insertVersionsFromSql(noteRecordsetSql(versions));

/** Deletes the oldest versions of notes that have more than `max`. */
export const deleteExcessVersionsSql = (ids: readonly number[], max: number): string =>
  `DELETE FROM note_versions USING (
     SELECT note_id, updated_at, row_number() OVER (PARTITION BY note_id ORDER BY updated_at DESC) AS number
     FROM note_versions WHERE note_id IN (${ids})) AS numbered
   WHERE note_versions.note_id IN (${ids}) AND note_versions.note_id = numbered.note_id
     AND note_versions.updated_at = numbered.updated_at AND number > ${max}`;

/** Reads the times of the versions of notes, newest first. */
export async function readVersionTimesByNote(
  connection: Connection,
  ids: readonly number[],
): Promise<Map<number, readonly string[]>> {
  if (ids.length === 0) return new Map();
  const rows = await connection.query<{ id: string; times: string }>(
    `SELECT note_id AS id, string_agg(updated_at::text, ' ' ORDER BY updated_at DESC) AS times FROM note_versions
     WHERE note_id IN (${ids}) GROUP BY note_id`,
  );
  const formatTimes = (times: string) => times.split(' ').map((time) => formatTime(Number(time)));
  return new Map(rows.map(({ id, times }) => [Number(id), formatTimes(times)]));
}

/** The columns of a version, with the id and the creation time of its note. */
const selectedColumns = noteFields
  .filter(({ type }) => type !== 'id')
  .map(({ column, isVersioned }) => `${isVersioned ? 'version' : 'notes'}."${column}"`)
  .join(', ');

/** Limits the range by the size of the texts before reading them. */
const selectVersionsSql = `
  WITH first AS MATERIALIZED (
    SELECT note_id, updated_at, octet_length(title) + octet_length(content) AS bytes FROM note_versions
    WHERE (note_id, updated_at) < ($1, $2) AND note_id >= $3 ORDER BY note_id DESC, updated_at DESC LIMIT $4),
  sized AS (SELECT note_id, updated_at, sum(bytes) OVER newest - bytes AS bytes_before FROM first
    WINDOW newest AS (ORDER BY note_id DESC, updated_at DESC))
  SELECT note_id AS id, ${selectedColumns}
  FROM sized JOIN note_versions AS version USING (note_id, updated_at) JOIN notes ON notes.id = note_id
  WHERE bytes_before < ${maxVersionCharsPerRead} ORDER BY note_id DESC, sized.updated_at DESC`;

export async function readVersionsPage(
  connections: ConnectionPool,
  { end, lowestId, limit }: VersionsRange,
): Promise<Note[]> {
  const rows = await connections.readWithRetries<PostgresNoteRow>(selectVersionsSql, [
    end.id,
    end.updatedAt,
    lowestId,
    limit,
  ]);
  return rows.map(toNote);
}
