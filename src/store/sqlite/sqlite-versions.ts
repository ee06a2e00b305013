import type { Database } from 'bun:sqlite';
import type { Note } from '../../core/note.ts';
import {
  columnListSql,
  formatTime,
  toNote,
  unversionedFields,
  type VersionedColumn,
  versionedFields,
} from '../note-fields.ts';
import type { VersionsRange } from '../note-storage.ts';
import { maxVersionCharsPerRead } from '../version-batches.ts';
import type { SqliteNoteRow, StoredRow } from './sqlite-reads.ts';
import { toColumnValue } from './sqlite-values.ts';

/** A former state of a note. */
type VersionRow = Pick<SqliteNoteRow, 'id' | VersionedColumn>;
/** What a version has from its note. */
type VersionOwnerRow = Omit<SqliteNoteRow, VersionedColumn>;

export type VersionOperations = ReturnType<typeof createVersionOperations>;

/**
 * The versions of note `?1`, newest first. Each refers to the one before it, since an index by note would cost a page
 * per update. The chain ends at a version that was deleted.
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
 * When an inserted version has an id that is divisible by this number, the versions of its note beyond the maximum are
 * deleted. Until then they are stored, but no reader returns them. With 16, that took 14 % of the processor time of
 * updates.
 */
const maxDeleteInterval = 64;

/** Prepares the statements that store former states of notes, at most `maxVersions` of each. */
export function createVersionOperations(db: Database, maxVersions: number) {
  const deleteInterval = Math.min(maxVersions, maxDeleteInterval);
  const insertVersion = db.prepare(insertVersionSql);
  const selectChain = db.prepare<ChainLink, [noteId: number, limit: number]>(selectChainSql);
  const selectNewest = db.prepare<ChainLink, [noteId: number]>(
    `SELECT newest.id, newest.updated_at FROM notes JOIN note_versions AS newest ON newest.id = version_id
     WHERE notes.id = ? AND note_id = notes.id`,
  );
  const updateVersionOfNote = db.prepare('UPDATE notes SET version_id = ? WHERE id = ?');
  const updatePrevious = db.prepare('UPDATE note_versions SET previous_id = ? WHERE id = ?');
  const deleteVersion = db.prepare('DELETE FROM note_versions WHERE id = ?');

  /**
   * Inserts the stored state of a note as its newest version, before the note is changed. Returns the id that the
   * caller must set `version_id` of the note to; undefined if no versions are stored.
   */
  function insertNewestVersion(row: StoredRow): number | undefined {
    if (maxVersions === 0) return undefined;
    const values = versionedFields.map(({ column }) => row[column]);
    const id = Number(insertVersion.run(row.id, row.version_id, ...values).lastInsertRowid);
    if (id % deleteInterval === 0) deleteOldVersions(row.id, maxVersions - 1);
    return id;
  }

  /** Deletes all versions of a note but the newest ones. The newest may not be in the chain yet. */
  function deleteOldVersions(noteId: number, remaining: number): void {
    for (const { id } of selectChain.all(noteId, noLimit).slice(remaining)) deleteVersion.run(id);
  }

  /** Inserts a former state of a stored note into its chain by time. No other version of it may have the same time. */
  function insertIntoChain(version: Note): void {
    const time = Date.parse(version.updatedAt);
    const newest = selectNewest.all(version.id);
    const isNewest = newest.every(({ updated_at }) => updated_at < time); // as a rule: the chain need not be read
    const chain = isNewest ? newest : selectChain.all(version.id, noLimit);
    const newerCount = chain.filter(({ updated_at }) => updated_at > time).length;
    const older = chain[newerCount];
    const newer = newerCount === 0 ? undefined : chain[newerCount - 1];
    const values = versionedFields.map((field) => toColumnValue(field, version));
    const inserted = insertVersion.run(version.id, older?.id ?? null, ...values);
    const id = Number(inserted.lastInsertRowid);
    if (newer === undefined) updateVersionOfNote.run(id, version.id);
    else updatePrevious.run(id, newer.id);
    if (id % deleteInterval === 0) deleteOldVersions(version.id, maxVersions);
  }

  /** Reads the times of the versions of a note, the newest first. */
  const readVersionTimes = (noteId: number): readonly string[] =>
    selectChain.all(noteId, noLimit).map(({ updated_at }) => formatTime(updated_at));

  return { insertNewestVersion, insertIntoChain, readVersionTimes };
}

/**
 * Reads versions within a range across notes, in descending order of note and time, at most `maxVersions` of each note.
 * Stops early when they become long, but not before one was read.
 */
export function readVersionsPage(
  db: Database,
  maxVersions: number,
  { end, lowestId, limit }: VersionsRange,
): readonly Note[] {
  const owners = db.query<VersionOwnerRow, [lowest: number, highest: number]>(
    `SELECT ${columnListSql(unversionedFields)} FROM notes
     WHERE id BETWEEN ? AND ? AND version_id IS NOT NULL ORDER BY id DESC`,
  );
  const selectChain = db.query<ChainLink, [noteId: number, limit: number]>(selectChainSql);
  const selectVersion = db.query<VersionRow, [id: number]>(selectVersionSql);
  const chainLimit = maxVersions === 0 ? noLimit : maxVersions;
  const notes: Note[] = [];
  let chars = 0;
  for (const owner of owners.iterate(lowestId, end.id)) {
    for (const { id, updated_at } of selectChain.all(owner.id, chainLimit)) {
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
