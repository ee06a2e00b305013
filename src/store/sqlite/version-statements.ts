import type { Database } from 'bun:sqlite';
import type { Note } from '../../core/note.ts';
import { columnListSql, formatTime, toNote, toSqliteValue, versionedFields } from '../note-fields.ts';
import type { VersionsRange } from '../note-storage.ts';
import { maxVersionCharsPerRead } from '../version-batches.ts';
import type { NoteRow, StoredRow } from './sqlite-reads.ts';

/** A former state of a note. */
type VersionRow = Omit<NoteRow, 'created_at'>;

export type VersionStatements = ReturnType<typeof prepareVersionStatements>;

/**
 * The versions of note `?1`, newest first. Each refers to the one before it, since an index by note would cost a page
 * per update. The chain ends at a version that was dropped.
 *
 * Example: a note has `version_id` 9. Row 9 of the versions has `previous_id` 4, and row 4 has none: the versions are 9
 * and 4. Its next change inserts row 12 with `previous_id` 9, and sets `version_id` to 12.
 */
const selectChainSql = `
  WITH RECURSIVE chain (number, id, updated_at, previous_id) AS (
    SELECT 1, id, updated_at, previous_id FROM note_versions
    WHERE id = (SELECT version_id FROM notes WHERE id = ?1) AND note_id = ?1
    UNION ALL SELECT number + 1, older.id, older.updated_at, older.previous_id
    FROM chain JOIN note_versions AS older ON older.id = chain.previous_id
    WHERE older.note_id = ?1 AND older.updated_at < chain.updated_at)
  SELECT id, updated_at FROM chain ORDER BY number LIMIT ?2`;

type ChainLink = Pick<VersionRow, 'id' | 'updated_at'>;

const versionedColumnsSql = columnListSql(versionedFields);

const insertVersionSql = `INSERT INTO note_versions (note_id, previous_id, ${versionedColumnsSql})
  VALUES (?, ?, ${versionedFields.map(() => '?')})`;

const selectVersionSql = `SELECT id, ${versionedColumnsSql} FROM note_versions WHERE id = ?`;

/** A `LIMIT` for the whole chain. */
const noLimit = -1;

/**
 * About every so many versions, those of the note beyond the maximum are dropped; readers never see them. To look at
 * every sixteenth took 14 % of the processor time of updates.
 */
const maxBetweenDrops = 64;

/** Prepares the statements that store former states of notes, at most `max` of each. */
export function prepareVersionStatements(db: Database, max: number) {
  const dropInterval = Math.min(max, maxBetweenDrops);
  const insertVersion = db.prepare(insertVersionSql);
  const selectChain = db.prepare<ChainLink, [noteId: number, limit: number]>(selectChainSql);
  const updateVersionOfNote = db.prepare('UPDATE notes SET version_id = ? WHERE id = ?');
  const updatePrevious = db.prepare('UPDATE note_versions SET previous_id = ? WHERE id = ?');
  const deleteVersion = db.prepare('DELETE FROM note_versions WHERE id = ?');

  /**
   * Inserts the stored state of a note as its newest version. Returns the id that the note's `version_id` must be set to;
   * undefined if no versions are stored.
   */
  function insertNewest(row: StoredRow): number | undefined {
    if (max === 0) return undefined;
    const values = versionedFields.map(({ column }) => row[column]);
    const id = Number(insertVersion.run(row.id, row.version_id, ...values).lastInsertRowid);
    if (id % dropInterval === 0) deleteExcess(row.id, max - 1);
    return id;
  }

  function deleteExcess(noteId: number, maxVersions: number): void {
    for (const { id } of selectChain.all(noteId, noLimit).slice(maxVersions)) deleteVersion.run(id);
  }

  /** Inserts a former state of a stored note, of another time than its other versions, where it belongs in the chain. */
  function insert(version: Note): void {
    const time = Date.parse(version.updatedAt);
    const chain = selectChain.all(version.id, noLimit);
    const newer = chain.filter(({ updated_at }) => updated_at > time);
    const next = newer.at(-1);
    const values = versionedFields.map((field) => toSqliteValue(field, version));
    const inserted = insertVersion.run(version.id, chain[newer.length]?.id ?? null, ...values);
    const id = Number(inserted.lastInsertRowid);
    if (next === undefined) updateVersionOfNote.run(id, version.id);
    else updatePrevious.run(id, next.id);
    if (id % dropInterval === 0) deleteExcess(version.id, max);
  }

  /** The times of the versions of a note, newest first. */
  const readTimes = (noteId: number): readonly string[] =>
    selectChain.all(noteId, noLimit).map(({ updated_at }) => formatTime(updated_at));

  return { insertNewest, insert, readTimes };
}

/** Reads versions of notes, at most `max` of each; at least one if there is any. */
export function readVersions(db: Database, max: number, { end, lowestId, limit }: VersionsRange): readonly Note[] {
  const owners = db.query<{ id: number; created_at: number }, [lowest: number, highest: number]>(
    'SELECT id, created_at FROM notes WHERE id BETWEEN ? AND ? AND version_id IS NOT NULL ORDER BY id DESC',
  );
  const selectChain = db.query<ChainLink, [noteId: number, limit: number]>(selectChainSql);
  const selectVersion = db.query<VersionRow, [id: number]>(selectVersionSql);
  const notes: Note[] = [];
  let chars = 0;
  for (const owner of owners.iterate(lowestId, end.id)) {
    for (const { id, updated_at } of selectChain.all(owner.id, max === 0 ? noLimit : max)) {
      if (owner.id === end.id && updated_at >= end.updatedAt) continue;
      if (notes.length >= limit || chars > maxVersionCharsPerRead) return notes;
      const [version] = selectVersion.all(id);
      if (version === undefined) continue;
      notes.push(toNote({ ...version, ...owner }));
      chars += version.title.length + version.content.length;
    }
  }
  return notes;
}
