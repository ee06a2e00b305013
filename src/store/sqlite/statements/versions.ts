import type { Database } from 'bun:sqlite';
import { draftFields } from '../../../domain/enums.ts';
import type { Note } from '../../../domain/note.ts';
import { maxReadChars, type VersionsRange } from '../../history.ts';
import { noteOf } from '../../row.ts';
import type { NoteRow } from '../row.ts';

type Version = Omit<NoteRow, 'created_at'>;

export type PreparedVersions = ReturnType<typeof prepareVersions>;

/** Notes whose version counts are cached: counting takes a fifth of an update. */
const maxCounts = 50_000;

/** Prepares the statements that keep earlier versions of notes, at most `max` per note. */
export function prepareVersions(db: Database, max: number) {
  const counts = new Map<number, number>();
  const selectCount = db.prepare<{ count: number }, [noteId: number]>(
    'SELECT count(*) AS count FROM note_versions WHERE note_id = ?',
  );
  const selectOldest = db.prepare<{ id: number; updated_at: number }, [noteId: number, older: number]>(
    'SELECT id, updated_at FROM note_versions WHERE note_id = ? ORDER BY updated_at LIMIT 1 OFFSET ?',
  );
  const deleteOlder = db.prepare('DELETE FROM note_versions WHERE note_id = ? AND updated_at < ?');
  const put = db.prepare(
    'INSERT OR REPLACE INTO note_versions (id, note_id, title, content, category, "group", color, archived, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const columns = 'note_id AS id, title, content, category, "group", color, archived, updated_at';
  const selectNext = db.prepare<Version, [id: number, updatedAt: number]>(
    `SELECT ${columns} FROM note_versions WHERE note_id = ? AND updated_at >= ? ORDER BY updated_at LIMIT 1`,
  );

  const countOf = (noteId: number) => counts.get(noteId) ?? selectCount.get(noteId)?.count ?? 0;

  /** The oldest version to keep, if there are `max` or more. */
  const oldestOf = (noteId: number, count = countOf(noteId)) =>
    count < max ? null : selectOldest.get(noteId, count - max);

  /**
   * Keeps a version. Overwrites the oldest one of the note if there are `max`, because deleted rows would leave space
   * that is never reused.
   */
  function keep({ id, title, content, category, group, color, archived, updated_at }: Version): void {
    if (max === 0) return;
    const count = countOf(id);
    const oldest = oldestOf(id, count);
    if (oldest !== null && count > max) deleteOlder.run(id, oldest.updated_at);
    put.run(oldest?.id ?? null, id, title, content, category, group, color, archived, updated_at);
    if (counts.size >= maxCounts) counts.clear();
    counts.set(id, Math.min(count + 1, max));
  }

  /** Adds a version from elsewhere. Returns false if it is known, or older than all of `max` versions. */
  function add(version: Version, current: NoteRow): boolean {
    const next = selectNext.get(version.id, version.updated_at) ?? current;
    if (next.updated_at === version.updated_at || draftFields.every((field) => next[field] === version[field])) {
      return false;
    }
    if (max === 0 || (oldestOf(version.id)?.updated_at ?? 0) > version.updated_at) return false;
    keep(version);
    return true;
  }

  /** Forgets cached counts: call after a rollback or a commit of another program. */
  const forget = () => counts.clear();

  return { keep, add, forget };
}

const selectRange = `
  SELECT notes.id, ${['title', 'content', 'category', '"group"', 'color', 'archived'].map((name) => `version.${name}`)},
    notes.created_at, version.updated_at
  FROM note_versions AS version JOIN notes ON notes.id = note_id
  WHERE (note_id, version.updated_at) < (?, ?) AND note_id >= ? ORDER BY note_id DESC, version.updated_at DESC LIMIT ?`;

export function readVersions(db: Database, { end, lowestId, limit }: VersionsRange): readonly Note[] {
  const notes: Note[] = [];
  let chars = 0;
  for (const row of db.query<NoteRow, number[]>(selectRange).iterate(end.id, end.updatedAt, lowestId, limit)) {
    notes.push(noteOf(row));
    chars += row.title.length + row.content.length;
    if (chars > maxReadChars) break;
  }
  return notes;
}
