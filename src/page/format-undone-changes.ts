/** Says what was undone, before whose it is: a long message is cut at its end, and there is the title. */
import type { Note } from '../core/note.ts';
import { listChangedDraftFields } from '../core/versions.ts';

type Change = Readonly<{ before: Note; after: Note }>;

/** "Undone: color of “Tea”". `subject`: the title of a note, or the number of notes. */
export const formatUndoneChanges = (changes: readonly Change[], subject: string): string =>
  `Undone: ${[...new Set(changes.flatMap(listChangedFieldNames))].join(', ')} of ${subject}`;

function listChangedFieldNames({ before, after }: Change): readonly string[] {
  if (before.archived !== after.archived) return [formatArchivingNoun(after.archived)];
  return listChangedDraftFields(before, after).map((name) => (name === 'content' ? 'text' : name));
}

export const formatArchivingNoun = (archived: boolean) => (archived ? 'archiving' : 'unarchiving');
