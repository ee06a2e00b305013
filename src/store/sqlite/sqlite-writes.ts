import type { Database, Statement } from 'bun:sqlite';
import { draftFields } from '../../core/enums.ts';
import { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { type Decision, decideChange } from '../decide-write.ts';
import type { Change, Create, Write } from '../engine.ts';
import * as storeMessage from '../message.ts';
import { columns, newNote, noteOf } from '../row.ts';
import { failureOf } from './failure.ts';
import type { StoredRow } from './sqlite-reads.ts';
import type { Versions } from './sqlite-versions.ts';

type Value = string | number | null;

/** A stored note, and its state before, if any. */
export interface Written {
  readonly note: Note;
  readonly before: Note | undefined;
}

const changeable = [...draftFields, 'archived'] as const;

/** Prepares the statements of single writes within the open transaction. */
export function prepareWrites(db: Database, versions: Versions) {
  const insert = db.prepare<never, Value[]>(
    'INSERT INTO notes (title, content, category, "group", color, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const select = db.prepare<StoredRow, [id: number]>(`SELECT ${columns}, version_id FROM notes WHERE id = ?`);
  const updates = new Map<string, Statement<never, Value[]>>();

  function create({ draft }: Create, now: number): Written | NoteError {
    const { title, content, category, group, color } = draft;
    const id = Number(insert.run(title, content, category, group, color, now, now).lastInsertRowid);
    if (!Number.isSafeInteger(id)) throw new NoteError('unavailable', storeMessage.idsExhausted, { outcome: 'none' });
    return { note: newNote(id, draft, now), before: undefined };
  }

  function change(write: Change, now: number): Written | NoteError {
    const [row] = select.all(write.id);
    const before = row && noteOf(row);
    const decision = decideChange(before, write, now);
    if (decision instanceof NoteError) return decision;
    if (row !== undefined && before !== undefined) update(row, before, decision);
    return { note: decision.note, before };
  }

  /** Writes the columns that differ only: others cost no change of the index. */
  function update(row: StoredRow, before: Note, { note, version }: Decision): void {
    const fields = changeable.filter((field) => note[field] !== before[field]);
    const values = fields.map((field) => columnValue(note[field]));
    const versionId = version && versions.keep(row);
    if (versionId === undefined) updateOf(fields).run(...values, Date.parse(note.updatedAt), note.id);
    else updateOf([...fields, 'version_id']).run(...values, versionId, Date.parse(note.updatedAt), note.id);
  }

  function updateOf(fields: readonly string[]): Statement<never, Value[]> {
    return updates.getOrInsertComputed(fields.join(), () => {
      const set = fields.map((field) => `"${field}" = ?, `).join('');
      return db.prepare<never, Value[]>(`UPDATE notes SET ${set}updated_at = ? WHERE id = ?`);
    });
  }

  return (write: Write, now: number): Written | NoteError => {
    try {
      return write.kind === 'create' ? create(write, now) : change(write, now);
    } catch (error) {
      const isOfNote = failureOf(error) === 'refuse' || error instanceof RangeError; // a time beyond the calendar
      if (!isOfNote || !db.inTransaction) throw error; // a trigger may have rolled back earlier writes, too
      return new NoteError('internal', storeMessage.refusedByStore, { outcome: 'none', cause: error });
    }
  };
}

const columnValue = (value: string | boolean): Value => (typeof value === 'boolean' ? Number(value) : value);

/** Creates and changes a note. Throws errors of the database. To be rolled back. */
export function tryWrites(write: (write: Write, at: number) => Written | NoteError): void {
  const draft = { title: '-', content: '-', category: 'css', group: 'first', color: 'info' } as const;
  const made = write({ kind: 'create', draft }, 0);
  const outcome =
    made instanceof NoteError ? made : write({ kind: 'change', id: made.note.id, change: { title: '+' } }, 0);
  if (outcome instanceof NoteError) throw outcome.cause ?? outcome;
}
