import type { Database } from 'bun:sqlite';
import type { Note } from '../../../domain/note.ts';
import { hasSameFields } from '../../../domain/versions.ts';
import { maxReadChars, type VersionsRange } from '../../history.ts';
import { noteOf } from '../../row.ts';
import type { NoteRow } from '../row.ts';

type Version = Omit<NoteRow, 'created_at'>;

export type PreparedVersions = ReturnType<typeof prepareVersions>;

/** Maximum number of cached notes and versions. */
const maxCached = 1_000_000;

/**
 * Row ids and times of the versions of note `?1`, newest first. A row that was overwritten since belongs to another
 * note or is not older.
 */
const chain = `
  WITH RECURSIVE chain (id, updated_at, previous_id) AS (
    SELECT id, updated_at, previous_id FROM note_versions
    WHERE id = (SELECT version_id FROM notes WHERE id = ?1) AND note_id = ?1
    UNION ALL SELECT older.id, older.updated_at, older.previous_id
    FROM chain JOIN note_versions AS older ON older.id = chain.previous_id
    WHERE older.note_id = ?1 AND older.updated_at < chain.updated_at)
  SELECT id, updated_at FROM chain`;

type Link = Pick<Version, 'id' | 'updated_at'>;

const columns = 'note_id AS id, title, content, category, "group", color, archived, updated_at';
const selectVersion = `SELECT ${columns} FROM note_versions WHERE id = ?`;

/** Prepares the statements that keep earlier versions of notes, at most `max` per note. */
export function prepareVersions(db: Database, max: number) {
  /** Row ids of the versions of a note, oldest first. */
  const cache = new Map<number, number[]>();
  let cached = 0;
  /** Row id of the next version that overwrites none. */
  let newId: number | undefined;
  const selectNewId = db.prepare<{ id: number }, []>('SELECT coalesce(max(id), 0) + 1 AS id FROM note_versions');
  const selectChain = db.prepare<Link, [noteId: number]>(chain);
  const selectOne = db.prepare<Version, [id: number]>(selectVersion);
  const remove = db.prepare('DELETE FROM note_versions WHERE id = ?');
  const insert = db.prepare(
    `INSERT OR REPLACE INTO note_versions
     (id, note_id, title, content, category, "group", color, archived, updated_at, previous_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const linkNote = db.prepare('UPDATE notes SET version_id = ? WHERE id = ?');
  const linkVersion = db.prepare('UPDATE note_versions SET previous_id = ? WHERE id = ?');

  function idsOf(noteId: number): number[] {
    const known = cache.get(noteId);
    if (known !== undefined) return known;
    if (cached >= maxCached) clearCache();
    const ids = selectChain
      .all(noteId)
      .map(({ id }) => id)
      .reverse();
    cache.set(noteId, ids);
    cached += 1 + ids.length;
    return ids;
  }

  /**
   * Row id of the next version of a note; null if none are kept. It overwrites the oldest one of the note if there are
   * `max`, because deleted rows would leave space that is never reused.
   */
  function nextIdOf(noteId: number): number | null {
    if (max === 0) return null;
    const ids = idsOf(noteId);
    newId ??= selectNewId.get()?.id ?? 1;
    return ids[ids.length - max] ?? newId;
  }

  /** Puts the newest version of a note whose row refers to it already, by `nextIdOf`. */
  const putNewest = (version: Version): void => put(version, 0);

  /** Keeps the newest version of a note. */
  function keep(version: Version): void {
    const id = nextIdOf(version.id);
    if (id === null) return;
    linkNote.run(id, version.id);
    putNewest(version);
  }

  /** Puts a version before the `newer` newest ones. */
  function put(version: Version, newer: number): void {
    const { id: noteId, title, content, category, group, color, archived, updated_at } = version;
    const id = nextIdOf(noteId);
    if (id === null) return;
    const ids = idsOf(noteId);
    cached -= ids.length;
    for (const excess of ids.splice(0, Math.max(0, ids.length - max + 1))) if (excess !== id) remove.run(excess);
    const at = ids.length - newer;
    const fields = [noteId, title, content, category, group, color, archived, updated_at] as const;
    insert.run(id, ...fields, ids[at - 1] ?? null);
    if (newer > 0) linkVersion.run(id, ids[at] ?? null);
    if (id === newId) newId++;
    ids.splice(at, 0, id);
    cached += ids.length;
  }

  /** Adds a version from elsewhere. Returns false if it is known, or older than all of `max` versions. */
  function add(version: Version, current: NoteRow): boolean {
    let next: Version = current;
    let newer = 0;
    for (const id of idsOf(version.id).toReversed()) {
      const one = selectOne.get(id);
      if (one === null || one.updated_at < version.updated_at) break;
      next = one;
      newer++;
    }
    if (next.updated_at === version.updated_at || hasSameFields(next, version) || newer >= max) return false;
    if (newer === 0) keep(version);
    else put(version, newer);
    return true;
  }

  /** Clears the cached ids. Call after a rollback or a commit of another program. */
  function clearCache(): void {
    cache.clear();
    cached = 0;
    newId = undefined;
  }

  return { nextIdOf, keep, putNewest, add, clearCache };
}

export function readVersions(db: Database, { end, lowestId, limit }: VersionsRange): readonly Note[] {
  const owners = db.query<{ id: number; created_at: number }, [lowest: number, highest: number]>(
    'SELECT id, created_at FROM notes WHERE id BETWEEN ? AND ? AND version_id IS NOT NULL ORDER BY id DESC',
  );
  const selectChain = db.query<Link, [noteId: number]>(chain);
  const selectOne = db.query<Version, [id: number]>(selectVersion);
  const notes: Note[] = [];
  let chars = 0;
  for (const owner of owners.iterate(lowestId, end.id)) {
    for (const { id, updated_at } of selectChain.all(owner.id)) {
      if (owner.id === end.id && updated_at >= end.updatedAt) continue;
      if (notes.length >= limit || chars > maxReadChars) return notes;
      const version = selectOne.get(id);
      if (version === null) continue;
      notes.push(noteOf({ ...version, created_at: owner.created_at }));
      chars += version.title.length + version.content.length;
    }
  }
  return notes;
}
