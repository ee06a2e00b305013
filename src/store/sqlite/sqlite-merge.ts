import type { Database } from 'bun:sqlite';
import { NoteError } from '../../core/error.ts';
import type { Note, Origin, PortableNote } from '../../core/note.ts';
import type { MergeResult } from '../../core/store.ts';
import { createMergeResult, decideMerge, hasId, isWritten, type Owners, storedAs } from '../decide-merge.ts';
import * as storeMessage from '../message.ts';
import { columns, noteOf, replacing } from '../row.ts';
import { failureOf } from './failure.ts';
import type { StoredRow } from './sqlite-reads.ts';
import type { Work, Written } from './sqlite-transactions.ts';
import type { Versions } from './sqlite-versions.ts';

/** Long work gives way to other requests after this time, in ms. */
const sliceMs = 10;

/**
 * Merges notes within the open transaction. Other requests are served in between. Throws `internal` for a note that
 * violates a constraint.
 */
export async function merge(
  db: Database,
  versions: Versions,
  notes: readonly PortableNote[],
): Promise<Work<readonly MergeResult[]>> {
  try {
    return await inSlices(mergeAll(db, versions, notes));
  } catch (error) {
    if (failureOf(error) !== 'refuse') throw error;
    throw new NoteError('internal', storeMessage.refusedByStore, { outcome: 'none', cause: error });
  }
}

/** Runs work to its end. Other requests run after each slice. */
async function inSlices<Result>(work: Generator<void, Result, void>): Promise<Result> {
  let step = work.next();
  for (let since = performance.now(); !step.done; step = work.next()) {
    if (performance.now() - since < sliceMs) continue;
    await new Promise(setImmediate);
    since = performance.now();
  }
  return step.value;
}

/** Yields before each note. */
function* mergeAll(
  db: Database,
  versions: Versions,
  notes: readonly PortableNote[],
): Generator<void, Work<readonly MergeResult[]>, void> {
  const select = db.query<StoredRow, [number]>(`SELECT ${columns}, version_id FROM notes WHERE id = ?`);
  const put = db.query(`INSERT INTO notes (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ${replacing}`);
  const rules = { owners: ownersAmong(db, notes), maxVersions: versions.max };
  const written: Written[] = [];
  const results: MergeResult[] = Array(notes.length);
  const origins = new Map<number, Origin>();
  let isStored = false;

  function mergeOne(note: PortableNote): MergeResult {
    const [row] = note.id === undefined ? [] : select.all(note.id);
    const before = row && noteOf(row);
    const decision = decideMerge(note, before && storedAs(note, before, () => versions.timesOf(before.id)), rules);
    if (row && decision.version === 'stored') keepVersion(versions, row);
    if (row && decision.version === 'given') versions.add(versionOf(note, row), row);
    let { id } = note;
    if (isWritten(decision)) {
      const { lastInsertRowid } = put.run(note.id ?? null, ...valuesOf(note));
      id ??= Number(lastInsertRowid);
      written.push({ note: noteWith(id, note), before });
    }
    if (decision.origin && id !== undefined) origins.set(id, decision.origin);
    isStored ||= isWritten(decision) || decision.version !== undefined || decision.origin !== undefined;
    return createMergeResult(note, decision, rules.owners, id);
  }

  // Those without an id last, so that none of them gets an id that another of the notes has.
  for (const isWithId of [true, false]) {
    for (const [index, note] of notes.entries()) {
      if (hasId(note) !== isWithId) continue;
      yield;
      results[index] = mergeOne(note);
    }
  }
  putOrigins(db, origins);
  return { result: results, written, isStored };
}

const noteWith = (id: number, { id: _, origin: __, ...note }: PortableNote): Note => ({ id, ...note });

function keepVersion(versions: Versions, row: StoredRow): void {
  const id = versions.keep(row);
  if (id !== undefined) versions.linkNote.run(id, row.id);
}

const versionOf = (
  { title, content, category, group, color, archived, updatedAt }: PortableNote,
  { id }: StoredRow,
) => {
  const fields = { id, title, content, category, group, color };
  return { ...fields, archived: archived ? (1 as const) : (0 as const), updated_at: Date.parse(updatedAt) };
};

function valuesOf({ title, content, category, group, color, archived, createdAt, updatedAt }: PortableNote) {
  const times = [Date.parse(createdAt), Date.parse(updatedAt)] as const;
  return [title, content, category, group, color, Number(archived), ...times] as const;
}

/** Returns the ids of stored notes that have the origins of these notes, by the keys of the origins. */
function ownersAmong(db: Database, notes: readonly PortableNote[]): Owners {
  const select = db.query<{ id: number }, [string]>(
    'SELECT notes.id FROM note_origins JOIN notes ON notes.id = note_id WHERE key = ? LIMIT 1',
  );
  const owners: Owners = new Map();
  for (const { origin } of notes) {
    const [row] = origin === undefined ? [] : select.all(origin.key);
    if (origin !== undefined && row !== undefined) owners.set(origin.key, row.id);
  }
  return owners;
}

function putOrigins(db: Database, origins: ReadonlyMap<number, Origin>): void {
  const put = db.query('INSERT OR REPLACE INTO note_origins (note_id, key, taken) VALUES (?, ?, ?)');
  for (const [noteId, { key, taken }] of origins) put.run(noteId, key, taken);
}
