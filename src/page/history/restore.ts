import type { Note } from '../../core/note.ts';
import { notifyChanged } from '../changes/take-back.ts';
import { isConflict } from '../changes/write-many.ts';
import { closeDialog } from '../state/dialog.ts';
import { patchOf } from '../state/note-fields.ts';
import { failureText, fetchNote, update, writeFailureText } from '../state/notes.ts';
import { displayTitle, formatDateTime } from '../ui/format.ts';

/** Restores a version of a note and closes the dialog. Resolves to an error message on failure. */
export async function restore(note: Note, version: Note): Promise<string | undefined> {
  try {
    const restored = await update(note.id, patchOf(version, note), note.updatedAt);
    closeDialog();
    const text = `Restored “${displayTitle(restored)}” of ${formatDateTime(version.updatedAt)}`;
    notifyChanged(`${text}. The previous text is in its history`, [{ before: note, after: restored }]);
    return undefined;
  } catch (error) {
    if (!isConflict(error)) return writeFailureText('Not restored', error);
    const newer = await fetchNote(note.id).catch(failureText);
    return typeof newer === 'string'
      ? `Not restored: ${newer}`
      : 'Not restored: the note was changed elsewhere. This is the difference from the current note';
  }
}
