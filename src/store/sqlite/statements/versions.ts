import type { Database } from 'bun:sqlite';
import { draftFields } from '../../../domain/enums.ts';
import type { Note } from '../../../domain/note.ts';
import { maxReadChars, type VersionsRange } from '../../history.ts';
import { noteOf } from '../../row.ts';
import type { NoteRow } from '../row.ts';

type Version = Omit<NoteRow, 'created_at'>;

export type PreparedVersions = ReturnType<typeof prepareVersions>;

/** Prepares the statements that keep earlier versions of notes, at most `max` per note. */
export function prepareVersions(db: Database, max: number) {
  const selectOldest = db.prepare<{ id: number; updated_at: number }, [noteId: number, newer: number]>(
    'SELECT id, updated_at FROM note_versions WHERE note_id = ? ORDER BY updated_at DESC LIMIT 1 OFFSET ?',
  );
  const deleteOlder = db.prepare('DELETE FROM note_versions WHERE note_id = ? AND updated_at < ?');
  const put = db.prepare(
    'INSERT OR REPLACE INTO note_versions (id, note_id, title, content, category, "group", color, archived, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const columns = 'note_id AS id, title, content, category, "group", color, archived, updated_at';
  const selectNext = db.prepare<Version, [id: number, updatedAt: number]>(
    `SELECT ${columns} FROM note_versions WHERE note_id = ? AND updated_at >= ? ORDER BY updated_at LIMIT 1`,
  );

  /** The oldest version to keep, if there are `max` or more. */
  const oldestOf = (noteId: number) => selectOldest.get(noteId, max - 1);

  /**
   * Keeps a version. Overwrites the oldest one of the note if there are `max`, because deleted rows would leave space
   * that is never reused.
   */
  function keep({ id, title, content, category, group, color, archived, updated_at }: Version): void {
    if (max === 0) return;
    const oldest = oldestOf(id);
    if (oldest !== null) deleteOlder.run(id, oldest.updated_at);
    put.run(oldest?.id ?? null, id, title, content, category, group, color, archived, updated_at);
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

  return { keep, add };
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
