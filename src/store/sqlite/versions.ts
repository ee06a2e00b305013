import type { Database } from 'bun:sqlite';
import { draftFields, type Note } from '../../domain/note.ts';
import { maxReadChars, type VersionsRange } from '../history.ts';
import { type NoteRow, noteOf } from './row.ts';

type Version = Omit<NoteRow, 'created_at'>;

/** The statements on notes as they were before they were changed, of which at most `max` are kept for each note. */
export interface PreparedVersions {
  /** Keeps a version, and deletes the oldest of its note beyond `max`. */
  keep(version: Version): void;
  /** Keeps a version that comes from elsewhere; false where it is known, or older than all that are kept. */
  add(version: Version, current: NoteRow): boolean;
  read(range: VersionsRange): Note[];
}

export function prepareVersions(db: Database, max: number): PreparedVersions {
  const insert = db.prepare(
    'INSERT OR REPLACE INTO note_versions (note_id, title, content, category, "group", color, archived, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const trim = db.prepare(`DELETE FROM note_versions WHERE note_id = ?1 AND updated_at <=
    (SELECT updated_at FROM note_versions WHERE note_id = ?1 ORDER BY updated_at DESC LIMIT 1 OFFSET ?2)`);
  const columns = 'note_id AS id, title, content, category, "group", color, archived, updated_at';
  const selectNext = db.prepare<Version, [id: number, updatedAt: number]>(
    `SELECT ${columns} FROM note_versions WHERE note_id = ? AND updated_at >= ? ORDER BY updated_at LIMIT 1`,
  );
  const selectRange = db.prepare<NoteRow, number[]>(
    `SELECT notes.id, ${['title', 'content', 'category', '"group"', 'color', 'archived'].map((name) => `version.${name}`)},
       notes.created_at, version.updated_at
     FROM note_versions AS version JOIN notes ON notes.id = note_id
     WHERE (note_id, version.updated_at) < (?, ?) AND note_id >= ? ORDER BY note_id DESC, version.updated_at DESC LIMIT ?`,
  );

  function keep({ id, title, content, category, group, color, archived, updated_at }: Version): void {
    if (max === 0) return;
    insert.run(id, title, content, category, group, color, archived, updated_at);
    trim.run(id, max);
  }

  return {
    keep,

    add(version, current) {
      const next = selectNext.get(version.id, version.updated_at) ?? current;
      if (next.updated_at === version.updated_at || draftFields.every((field) => next[field] === version[field])) {
        return false;
      }
      keep(version);
      return selectNext.get(version.id, version.updated_at)?.updated_at === version.updated_at;
    },

    read({ end, lowestId, limit }) {
      const notes: Note[] = [];
      let chars = 0;
      for (const row of selectRange.iterate(end.id, end.updatedAt, lowestId, limit)) {
        notes.push(noteOf(row));
        chars += row.title.length + row.content.length;
        if (chars > maxReadChars) break;
      }
      return notes;
    },
  };
}
