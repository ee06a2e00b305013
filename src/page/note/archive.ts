import type { Note } from '../../core/note.ts';
import { isBesideList } from '../state/layout.ts';
import { cursor, editing, navigate, setCursor, urlState } from '../state/navigation.ts';
import { noteById, setArchived, writeFailureText } from '../state/notes.ts';
import { notify, notifyUndoable, undoLater } from '../state/notifications.ts';
import { cursorAfter } from '../state/results.ts';
import { focusRow, moveCursorTo } from '../ui/focus.ts';
import { asItWas, displayTitle } from '../ui/format.ts';
import { showNoteAtCursor } from '../ui/open-note.ts';

export async function archive(note: Note): Promise<void> {
  const next = cursorAfter(note.id);
  if (cursor.value === undefined || cursor.value === note.id) setCursor(next);
  const isShown = urlState.value.note === note.id && editing.value !== note.id;
  if (isShown) navigate({ note: isBesideList.value ? next : undefined }, 'replace');
  const archived = !note.archived;
  const text = `${archived ? 'Archived' : 'Brought back'} “${displayTitle(note)}”`;
  const dismiss = notifyUndoable(text, () => undoLater(undoArchiving(note, archived)));
  if (!(await setArchivedOrNotify(note.id, archived))) dismiss();
}

async function undoArchiving(before: Note, archived: boolean): Promise<void> {
  setCursor(before.id);
  notify(asItWas(before), { kind: 'done' });
  const stored = setArchivedOrNotify(before.id, !archived, before);
  showNoteAtCursor();
  await stored;
}

/** Stores the change; resolves to whether it succeeded. `before`: a former state whose position to restore. */
async function setArchivedOrNotify(id: number, archived: boolean, before?: Note): Promise<boolean> {
  const note = noteById(id);
  if (!note) return false;
  const stored = setArchived(note, archived, before);
  focusRow();
  const { value: left } = cursor;
  try {
    await stored;
    return true;
  } catch (error) {
    const text = writeFailureText(`“${displayTitle(note)}” was not ${archived ? 'archived' : 'brought back'}`, error);
    const again = { label: 'Retry', run: () => void setArchivedOrNotify(id, archived, before) };
    notify(text, { kind: 'failure', action: again });
    if (cursor.value === left) moveCursorTo(note.id);
    return false;
  }
}
