import { draftFields } from './enums.ts';
import type { Note, NoteDraft } from './note.ts';
import type { NoteStore } from './store.ts';

/** What an update can set, of a note or of one of its versions. */
export const draftOf = ({ title, content, category, group, color }: NoteDraft): NoteDraft => ({
  title,
  content,
  category,
  group,
  color,
});

/** The fields in which two states of a note differ, of those that make a version when they change. */
export const changedFields = (one: NoteDraft, other: NoteDraft): (typeof draftFields)[number][] =>
  draftFields.filter((field) => one[field] !== other[field]);

type Versions = Pick<NoteStore, 'history'>;

/** The version of a note that was written at a moment; undefined where its history has none. Fails with `not_found`. */
export async function versionAt(store: Versions, id: number, updatedAt: string): Promise<Note | undefined> {
  for (const limit of [1, undefined]) {
    // most often it is the newest one
    for await (const some of store.history(id, limit)) {
      const version = some.find((one) => one.updatedAt === updatedAt);
      if (version !== undefined) return version;
    }
  }
  return undefined;
}
