import { draftFields } from './enums.ts';
import type { Note, NoteDraft } from './note.ts';
import type { NoteStore } from './store.ts';

/** Picks the fields that an update can set. */
export const pickDraftFields = ({ title, content, category, group, color }: NoteDraft): NoteDraft => ({
  title,
  content,
  category,
  group,
  color,
});

/** The fields that differ, of those whose changes create a version. */
export const listChangedDraftFields = (one: NoteDraft, other: NoteDraft): (typeof draftFields)[number][] =>
  draftFields.filter((field) => one[field] !== other[field]);

export const hasSameDraftFields = (one: NoteDraft, other: NoteDraft): boolean =>
  draftFields.every((name) => one[name] === other[name]);

type Versions = Pick<NoteStore, 'history'>;

/** Finds the version of a note with this `updatedAt`; undefined if there is none. Fails with `not_found`. */
export async function readVersionByUpdatedAtIfAny(
  store: Versions,
  id: number,
  updatedAt: string,
): Promise<Note | undefined> {
  for (const limit of [1, undefined]) {
    // usually it is the newest one
    for await (const some of store.history(id, limit)) {
      const version = some.find((one) => one.updatedAt === updatedAt);
      if (version !== undefined) return version;
    }
  }
  return undefined;
}

/** Whether the history of a note has a version with these fields. Fails with `not_found`. */
export async function isStateInStoredHistory(store: Versions, { id, ...state }: Note): Promise<boolean> {
  for await (const some of store.history(id)) if (some.some((one) => hasSameDraftFields(one, state))) return true;
  return false;
}
