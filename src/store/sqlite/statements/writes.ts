import type { Database, Statement } from 'bun:sqlite';
import { draftFields } from '../../../domain/enums.ts';
import { NoteError } from '../../../domain/error.ts';
import * as message from '../../../domain/message.ts';
import type { Note, NoteDraft } from '../../../domain/note.ts';
import type { IfMatch } from '../../../domain/store.ts';
import type { NoteChange, Write } from '../../engine.ts';
import { columns, noteOf, timestamp } from '../../row.ts';
import { failureOf } from '../failure.ts';
import type { NoteRow } from '../row.ts';
import type { PreparedVersions } from './versions.ts';

type Value = string | number;

/** The outcome of a write; for a create only the id, as the caller knows the rest. */
export type Effect = { readonly id: number } | { readonly note: Note } | { readonly error: NoteError };

/** An effect, with the row whose content it replaced. */
type Changed = Effect & { readonly replaced?: NoteRow };

/**
 * Prepares the statements for writes within the open transaction, at a time in ms since 1970. Changed notes are kept in
 * `versions`.
 */
export function prepareWrites(db: Database, versions: PreparedVersions) {
  const insert = db.prepare<never, Value[]>(
    'INSERT INTO notes (title, content, category, "group", color, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const select = db.prepare<NoteRow, [number]>(`SELECT ${columns} FROM notes WHERE id = ?`);
  const updates = new Map<string, Statement<never, Value[]>>();

  function create(draft: NoteDraft, at: number): Effect {
    const { title, content, category, group, color } = draft;
    const id = Number(insert.run(title, content, category, group, color, at, at).lastInsertRowid);
    if (!Number.isSafeInteger(id)) throw new NoteError('unavailable', message.idsExhausted, { outcome: 'none' });
    return { id };
  }

  function change(id: number, fields: NoteChange, ifMatch: IfMatch | undefined, at: number): Changed {
    const row = select.all(id)[0];
    if (row === undefined) return { error: new NoteError('not_found', message.noSuchNote(id)) };
    if (ifMatch !== undefined && !ifMatch.includes(timestamp(row.updated_at))) {
      return { error: new NoteError('conflict', message.noteChanged(id)) };
    }
    const updatedAt = Math.max(at, row.updated_at + 1);
    const touched = noteOf({ ...row, updated_at: updatedAt });
    const note = { ...touched, ...fields };
    const changed = changeable.filter((field) => note[field] !== touched[field]);
    const values = changed.map((field) => columnValue(note[field]));
    const versionId = changed.some((field) => field !== 'archived') ? versions.nextIdOf(id) : null;
    if (versionId === null) {
      updateOf(changed).run(...values, updatedAt, id);
      return { note };
    }
    updateOf([...changed, 'version_id']).run(...values, versionId, updatedAt, id);
    return { note, replaced: row };
  }

  /** Uses a statement per set of columns, since unchanged columns then cost no index write. */
  function updateOf(fields: readonly string[]): Statement<never, Value[]> {
    return updates.getOrInsertComputed(fields.join(), () => {
      const set = fields.map((field) => `"${field}" = ?, `).join('');
      return db.prepare<never, Value[]>(`UPDATE notes SET ${set}updated_at = ? WHERE id = ?`);
    });
  }

  function tried(write: Write, at: number): Changed {
    try {
      return write.kind === 'create' ? create(write.draft, at) : change(write.id, write.change, write.ifMatch, at);
    } catch (error) {
      const isOfNote = failureOf(error) === 'refuse' || error instanceof RangeError; // an invalid time
      if (!isOfNote || !db.inTransaction) throw error; // a trigger may have rolled back earlier writes, too
      return { error: new NoteError('internal', message.refusedByStore, { outcome: 'none', cause: error }) };
    }
  }

  return (write: Write, at: number): Effect => {
    const { replaced, ...effect } = tried(write, at);
    // its errors end the transaction: no change without its version
    if (replaced !== undefined) versions.putNewest(replaced);
    return effect;
  };
}

const changeable = [...draftFields, 'archived'] as const;

const columnValue = (value: string | boolean): Value => (typeof value === 'boolean' ? Number(value) : value);
