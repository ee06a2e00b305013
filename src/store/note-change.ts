import { freezeAndStringifyOnce } from '../core/json/json.ts';
import type { Note } from '../core/note.ts';

/** The fields that decide in which lists a note is. */
export type ListedFields = Pick<Note, 'archived' | 'category' | 'group'>;

/**
 * A note that was written or deleted. It has the note as JSON only: thousands of recent changes are held in memory, and
 * to collect as many objects with all fields as garbage took a fifth of the processor time of updates.
 */
export interface NoteChange {
  readonly id: number;
  /** The present state of the note; undefined if it was deleted. */
  readonly json: string | undefined;
  /** Its present fields that decide in which lists it is; undefined if it was deleted. */
  readonly listed: ListedFields | undefined;
  /** The same fields before the write: undefined for a new note, `unknown` if they were not read. */
  readonly listedBefore: ListedFields | 'unknown' | undefined;
}

/** `before` is the note as it was: undefined if it is new, `unknown` if that was not read. */
export const createNoteChange = (note: Note, before: Note | 'unknown' | undefined): NoteChange => ({
  id: note.id,
  json: freezeAndStringifyOnce(note),
  listed: internListedFields(note),
  listedBefore: before === undefined || before === 'unknown' ? before : internListedFields(before),
});

export const createChangeOfDeletedId = (id: number): NoteChange => ({
  id,
  json: undefined,
  listed: undefined,
  listedBefore: 'unknown',
});

const sharedFields = new Map<string, ListedFields>();

/** Returns the same object for all notes that are in the same lists. */
function internListedFields({ archived, category, group }: ListedFields): ListedFields {
  const key = `${archived} ${category} ${group}`;
  return sharedFields.getOrInsertComputed(key, () => ({ archived, category, group }));
}
