import type { Database } from 'bun:sqlite';
import type { Note } from '../../core/note.ts';
import { maxReadChars, type VersionsRange } from '../history.ts';
import { noteOf, timestamp } from '../row.ts';
import type { NoteRow, StoredRow } from './sqlite-reads.ts';

/** A former state of a note. */
type Version = Omit<NoteRow, 'created_at'>;

export type Versions = ReturnType<typeof prepareVersions>;

/**
 * The versions of note `?1`, newest first. Each refers to the one before it, since an index by note would cost a page
 * per update. The chain ends at a version that was dropped.
 */
const chain = `
  WITH RECURSIVE chain (number, id, updated_at, previous_id) AS (
    SELECT 1, id, updated_at, previous_id FROM note_versions
    WHERE id = (SELECT version_id FROM notes WHERE id = ?1) AND note_id = ?1
    UNION ALL SELECT number + 1, older.id, older.updated_at, older.previous_id
    FROM chain JOIN note_versions AS older ON older.id = chain.previous_id
    WHERE older.note_id = ?1 AND older.updated_at < chain.updated_at)
  SELECT id, updated_at FROM chain ORDER BY number LIMIT ?2`;

type Link = Pick<Version, 'id' | 'updated_at'>;

const selectVersion =
  'SELECT id, title, content, category, "group", color, archived, updated_at FROM note_versions WHERE id = ?';

const all = -1;

/**
 * About every so many versions, those of the note beyond the maximum are dropped; readers never see them. To look at
 * every sixteenth took 14 % of the processor time of updates.
 */
const maxBetweenDrops = 64;

/** Prepares the statements that keep former states of notes, at most `max` of each. */
export function prepareVersions(db: Database, max: number) {
  const insert = db.prepare(
    `INSERT INTO note_versions (note_id, previous_id, title, content, category, "group", color, archived, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const selectChain = db.prepare<Link, [noteId: number, limit: number]>(chain);
  const linkNote = db.prepare('UPDATE notes SET version_id = ? WHERE id = ?');
  const linkVersion = db.prepare('UPDATE note_versions SET previous_id = ? WHERE id = ?');
  const drop = db.prepare('DELETE FROM note_versions WHERE id = ?');

  function put(noteId: number, version: Version, previous: number | null): number {
    const { title, content, category, group, color, archived, updated_at } = version;
    const row = insert.run(noteId, previous, title, content, category, group, color, archived, updated_at);
    return Number(row.lastInsertRowid);
  }

  /** Keeps a note as it is. Returns the row that it has to refer to; undefined if no versions are kept. */
  function keep(row: StoredRow): number | undefined {
    if (max === 0) return undefined;
    const id = put(row.id, row, row.version_id);
    if (id % Math.min(max, maxBetweenDrops) === 0)
      for (const excess of selectChain.all(row.id, all).slice(max - 1)) drop.run(excess.id);
    return id;
  }

  /** The times of the versions of a note, newest first. */
  const timesOf = (noteId: number) => selectChain.all(noteId, all).map(({ updated_at }) => timestamp(updated_at));

  /** Adds a version from elsewhere, of another time than all others. */
  function add(version: Version, current: StoredRow): void {
    const links = selectChain.all(current.id, all);
    const newer = links.filter(({ updated_at }) => updated_at > version.updated_at);
    const next = newer.at(-1);
    const id = put(current.id, version, links[newer.length]?.id ?? null);
    if (next === undefined) linkNote.run(id, current.id);
    else linkVersion.run(id, next.id);
  }

  return { max, keep, add, timesOf, linkNote };
}

/** Reads versions of notes, at most `max` of each; at least one if there is any. */
export function readVersions(db: Database, max: number, { end, lowestId, limit }: VersionsRange): readonly Note[] {
  const owners = db.query<{ id: number; created_at: number }, [lowest: number, highest: number]>(
    'SELECT id, created_at FROM notes WHERE id BETWEEN ? AND ? AND version_id IS NOT NULL ORDER BY id DESC',
  );
  const selectChain = db.query<Link, [noteId: number, limit: number]>(chain);
  const selectOne = db.query<Version, [id: number]>(selectVersion);
  const notes: Note[] = [];
  let chars = 0;
  for (const owner of owners.iterate(lowestId, end.id)) {
    for (const { id, updated_at } of selectChain.all(owner.id, max === 0 ? all : max)) {
      if (owner.id === end.id && updated_at >= end.updatedAt) continue;
      if (notes.length >= limit || chars > maxReadChars) return notes;
      const [version] = selectOne.all(id);
      if (version === undefined) continue;
      notes.push(noteOf({ ...version, ...owner }));
      chars += version.title.length + version.content.length;
    }
  }
  return notes;
}
