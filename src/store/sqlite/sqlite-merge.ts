import type { Database } from 'bun:sqlite';
import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import type { Note, PortableNote } from '../../domain/note.ts';
import type { MergeOutcome } from '../../domain/store.ts';
import { hasSameFields } from '../../domain/versions.ts';
import { asStored, decideMerge, isStored, originsById, settleOrigins } from '../merge.ts';
import { columns, noteOf, replacing } from '../row.ts';
import { failureOf } from './failure.ts';
import type { StoredRow } from './row.ts';
import { ownersAmong, putOrigins } from './sqlite-origins.ts';
import type { Versions } from './sqlite-versions.ts';
import type { Written } from './sqlite-writes.ts';

export interface Merged {
  readonly outcomes: readonly MergeOutcome[];
  readonly written: readonly Written[];
  /** Whether anything was stored. */
  readonly isStored: boolean;
}

/**
 * Merges notes within the open transaction. Yields after each note, so that the caller can serve others in between.
 * Throws `internal` for a note that violates a constraint.
 */
export function* merge(
  db: Database,
  versions: Versions,
  notes: readonly PortableNote[],
): Generator<void, Merged, void> {
  try {
    return yield* mergeAll(db, versions, notes);
  } catch (error) {
    if (failureOf(error) !== 'refuse') throw error;
    throw new NoteError('internal', message.refusedByStore, { outcome: 'none', cause: error });
  }
}

function* mergeAll(db: Database, versions: Versions, notes: readonly PortableNote[]): Generator<void, Merged, void> {
  const select = db.query<StoredRow, [number]>(`SELECT ${columns}, version_id FROM notes WHERE id = ?`);
  const put = db.query(`INSERT INTO notes (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ${replacing}`);
  const written: Written[] = [];
  const byId: MergeOutcome[] = [];
  for (const note of notes) {
    yield;
    const [row] = note.id === undefined ? [] : select.all(note.id);
    const before = row && noteOf(row);
    const outcome = note.id === undefined ? 'added' : decideMerge(note, before && asStored(note, before));
    const isVersion = outcome === 'newer' && row !== undefined && versions.add(versionOf(note, row), row);
    byId.push(isVersion ? 'version' : outcome);
    if (note.id === undefined || !isStored(outcome)) continue;
    if (row !== undefined && !hasSameFields(note, row)) keepVersion(versions, row);
    put.run(note.id, ...valuesOf(note));
    written.push({ note: noteWith(note.id, note), before });
  }
  const { outcomes, indexes } = settleOrigins(notes, byId, ownersAmong(db, notes));
  // Last, so that none of them gets an id that another of the notes has.
  const newIds = new Map<number, number>();
  for (const [index, note] of notes.entries()) {
    yield;
    if (note.id !== undefined || outcomes[index] === 'taken') continue;
    const id = Number(put.run(null, ...valuesOf(note)).lastInsertRowid);
    newIds.set(index, id);
    written.push({ note: noteWith(id, note), before: undefined });
  }
  putOrigins(db, originsById(notes, indexes, newIds));
  return { outcomes, written, isStored: indexes.length > 0 || outcomes.some(isStored) };
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
