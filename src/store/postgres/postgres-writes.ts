import { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { changedFields } from '../../core/versions.ts';
import { type Create, decideChange, newNote, type Outcome, type UpdateWrite, type Write } from '../decide-write.ts';
import * as storeMessage from '../message.ts';
import { columns, noteOf } from '../row.ts';
import { insertVersions, keepStored, trimVersions } from './postgres-versions.ts';
import { type NoteRow, recordsOf } from './row.ts';

/** In order of id, so that instances that lock notes never wait for each other in a circle. */
export const selectNotes = (ids: readonly number[]) => `SELECT ${columns} FROM notes WHERE id IN (${ids}) ORDER BY id`;
export const lockNotes = (ids: readonly number[]) => `${selectNotes(ids)} FOR UPDATE`;

/** Locks those that nobody else has locked; the second statement tells which ones there are. */
export const lockFreeNotes = (ids: readonly number[]) =>
  `${lockNotes(ids)} SKIP LOCKED; SELECT id FROM notes WHERE id IN (${ids})`;

const insertNotes = (drafts: readonly Create[], now: number) =>
  `INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
   SELECT title, content, category, "group", color, ${now}, ${now}
   FROM ${recordsOf(drafts.map(({ draft }) => draft))} RETURNING id`;

/**
 * A field that did not change is NULL: a long text is neither sent nor stored again. The ids stand there twice, so that
 * Citus asks their shards only.
 */
const updateNotes = (changes: readonly Partial<Note>[]) =>
  `UPDATE notes SET title = coalesce(note.title, notes.title), content = coalesce(note.content, notes.content),
     category = coalesce(note.category, notes.category), "group" = coalesce(note."group", notes."group"),
     color = coalesce(note.color, notes.color), archived = coalesce(note.archived, notes.archived),
     updated_at = note.updated_at
   FROM ${recordsOf(changes)} WHERE notes.id = note.id AND notes.id IN (${changes.map(({ id }) => id)})`;

export const writtenIds = (writes: readonly Write[]): readonly number[] =>
  [...new Set(writes.flatMap((write) => (write.kind === 'change' ? write.id : [])))].sort((a, b) => a - b);

/** What a transaction has locked, and its time in ms since 1970. */
export interface Locked {
  readonly rows: readonly NoteRow[];
  /** The ids of notes that another transaction has locked. */
  readonly busy: ReadonlySet<number>;
  readonly now: number;
}

/**
 * Decides all writes, one after the other. Returns the statements that store what they decide, and a function that makes
 * the outcomes of the rows that these return.
 */
export function decideWrites(writes: readonly Write[], { rows, busy, now }: Locked, maxVersions: number) {
  const stored = new Map(rows.map((row) => [Number(row.id), row]));
  const current = new Map<number, Note>();
  const keptIds: number[] = [];
  const versions: Note[] = [];
  const decided = writes.map((write): Outcome | undefined => {
    if (write.kind === 'create') return undefined;
    if (busy.has(write.id)) return new NoteError('busy', storeMessage.noteLocked);
    try {
      const row = stored.get(write.id);
      const changed = current.get(write.id);
      const decision = decideChange(changed ?? (row && noteOf(row)), write, now);
      if (decision instanceof NoteError) return decision;
      current.set(write.id, decision.note);
      if (decision.version !== undefined && changed === undefined) keptIds.push(write.id);
      else if (decision.version !== undefined) versions.push(decision.version);
      return decision.note;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error; // a time beyond the calendar
      return new NoteError('internal', storeMessage.refusedByStore, { outcome: 'none', cause: error });
    }
  });
  const creates = writes.filter((write): write is Create => write.kind === 'create');
  const changes = [...current.values()].map((note) => changeOf(note, stored.get(note.id)));
  const statements = [
    ...(maxVersions > 0 ? versionStatements(keptIds, versions, maxVersions) : []),
    ...(changes.length > 0 ? [updateNotes(changes)] : []),
    ...(creates.length > 0 ? [insertNotes(creates, now)] : []),
  ];
  const outcomes = (made: readonly Pick<NoteRow, 'id'>[]): readonly Outcome[] => {
    const ids = made.map(({ id }) => Number(id)).sort((a, b) => a - b);
    const created = creates.map(({ draft }, index) => newNote(ids[index] ?? 0, draft, now));
    return decided.map((outcome) => outcome ?? created.shift() ?? noOutcome());
  };
  return { statements, outcomes };
}

/** Keeps stored notes where they are, without sending their texts, and states in between from here. */
function versionStatements(keptIds: readonly number[], between: readonly Note[], max: number): readonly string[] {
  const ids = [...new Set([...keptIds, ...between.map(({ id }) => id)])];
  return [
    ...(keptIds.length > 0 ? [keepStored(keptIds)] : []),
    ...(between.length > 0 ? [insertVersions(recordsOf(between))] : []),
    ...(ids.length > 0 ? [trimVersions(ids, max)] : []),
  ];
}

function changeOf(note: Note, row: NoteRow | undefined): Partial<Note> {
  const { id, updatedAt, archived } = note;
  const fields = row === undefined ? [] : changedFields(note, row);
  return { id, updatedAt, archived, ...Object.fromEntries(fields.map((field) => [field, note[field]])) };
}

function noOutcome(): never {
  throw new Error('The database stored fewer notes than it was given');
}

/** Approximate limit for the characters of notes in one transaction. */
const maxLength = 4 * 1024 * 1024;

/** Divides writes into those of a transaction each. On a table that is spread over shards, each note has its own. */
export function transactionsOf(writes: readonly Write[], isSpread: boolean): readonly (readonly Write[])[] {
  if (isSpread) {
    const changes = writes.filter((write): write is UpdateWrite => write.kind === 'change');
    const creates = writes.filter((write) => write.kind === 'create');
    return [...creates.map((write) => [write]), ...Map.groupBy(changes, ({ id }) => id).values()];
  }
  const parts: Write[][] = [[]];
  let length = 0;
  for (const write of writes) {
    const { title = '', content = '' } = write.kind === 'create' ? write.draft : write.change;
    length += title.length + content.length;
    const last = parts.at(-1);
    if (last === undefined || (length > maxLength && last.length > 0)) {
      parts.push([write]);
      length = title.length + content.length;
    } else last.push(write);
  }
  return parts;
}
