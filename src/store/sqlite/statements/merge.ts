import type { Database } from 'bun:sqlite';
import { NoteError } from '../../../domain/error.ts';
import * as message from '../../../domain/message.ts';
import type { PortableNote } from '../../../domain/note.ts';
import type { MergeOutcome } from '../../../domain/store.ts';
import { hasSameFields } from '../../../domain/versions.ts';
import { asStored, decideMerge, isStored, originsById, settleOrigins } from '../../merge.ts';
import { columns, noteOf, replacing } from '../../row.ts';
import { failureOf } from '../failure.ts';
import type { NoteRow } from '../row.ts';
import { ownersAmong, putOrigins } from './origins.ts';
import type { PreparedVersions } from './versions.ts';

/**
 * Merges notes within the open transaction. Returns their outcomes, and whether anything was stored. Throws `internal`
 * for a note that violates a constraint.
 */
export function merge(db: Database, versions: PreparedVersions, notes: readonly PortableNote[]) {
  try {
    return mergeAll(db, versions, notes);
  } catch (error) {
    if (failureOf(error) !== 'refuse') throw error;
    throw new NoteError('internal', message.refusedByStore, { outcome: 'none', cause: error });
  }
}

function mergeAll(db: Database, versions: PreparedVersions, notes: readonly PortableNote[]) {
  const select = db.prepare<NoteRow, [number]>(`SELECT ${columns} FROM notes WHERE id = ?`);
  const put = db.prepare(`INSERT INTO notes (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ${replacing}`);
  const byId = notes.map((note): MergeOutcome => {
    if (note.id === undefined) return 'added';
    const row = select.all(note.id)[0];
    const outcome = decideMerge(note, row && asStored(note, noteOf(row)));
    if (outcome === 'newer' && row !== undefined) return versions.add(versionOf(note, row), row) ? 'version' : 'newer';
    if (outcome === 'replaced' && row !== undefined && !hasSameFields(note, row)) versions.keep(row);
    if (isStored(outcome)) put.run(...valuesOf(note));
    return outcome;
  });
  const { outcomes, indexes } = settleOrigins(notes, byId, ownersAmong(db, notes));
  // Last, so that none of them gets an id that another of the notes has.
  const newIds = new Map<number, number>();
  for (const [index, note] of notes.entries()) {
    if (note.id !== undefined || outcomes[index] === 'taken') continue;
    newIds.set(index, Number(put.run(...valuesOf(note)).lastInsertRowid));
  }
  putOrigins(db, originsById(notes, indexes, newIds));
  return { outcomes, isStored: indexes.length > 0 || outcomes.some(isStored) };
}

const versionOf = ({ title, content, category, group, color, archived, updatedAt }: PortableNote, { id }: NoteRow) => {
  const fields = { id, title, content, category, group, color };
  return { ...fields, archived: archived ? (1 as const) : (0 as const), updated_at: Date.parse(updatedAt) };
};

function valuesOf(note: PortableNote) {
  const { id = null, title, content, category, group, color, archived, createdAt, updatedAt } = note;
  const times = [Date.parse(createdAt), Date.parse(updatedAt)] as const;
  return [id, title, content, category, group, color, Number(archived), ...times] as const;
}
