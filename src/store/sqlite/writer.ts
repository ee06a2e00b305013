import type { Database, Statement } from 'bun:sqlite';
import { NoteError } from '../../domain/error.ts';
import { message } from '../../domain/message.ts';
import { draftFields, type Note, type NoteDraft } from '../../domain/note.ts';
import type { IfMatch } from '../../domain/store.ts';
import type { NoteChange, Outcome, Write } from '../engine.ts';
import { failureOf } from './failure.ts';
import { columns, type NoteRow, noteOf, timestamp } from './row.ts';

type Value = string | number;

/** How long one commit may keep the event loop, in ms, before its fsync: the rest of a batch waits for the next one. */
const turnMs = 5;

/** What became of a write, and the note as it was before; undefined for a new one. */
export interface Effect {
  readonly outcome: Outcome;
  readonly before?: Note;
}

export interface Writer {
  /** Commits a non-empty prefix of the writes in one transaction, and returns when it is on disk. */
  commit(writes: readonly Write[]): readonly Effect[];
}

/** Applies writes to the table. `now` gives ms since 1970. */
export function createWriter(db: Database, now: () => number): Writer {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const end = db.prepare('COMMIT');
  const insert = db.prepare<never, Value[]>(
    'INSERT INTO notes (title, content, category, "group", color, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const select = db.prepare<NoteRow, [number]>(`SELECT ${columns} FROM notes WHERE id = ?`);
  const updates = new Map<string, Statement<never, Value[]>>();

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
    const before = noteOf(row);
    if (ifMatch !== undefined && !ifMatch.includes(before.updatedAt)) {
      return { outcome: new NoteError('conflict', message.noteChanged(id)) };
    }
    const updatedAt = Math.max(at, row.updated_at + 1);
    const after = { ...before, ...fields, updatedAt: timestamp(updatedAt) };
    const changed = changeable.filter((field) => after[field] !== before[field]);
    updateOf(changed).run(...changed.map((field) => columnValue(after[field])), updatedAt, id);
    return { outcome: after, before };
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
      if (failureOf(error) !== 'refuse') throw error;
      return { outcome: new NoteError('internal', message.refusedByStore, { cause: error }) };
    }
  }

  function commit(writes: readonly Write[]): readonly Effect[] {
    begin.run();
    try {
      const at = now();
      const until = performance.now() + turnMs;
      const effects: Effect[] = [];
      for (const write of writes) {
        effects.push(apply(write, at));
        if (performance.now() > until) break;
      }
      end.run();
      return effects;
    } catch (error) {
      if (db.inTransaction) db.run('ROLLBACK');
      throw error;
    }
  }

  return { commit };
}

const changeable = [...draftFields, 'archived'] as const;

const columnValue = (value: string | boolean): Value => (typeof value === 'boolean' ? Number(value) : value);
