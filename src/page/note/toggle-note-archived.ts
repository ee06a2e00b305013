import type { Note } from '../../core/note.ts';
import { formatArchivingNoun } from '../format-undone-changes.ts';
import { isPaneBesideList } from '../state/layout.ts';
import { findNextCursorId } from '../state/listed-notes.ts';
import { changeUrlState, cursorNoteId, editedNoteId, setCursorNoteAndScroll, urlState } from '../state/navigation.ts';
import { handleWriteFailureAndFormat, showAndSetArchived } from '../state/note-requests.ts';
import { findNoteById } from '../state/notes.ts';
import { formatMoreToUndoSuffix, makeUndoWaitFor, notify, pushUndoStepAndNotify } from '../state/notifications.ts';
import { formatNoteTitle } from '../ui/format-for-page.ts';
import { focusRowOrSearch, setCursorAndFocusRow } from '../ui/move-focus.ts';
import { followCursorIfNoteOpen } from '../ui/open-note.ts';

export async function toggleNoteArchivedAndNotify(note: Note): Promise<void> {
  const next = findNextCursorId(note.id);
  if (cursorNoteId.value === undefined || cursorNoteId.value === note.id) setCursorNoteAndScroll(next);
  const isShown = urlState.value.note === note.id && editedNoteId.value !== note.id;
  if (isShown) changeUrlState({ note: isPaneBesideList.value ? next : undefined }, 'replace');
  const archived = !note.archived;
  const text = `${archived ? 'Archived' : 'Unarchived'} “${formatNoteTitle(note)}”`;
  const dismiss = pushUndoStepAndNotify(text, () => makeUndoWaitFor(undoArchivingAndNotify(note, archived)), {
    isHidden: () => findNoteById(note.id)?.archived !== archived,
  });
  if (!(await trySetArchivedOrNotify(note.id, archived))) dismiss();
}

async function undoArchivingAndNotify(before: Note, archived: boolean): Promise<void> {
  setCursorNoteAndScroll(before.id);
  const text = `Undone: ${formatArchivingNoun(archived)} of “${formatNoteTitle(before)}”`;
  notify(text + formatMoreToUndoSuffix(), { kind: 'done' });
  const stored = trySetArchivedOrNotify(before.id, !archived, before);
  followCursorIfNoteOpen();
  await stored;
}

/** Stores the change; resolves to whether it succeeded. `before`: a former state whose position to restore. */
async function trySetArchivedOrNotify(id: number, archived: boolean, before?: Note): Promise<boolean> {
  const note = findNoteById(id);
  if (!note) return false;
  const stored = showAndSetArchived(note, archived, before);
  focusRowOrSearch();
  const { value: left } = cursorNoteId;
  try {
    await stored;
    return true;
  } catch (error) {
    const text = handleWriteFailureAndFormat(
      `“${formatNoteTitle(note)}” was not ${archived ? 'archived' : 'unarchived'}`,
      error,
    );
    const again = { label: 'Retry', run: () => void trySetArchivedOrNotify(id, archived, before) };
    notify(text, { kind: 'failure', action: again });
    if (cursorNoteId.value === left) setCursorAndFocusRow(note.id);
    return false;
  }
}
