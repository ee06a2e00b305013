import type { Database, Statement } from 'bun:sqlite';
import { draftFields } from '../../core/enums.ts';
import { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import {
  type ChangeDecision,
  type CreateWrite,
  createNoteFromDraft,
  decideUpdate,
  type UpdateWrite,
  type Write,
} from '../decide-write.ts';
import { changeableFields, noteColumnsSql, toNote } from '../note-fields.ts';
import * as storeMessage from '../store-messages.ts';
import { classifyError } from './sqlite-errors.ts';
import type { StoredRow } from './sqlite-reads.ts';
import { toColumnValue } from './sqlite-values.ts';
import type { VersionOperations } from './sqlite-versions.ts';

type Value = string | number | null;

/** A note that was written, and its state before; undefined for a new one. */
interface WrittenNote {
  readonly note: Note;
  readonly before: Note | undefined;
}

/**
 * Executes one write within the transaction that is open. Returns the error of a write that the database rejects, which
 * leaves earlier writes of the transaction as they are; throws other errors.
 */
export type ExecuteWrite = (write: Write, now: number) => WrittenNote | NoteError;

/**
 * Prepares the statements of single writes, and returns the function that executes one. Its `now` is the time of the
 * transaction, in ms since 1970.
 */
export function createWriteExecutor(db: Database, versions: VersionOperations): ExecuteWrite {
  const insertDraft = db.prepare<never, Value[]>(
    `INSERT INTO notes (${draftFields.map((field) => `"${field}"`)}, created_at, updated_at)
     VALUES (${draftFields.map(() => '?')}, ?, ?)`,
  );
  const selectNote = db.prepare<StoredRow, [id: number]>(
    `SELECT ${noteColumnsSql}, version_id FROM notes WHERE id = ?`,
  );
  const updateStatements = new Map<string, Statement<never, Value[]>>();

  function insertNote({ draft }: CreateWrite, now: number): WrittenNote {
    const { title, content, category, group, color } = draft;
    const id = Number(insertDraft.run(title, content, category, group, color, now, now).lastInsertRowid);
    if (!Number.isSafeInteger(id)) throw new NoteError('unavailable', storeMessage.idsExhausted, { outcome: 'none' });
    return { note: createNoteFromDraft(id, draft, now), before: undefined };
  }

  function changeNote(write: UpdateWrite, now: number): WrittenNote | NoteError {
    const [row] = selectNote.all(write.id);
    const before = row && toNote(row);
    const decision = decideUpdate(before, write, now);
    if (decision instanceof NoteError) return decision;
    if (row !== undefined && before !== undefined) updateChangedColumns(row, before, decision);
    return { note: decision.note, before };
  }

  /**
   * Inserts the version that was decided on, and updates only the columns that differ, which spares changes of the
   * index.
   */
  function updateChangedColumns(row: StoredRow, before: Note, { note, version }: ChangeDecision): void {
    const changed = changeableFields.filter(({ name }) => note[name] !== before[name]);
    const columns: string[] = changed.map(({ column }) => column);
    const values: Value[] = changed.map((field) => toColumnValue(field, note));
    const versionId = version && versions.insertNewestVersion(row);
    if (versionId !== undefined) {
      columns.push('version_id');
      values.push(versionId);
    }
    getUpdateStatement(columns).run(...values, Date.parse(note.updatedAt), note.id);
  }

  function getUpdateStatement(columns: readonly string[]): Statement<never, Value[]> {
    return updateStatements.getOrInsertComputed(columns.join(), () => {
      const assignments = columns.map((column) => `"${column}" = ?, `).join('');
      return db.prepare<never, Value[]>(`UPDATE notes SET ${assignments}updated_at = ? WHERE id = ?`);
    });
  }

  return (write, now) => {
    try {
      return write.kind === 'create' ? insertNote(write, now) : changeNote(write, now);
    } catch (error) {
      const isFaultOfNote = classifyError(error) === 'constraint' || error instanceof RangeError; // a time beyond the calendar
      if (!isFaultOfNote || !db.inTransaction) throw error; // a trigger may have rolled back earlier writes, too
      return new NoteError('internal', storeMessage.noteRejected, { outcome: 'none', cause: error });
    }
  };
}

/** Inserts a note and changes it. The caller rolls both back. Throws errors of the database. */
export function insertAndUpdateTrialNote(execute: ExecuteWrite): void {
  const draft = { title: '-', content: '-', category: 'css', group: 'first', color: 'info' } as const;
  const created = execute({ kind: 'create', draft }, 0);
  const outcome =
    created instanceof NoteError
      ? created
      : execute({ kind: 'change', id: created.note.id, change: { title: '+' } }, 0);
  if (outcome instanceof NoteError) throw outcome.cause ?? outcome;
}
