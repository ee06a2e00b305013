import type { Note } from '../../../domain/note.ts';
import { maxReadChars, type VersionsRange } from '../../history.ts';
import { noteOf } from '../../row.ts';
import type { Connections } from '../connections.ts';
import type { NoteRow } from '../row.ts';

/** Fields of a note in a version, besides times. */
const texts = ['title', 'content', 'category', '"group"', 'color'];

const of = (table: string) => texts.map((column) => `${table}.${column}`).join(', ');

const insertInto = `INSERT INTO note_versions (note_id, ${texts}, archived, updated_at)`;

/** Condition for the `count`th newest version of a note and older ones. */
const from = (count: number, id: string) => `updated_at <= (SELECT newer.updated_at FROM note_versions AS newer
    WHERE newer.note_id = ${id} ORDER BY newer.updated_at DESC LIMIT 1 OFFSET ${count - 1})`;

/**
 * CTEs that keep the rows of `locked` that `changed` replaced, and delete the oldest versions beyond `max`. They do not
 * see versions added by the same statement.
 */
export const keptVersions = (max: number): readonly string[] => [
  `kept AS (${insertInto}
    SELECT locked.id, ${of('locked')}, locked.archived, locked.updated_at
    FROM locked JOIN changed ON changed.id = locked.id
    WHERE (${of('locked')}) IS DISTINCT FROM (${of('changed')}) ON CONFLICT DO NOTHING RETURNING note_id)`,
  `trimmed AS (DELETE FROM note_versions USING kept
    WHERE note_versions.note_id = kept.note_id AND note_versions.${from(max, 'kept.note_id')})`,
];

/** Keeps the present state of notes as versions. */
export const keepStored = (ids: readonly number[]): string =>
  `${insertInto} SELECT id, ${texts}, archived, updated_at FROM notes WHERE id IN (${ids}) ON CONFLICT DO NOTHING`;

/** Keeps, as versions, those of `notes` (a FROM item named `notes`) whose text `changes` will alter. */
export const keepChanged = (notes: string, changes: string, condition: string): string =>
  `${insertInto} SELECT notes.id, ${of('notes')}, notes.archived, notes.updated_at FROM ${notes}, ${changes}
   WHERE ${condition}
     AND (${of('notes')}) IS DISTINCT FROM (${texts.map((text) => `coalesce(change.${text}, notes.${text})`)})
   ON CONFLICT DO NOTHING`;

/** Stores `records`, a FROM item named `note`, as versions. */
export const insertVersions = (records: string): string =>
  `${insertInto} SELECT id, ${texts}, archived, updated_at FROM ${records} ON CONFLICT DO NOTHING`;

/** Deletes the oldest versions of notes beyond `max`. */
export const trimVersions = (ids: readonly number[], max: number): string =>
  `DELETE FROM note_versions WHERE note_id IN (${ids})
    AND ${from(max + 1, ids.length === 1 ? `${ids}` : 'note_versions.note_id')}`;

/** Must match `textHash` in merge-versions.ts. */
const hashOfTexts = `encode(sha256(convert_to(
  octet_length(title) || ' ' || title || content || ' ' || category || ' ' || "group" || ' ' || color, 'UTF8')), 'hex')`;

/** A version of a note, or the note itself. */
export interface StateRow {
  readonly id: string;
  readonly is_version: boolean;
  readonly updated_at: string;
  readonly hash: string;
}

/** Selects notes and their versions as `StateRow`s, newest first. */
export const selectStates = (ids: readonly number[]): string =>
  `SELECT note_id AS id, true AS is_version, updated_at, ${hashOfTexts} AS hash FROM note_versions
   WHERE note_id IN (${ids})
   UNION ALL SELECT id, false AS is_version, updated_at, ${hashOfTexts} AS hash FROM notes WHERE id IN (${ids})
   ORDER BY updated_at DESC`;

/** Limits the range by the size of the texts before reading them. */
const selectRange = (ofOne: string) => `
  WITH first AS MATERIALIZED (
    SELECT note_id, updated_at, octet_length(title) + octet_length(content) AS bytes FROM note_versions
    WHERE ${ofOne} (note_id, updated_at) < ($1, $2) AND note_id >= $3 ORDER BY note_id DESC, updated_at DESC LIMIT $4),
  sized AS (SELECT note_id, updated_at, sum(bytes) OVER newest - bytes AS bytes_before FROM first
    WINDOW newest AS (ORDER BY note_id DESC, updated_at DESC))
  SELECT note_id AS id, ${of('version')}, version.archived, notes.created_at, sized.updated_at
  FROM sized JOIN note_versions AS version USING (note_id, updated_at) JOIN notes ON notes.id = note_id
  WHERE ${ofOne} bytes_before < ${maxReadChars} ORDER BY note_id DESC, sized.updated_at DESC`;

export async function readVersions(connections: Connections, { end, lowestId, limit }: VersionsRange): Promise<Note[]> {
  const ofOne = end.id === lowestId ? 'note_id = $1 AND' : ''; // lets Citus query a single shard
  const rows = await connections.read<NoteRow>(selectRange(ofOne), [end.id, end.updatedAt, lowestId, limit]);
  return rows.map(noteOf);
}
