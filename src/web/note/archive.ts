/** Archiving happens at once and can be undone for a while. */
import type { Note } from '../../domain/note.ts';
import { editing, isBesideList } from '../state/layout.ts';
import { cursor, go, place, putCursor } from '../state/navigation.ts';
import { failureOfWrite, noteById, setArchived } from '../state/notes.ts';
import { messages, say, take } from '../state/notifications.ts';
import { cursorAfter, noteAtCursor } from '../state/results.ts';
import { focus, focusRow } from '../ui/focus.ts';
import { shownTitle } from '../ui/format.ts';

/** Archives a note or brings it back; the cursor goes on to the next one. */
export async function archive(note: Note): Promise<void> {
  const next = cursorAfter(note.id);
  if (cursor.value === undefined || cursor.value === note.id) putCursor(next);
  const isShown = place.value.note === note.id && editing.value !== note.id;
  if (isShown) go({ note: isBesideList.value ? next : undefined }, 'replace');
  const archived = !note.archived;
  const forget = say(`${archived ? 'Archived' : 'Brought back'} “${shownTitle(note)}”`, {
    kind: 'undoable',
    action: { label: 'Undo', run: () => void undo(note.id, archived) },
  });
  if (!(await change(note.id, archived))) forget();
}

/** Undoes the last of the steps that are still offered. */
export function undoLast(): void {
  const last = messages.value.findLast(({ action }) => action?.label === 'Undo');
  if (last) take(last);
  else say('Nothing to undo', { kind: 'done' });
}

async function undo(id: number, archived: boolean): Promise<void> {
  putCursor(id);
  await change(id, !archived);
}

/** Whether it was possible. */
async function change(id: number, archived: boolean): Promise<boolean> {
  const note = noteById(id);
  if (!note) return false;
  const stored = setArchived(note, archived);
  focusCursor();
  const { value: left } = cursor;
  try {
    await stored;
    return true;
  } catch (error) {
    const text = failureOfWrite(`“${shownTitle(note)}” was not ${archived ? 'archived' : 'brought back'}`, error);
    const again = { label: 'Try again', run: () => void change(id, archived) };
    say(text, { kind: 'failure', action: again });
    if (cursor.value === left) goBackTo(note);
    return false;
  }
}

/** Nobody who has gone on meanwhile is called back. */
function goBackTo({ id }: Note): void {
  putCursor(id);
  if (document.activeElement?.matches('[data-row], #count')) focusCursor();
}

function focusCursor(): void {
  if (noteAtCursor.value) focusRow();
  else focus('#count');
}
