import type { Note } from '../../core/note.ts';
import { maxReadChars, type VersionsRange } from '../history.ts';
import { noteOf, timestamp } from '../row.ts';
import type { Connection, Connections } from './connections.ts';
import type { NoteRow } from './row.ts';

const texts = ['title', 'content', 'category', '"group"', 'color'];

const insertInto = `INSERT INTO note_versions (note_id, ${texts}, archived, updated_at)`;

export const keepStored = (ids: readonly number[]): string =>
  `${insertInto} SELECT id, ${texts}, archived, updated_at FROM notes WHERE id IN (${ids}) ON CONFLICT DO NOTHING`;

/** Stores `records`, a FROM item named `note`, as versions. */
export const insertVersions = (records: string): string =>
  `${insertInto} SELECT id, ${texts}, archived, updated_at FROM ${records} ON CONFLICT DO NOTHING`;

export const trimVersions = (ids: readonly number[], max: number): string =>
  `DELETE FROM note_versions USING (
     SELECT note_id, updated_at, row_number() OVER (PARTITION BY note_id ORDER BY updated_at DESC) AS number
     FROM note_versions WHERE note_id IN (${ids})) AS numbered
   WHERE note_versions.note_id IN (${ids}) AND note_versions.note_id = numbered.note_id
     AND note_versions.updated_at = numbered.updated_at AND number > ${max}`;

export async function timesOf(connection: Connection, ids: readonly number[]): Promise<Map<number, readonly string[]>> {
  if (ids.length === 0) return new Map();
  const rows = await connection.run<{ id: string; times: string }>(
    `SELECT note_id AS id, string_agg(updated_at::text, ' ' ORDER BY updated_at DESC) AS times FROM note_versions
     WHERE note_id IN (${ids}) GROUP BY note_id`,
  );
  const dates = (times: string) => times.split(' ').map((time) => timestamp(Number(time)));
  return new Map(rows.map(({ id, times }) => [Number(id), dates(times)]));
}

/** Limits the range by the size of the texts before reading them. */
const selectRange = `
  WITH first AS MATERIALIZED (
    SELECT note_id, updated_at, octet_length(title) + octet_length(content) AS bytes FROM note_versions
    WHERE (note_id, updated_at) < ($1, $2) AND note_id >= $3 ORDER BY note_id DESC, updated_at DESC LIMIT $4),
  sized AS (SELECT note_id, updated_at, sum(bytes) OVER newest - bytes AS bytes_before FROM first
    WINDOW newest AS (ORDER BY note_id DESC, updated_at DESC))
  SELECT note_id AS id, version.title, version.content, version.category, version."group", version.color, version.archived,
    notes.created_at, sized.updated_at
  FROM sized JOIN note_versions AS version USING (note_id, updated_at) JOIN notes ON notes.id = note_id
  WHERE bytes_before < ${maxReadChars} ORDER BY note_id DESC, sized.updated_at DESC`;

export async function readVersions(connections: Connections, { end, lowestId, limit }: VersionsRange): Promise<Note[]> {
  const rows = await connections.read<NoteRow>(selectRange, [end.id, end.updatedAt, lowestId, limit]);
  return rows.map(noteOf);
}
