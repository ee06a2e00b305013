import type { Database } from 'bun:sqlite';
import { NoteError } from '../../core/error.ts';
import type { Note, PortableNote } from '../../core/note.ts';
import type { MergeResult } from '../../core/store.ts';
import { createNoteChange, type NoteChange } from '../note-change.ts';
import { fieldsWithoutId, noteColumnsSql, noteFields, replaceOnConflictSql, toNote } from '../note-fields.ts';
import {
  collectIdsOlderThanStored,
  collectNoteIds,
  collectOriginKeys,
  completeWithAssignedIds,
  hasAnythingToStore,
  type MergePlan,
  planMergeInSteps,
  type StoredForMerge,
  toNoteWithIdWithoutOrigin,
} from '../plan-merge.ts';
import { runInSlices } from '../run-in-slices.ts';
import * as storeMessage from '../store-messages.ts';
import type { TransactionResult } from './durable-transactions.ts';
import { classifyError } from './sqlite-errors.ts';
import type { SqliteNoteRow } from './sqlite-reads.ts';
import { raiseIdSequence } from './sqlite-settings-writes.ts';
import { toColumnValue } from './sqlite-values.ts';
import type { VersionOperations } from './sqlite-versions.ts';

interface MergeSettings {
  readonly lastId: number;
  readonly isDryRun: boolean;
  readonly maxVersions: number;
}

/**
 * Merges notes within the transaction that is open, which the caller ends. The event loop runs other requests in
 * between. Throws `internal` for a note that violates a constraint.
 */
export async function mergeNotesInOpenTransaction(
  db: Database,
  versions: VersionOperations,
  notes: readonly PortableNote[],
  { lastId, isDryRun, maxVersions }: MergeSettings,
): Promise<TransactionResult<readonly MergeResult[]>> {
  try {
    const stored = await runInSlices(readStoredForMergeInSteps(db, versions, notes));
    const plan = await runInSlices(planMergeInSteps(notes, stored, maxVersions));
    const newIds = await runInSlices(storeMergePlanInSteps(db, versions, plan));
    if (lastId > 0) raiseIdSequence(db, lastId);
    const shouldCommit = !isDryRun && (hasAnythingToStore(plan) || lastId > 0);
    const changes = shouldCommit ? await runInSlices(createMergeLogEntriesInSteps(plan, stored, newIds)) : [];
    // The ids of a dry run go to other notes.
    const { results } = completeWithAssignedIds(plan, isDryRun ? [] : newIds);
    return { result: results, shouldCommit, changes };
  } catch (error) {
    if (classifyError(error) !== 'constraint') throw error;
    throw new NoteError('internal', storeMessage.noteRejected, { outcome: 'none', cause: error });
  }
}

/** Reads what is stored of the notes, of their versions and origins, with a `yield` per query. */
function* readStoredForMergeInSteps(
  db: Database,
  versions: VersionOperations,
  notes: readonly PortableNote[],
): Generator<void, StoredForMerge, void> {
  const selectNote = db.query<SqliteNoteRow, [id: number]>(`SELECT ${noteColumnsSql} FROM notes WHERE id = ?`);
  const selectOriginOwner = db.query<{ id: number }, [key: string]>(
    'SELECT notes.id FROM note_origins JOIN notes ON notes.id = note_id WHERE key = ? LIMIT 1',
  );
  const stored = new Map<number, Note>();
  const versionTimes = new Map<number, readonly string[]>();
  const originOwners = new Map<string, number>();
  for (const id of collectNoteIds(notes)) {
    yield;
    for (const row of selectNote.all(id)) stored.set(id, toNote(row));
  }
  for (const id of collectIdsOlderThanStored(notes, stored)) {
    yield;
    versionTimes.set(id, versions.readVersionTimes(id));
  }
  for (const key of collectOriginKeys(notes)) {
    yield;
    for (const { id } of selectOriginOwner.all(key)) originOwners.set(key, id);
  }
  return { notes: stored, versionTimes, originOwners };
}

/** Stores what was planned, with a `yield` per statement. Returns the ids of the inserted notes, in order. */
function* storeMergePlanInSteps(
  db: Database,
  versions: VersionOperations,
  plan: MergePlan,
): Generator<void, readonly number[], void> {
  const replaceNote = db.query(
    `INSERT INTO notes (${noteColumnsSql}) VALUES (${noteFields.map(() => '?')}) ${replaceOnConflictSql}`,
  );
  const replaceOrigin = db.query('INSERT OR REPLACE INTO note_origins (note_id, key, taken) VALUES (?, ?, ?)');
  const newIds: number[] = [];
  for (const note of plan.written) {
    yield;
    replaceNote.run(note.id, ...toValuesWithoutId(note));
  }
  for (const version of plan.versions) {
    yield;
    versions.insertIntoChain(version);
  }
  for (const { note } of plan.inserted) {
    yield;
    newIds.push(
      Number(replaceNote.run(null, ...toValuesWithoutId(toNoteWithIdWithoutOrigin(0, note))).lastInsertRowid),
    );
  }
  for (const [noteId, { key, taken }] of completeWithAssignedIds(plan, newIds).origins) {
    yield;
    replaceOrigin.run(noteId, key, taken);
  }
  return newIds;
}

const toValuesWithoutId = (note: Note) => fieldsWithoutId.map((field) => toColumnValue(field, note));

/** Creates the changes for the change log, with a `yield` per note. */
function* createMergeLogEntriesInSteps(
  { written, inserted }: MergePlan,
  stored: StoredForMerge,
  newIds: readonly number[],
): Generator<void, readonly NoteChange[], void> {
  const changes: NoteChange[] = [];
  for (const note of written) {
    yield;
    changes.push(createNoteChange(note, stored.notes.get(note.id)));
  }
  for (const [index, { note }] of inserted.entries()) {
    yield;
    changes.push(createNoteChange(toNoteWithIdWithoutOrigin(newIds[index] ?? 0, note), undefined));
  }
  return changes;
}
