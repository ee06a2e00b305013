import { draftFields } from '../../core/enums.ts';
import { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import {
  type CreateWrite,
  createNoteFromDraft,
  decideUpdate,
  type UpdateWrite,
  type Write,
  type WriteResult,
} from '../decide-write.ts';
import { changeableFields, columnListSql, noteColumnsSql, noteFields, toNote } from '../note-fields.ts';
import * as storeMessage from '../store-messages.ts';
import { deleteExcessVersionsSql, insertVersionsFromNotesSql, insertVersionsSql } from './postgres-versions.ts';
import { noteRecordsetSql, type PostgresNoteRow, type RecordsetRow } from './recordset.ts';

/** Selects notes in order of id: instances that lock them never wait for each other in a circle then. */
export const selectNotesSql = (ids: readonly number[]): string =>
  `SELECT ${noteColumnsSql} FROM notes WHERE id IN (${ids}) ORDER BY id`;
export const lockNotesSql = (ids: readonly number[]): string => `${selectNotesSql(ids)} FOR UPDATE`;

/** Selects and locks the notes that no other transaction has locked. */
export const lockNotesSkippingLockedSql = (ids: readonly number[]): string => `${lockNotesSql(ids)} SKIP LOCKED`;

/** Selects the ids of those notes that exist, locked or not. */
export const selectExistingIdsSql = (ids: readonly number[]): string => `SELECT id FROM notes WHERE id IN (${ids})`;

/** The columns of a draft, which are those that the user chooses. */
export const draftColumns = noteFields.filter(({ name }) => draftFields.some((field) => field === name));

const draftColumnsSql = columnListSql(draftColumns);

const insertDraftsSql = (creates: readonly CreateWrite[], now: number): string =>
  `INSERT INTO notes (${draftColumnsSql}, created_at, updated_at)
   SELECT ${draftColumnsSql}, ${now}, ${now} FROM ${noteRecordsetSql(creates.map(({ draft }) => draft))} RETURNING id`;

const assignmentsSql = changeableFields
  .map(({ column }) => `"${column}" = coalesce(note."${column}", notes."${column}")`)
  .join(', ');

/**
 * A field that did not change is NULL: a long text is neither sent nor stored again. The ids are listed a second time,
 * so that Citus queries their shards only.
 */
const updateNotesSql = (changes: readonly RecordsetRow[]): string =>
  `UPDATE notes SET ${assignmentsSql}, updated_at = note.updated_at
   FROM ${noteRecordsetSql(changes)} WHERE notes.id = note.id AND notes.id IN (${changes.map(({ id }) => id)})`;

/** Updates those notes alone that still are as they were read, at `replacedAt`. */
export const updateNotesIfUnchangedSql = (changes: readonly RecordsetRow[]): string =>
  `${updateNotesSql(changes)} AND notes.updated_at = note.replaced_at`;

/** Lists the ids of the notes that writes change, in the order in which they are locked. */
export const listChangedIds = (writes: readonly Write[]): readonly number[] =>
  [...new Set(writes.flatMap((write) => (write.kind === 'change' ? write.id : [])))].sort((a, b) => a - b);

/** The notes that a transaction has locked, and its time in ms since 1970. */
export interface LockedNotes {
  readonly rows: readonly PostgresNoteRow[];
  /** The ids of notes that another transaction has locked. */
  readonly busy: ReadonlySet<number>;
  readonly now: number;
}

/** What a batch of writes changes: decided, and not stored. */
export interface DecidedWrites {
  /** The id, the time and the changed fields of each note, and the time of the state that was read. */
  readonly changes: readonly RecordsetRow[];
  /** The ids of notes whose stored states become versions. */
  readonly storedVersionIds: readonly number[];
  /** States that existed only within the batch, and become versions. */
  readonly laterVersions: readonly Note[];
  readonly creates: readonly CreateWrite[];
  /** Returns the results of the writes, in order, with those notes as the results of `creates`. */
  readonly toWriteResults: (created: readonly Note[]) => readonly WriteResult[];
}

/** What a batch of writes stores. */
export interface BatchPlan {
  /** Each is one statement. */
  readonly statements: readonly string[];
  /** The index in `statements` of the one that returns the ids of new notes; undefined without new notes. */
  readonly insertIndex: number | undefined;
  /** Returns the results of the writes, in order. Needs the rows of that statement. */
  readonly toWriteResults: (inserted: readonly Pick<PostgresNoteRow, 'id'>[]) => readonly WriteResult[];
}

/** Decides all writes, one after the other. */
export function decideWrites(writes: readonly Write[], read: LockedNotes): DecidedWrites {
  const stored = new Map(read.rows.map((row) => [Number(row.id), toNote(row)]));
  const changed = new Map<number, Note>();
  const storedVersionIds: number[] = [];
  const laterVersions: Note[] = [];

  function decide(write: UpdateWrite): WriteResult {
    if (read.busy.has(write.id)) return new NoteError('busy', storeMessage.noteLocked);
    const former = changed.get(write.id);
    const decision = decideUpdateCatchingRangeError(former ?? stored.get(write.id), write, read.now);
    if (decision instanceof NoteError) return decision;
    changed.set(write.id, decision.note);
    if (decision.version !== undefined && former === undefined) storedVersionIds.push(write.id);
    else if (decision.version !== undefined) laterVersions.push(decision.version);
    return decision.note;
  }

  const decided = writes.map((write) => (write.kind === 'change' ? decide(write) : undefined));
  return {
    changes: [...changed.values()].map((note) => pickFieldsForUpdate(note, stored.get(note.id))),
    storedVersionIds,
    laterVersions,
    creates: writes.filter((write): write is CreateWrite => write.kind === 'create'),
    toWriteResults: (created) => {
      const left = [...created];
      return decided.flatMap((result) => result ?? left.shift() ?? []);
    },
  };
}

/** Decides all writes, one after the other, and plans how to store what they decide. */
export function decideWritesAndPlanStatements(
  writes: readonly Write[],
  locked: LockedNotes,
  maxVersions: number,
): BatchPlan {
  const { changes, storedVersionIds, laterVersions, creates, toWriteResults } = decideWrites(writes, locked);
  const versionedIds = listVersionedIds(storedVersionIds, laterVersions);
  const statements = [
    ...(maxVersions > 0 ? insertVersionsStatements(storedVersionIds, laterVersions) : []),
    ...(maxVersions > 0 && versionedIds.length > 0 ? [deleteExcessVersionsSql(versionedIds, maxVersions)] : []),
    ...(changes.length > 0 ? [updateNotesSql(changes)] : []),
    ...(creates.length > 0 ? [insertDraftsSql(creates, locked.now)] : []),
  ];
  return {
    statements,
    insertIndex: creates.length > 0 ? statements.length - 1 : undefined,
    toWriteResults: (inserted) => toWriteResults(createNotesFromDrafts(creates, inserted, locked.now)),
  };
}

/** Returns the error of a time beyond the calendar, so that other writes of the batch are not affected. */
function decideUpdateCatchingRangeError(stored: Note | undefined, write: UpdateWrite, now: number) {
  try {
    return decideUpdate(stored, write, now);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // a time beyond the calendar
    return new NoteError('internal', storeMessage.noteRejected, { outcome: 'none', cause: error });
  }
}

/**
 * Creates the statements that insert versions. Stored notes are copied within the database, without sending their
 * texts; states that existed only within the batch are sent.
 */
export const insertVersionsStatements = (storedIds: readonly number[], later: readonly Note[]): readonly string[] => [
  ...(storedIds.length > 0 ? [insertVersionsFromNotesSql(storedIds)] : []),
  ...(later.length > 0 ? [insertVersionsSql(later)] : []),
];

/** Lists the ids of the notes that get new versions. */
export const listVersionedIds = (storedIds: readonly number[], later: readonly Note[]): readonly number[] => [
  ...new Set([...storedIds, ...later.map(({ id }) => id)]),
];

/** Returns the id, the times, and the fields that differ from the stored note: what an update has to send. */
function pickFieldsForUpdate(note: Note, stored: Note | undefined): RecordsetRow {
  const fields = changeableFields.filter(({ name }) => note[name] !== stored?.[name]);
  return {
    id: note.id,
    updatedAt: note.updatedAt,
    ...(stored && { replacedAt: stored.updatedAt }),
    ...Object.fromEntries(fields.map(({ name }) => [name, note[name]])),
  };
}

/**
 * Creates notes from drafts and their ids, which rise in the order of the drafts. Throws if there are too few: a trigger
 * of another program may skip rows, and nobody knows which.
 */
export function createNotesFromDrafts(
  creates: readonly CreateWrite[],
  inserted: readonly Pick<PostgresNoteRow, 'id'>[],
  at: number,
): Note[] {
  if (inserted.length !== creates.length) throw new Error('The database stored fewer notes than it was given');
  const ids = inserted.map(({ id }) => Number(id)).sort((a, b) => a - b);
  return creates.flatMap(({ draft }, index) => {
    const id = ids[index];
    return id === undefined ? [] : createNoteFromDraft(id, draft, at);
  });
}

/** Approximate limit for the characters of notes in one transaction. */
const maxTransactionChars = 4 * 1024 * 1024;

/** Divides writes into those of one transaction each, so that none is very long. */
export function divideByLength(writes: readonly Write[]): readonly (readonly Write[])[] {
  const transactions: Write[][] = [];
  let current: Write[] = [];
  let chars = 0;
  for (const write of writes) {
    const writeChars = countChars(write);
    if (current.length > 0 && chars + writeChars > maxTransactionChars) {
      transactions.push(current);
      current = [];
      chars = 0;
    }
    current.push(write);
    chars += writeChars;
  }
  return current.length > 0 ? [...transactions, current] : transactions;
}

function countChars(write: Write): number {
  const { title = '', content = '' } = write.kind === 'create' ? write.draft : write.change;
  return title.length + content.length;
}
