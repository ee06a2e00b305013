import type { Database, Statement } from 'bun:sqlite';
import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import { draftFields, type Note, type NoteDraft } from '../../domain/note.ts';
import type { IfMatch } from '../../domain/store.ts';
import type { NoteChange, Outcome, Write } from '../engine.ts';
import type { Listed } from '../list-cache.ts';
import { timestamp } from '../timestamp.ts';
import { failureOf } from './failure.ts';
import { columns, type NoteRow, noteOf } from './row.ts';

type Value = string | number;

/** What became of a write, and where the note was listed before; undefined for a new one. */
export interface Effect {
  readonly outcome: Outcome;
  readonly before?: Listed;
}

export interface Changes {
  /** Makes a write at a time, in ms since 1970, within the transaction that is open. */
  apply(write: Write, at: number): Effect;
  /**
   * Makes a note what it was when it was acknowledged, unless it is newer. Throws `unavailable` when another program
   * has stored another note under its id since.
   */
  restore(note: Note): void;
}

/** The statements that change the table. */
export function createChanges(db: Database): Changes {
  const insert = db.prepare<never, Value[]>(
    'INSERT INTO notes (title, content, category, "group", color, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const select = db.prepare<NoteRow, [number]>(`SELECT ${columns} FROM notes WHERE id = ?`);
  const updates = new Map<string, Statement<never, Value[]>>();
  const replace = db.prepare<never, Value[]>(
    `INSERT INTO notes (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET (title, content, category, "group", color, archived, updated_at)
       = (excluded.title, excluded.content, excluded.category, excluded."group", excluded.color, excluded.archived, excluded.updated_at)
     WHERE excluded.updated_at > notes.updated_at`,
  );

  function create(draft: NoteDraft, at: number): Effect {
    const { title, content, category, group, color } = draft;
    const { lastInsertRowid } = insert.run(title, content, category, group, color, at, at);
    const createdAt = timestamp(at);
    const id = Number(lastInsertRowid);
    const note = { id, title, content, category, group, color, archived: false, createdAt, updatedAt: createdAt };
    return { outcome: note };
  }

  function change(id: number, fields: NoteChange, ifMatch: IfMatch | undefined, at: number): Effect {
    const row = select.all(id)[0];
    if (row === undefined) return { outcome: new NoteError('not_found', message.noSuchNote(id)) };
    if (ifMatch !== undefined && !ifMatch.includes(timestamp(row.updated_at))) {
      return { outcome: new NoteError('conflict', message.noteChanged(id)) };
    }
    const updatedAt = Math.max(at, row.updated_at + 1);
    const touched = noteOf({ ...row, updated_at: updatedAt });
    const outcome = { ...touched, ...fields };
    const changed = changeable.filter((field) => outcome[field] !== touched[field]);
    updateOf(changed).run(...changed.map((field) => columnValue(outcome[field])), updatedAt, id);
    return { outcome, before: touched };
  }

  /** One statement for each set of columns: a column that stays as it is costs no write to an index. */
  function updateOf(fields: readonly string[]): Statement<never, Value[]> {
    const key = fields.join();
    let update = updates.get(key);
    if (update === undefined) {
      const set = fields.map((field) => `"${field}" = ?, `).join('');
      update = db.prepare<never, Value[]>(`UPDATE notes SET ${set}updated_at = ? WHERE id = ?`);
      updates.set(key, update);
    }
    return update;
  }

  function apply(write: Write, at: number): Effect {
    try {
      return write.kind === 'create' ? create(write.draft, at) : change(write.id, write.change, write.ifMatch, at);
    } catch (error) {
      const isOfNote = failureOf(error) === 'refuse' || error instanceof RangeError; // a time that is none
      if (!isOfNote) throw error;
      return { outcome: new NoteError('internal', message.refusedByStore, { outcome: 'none', cause: error }) };
    }
  }

  function restore({ id, title, content, category, group, color, archived, createdAt, updatedAt }: Note): void {
    const times = [Date.parse(createdAt), Date.parse(updatedAt)] as const;
    const row = select.all(id)[0];
    if (row !== undefined && row.created_at !== times[0]) throw new NoteError('unavailable', message.idTaken(id));
    replace.run(id, title, content, category, group, color, columnValue(archived), ...times);
  }

  return { apply, restore };
}

const changeable = [...draftFields, 'archived'] as const;

const columnValue = (value: string | boolean): Value => (typeof value === 'boolean' ? Number(value) : value);
