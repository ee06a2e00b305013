/** Commands of the board. */
import type { Note } from '../../core/note.ts';
import { notifyChanged } from '../changes/take-back.ts';
import { forSelected } from '../selection/for-selected.ts';
import { groupName } from '../state/labels/labels.ts';
import { cursor, setCursor } from '../state/navigation.ts';
import { update, writeFailureText } from '../state/notes.ts';
import { notify } from '../state/notifications.ts';
import { boardColumns, noteAtCursor } from '../state/results.ts';
import { flushSync, focusRow } from '../ui/focus.ts';
import { displayTitle } from '../ui/format.ts';
import { showNoteAtCursor } from '../ui/open-note.ts';

/** The columns left or right of the cursor, nearest first. */
function columnsBeside(by: -1 | 1) {
  const own = boardColumns.value.findIndex(({ group }) => group === noteAtCursor.value?.group);
  return by < 0 ? boardColumns.value.slice(0, own).reverse() : boardColumns.value.slice(own + 1);
}

/** Moves the cursor to the same row of the next column that has notes. */
export function moveAcross(by: -1 | 1): void {
  const { value: from } = noteAtCursor;
  const notes = columnsBeside(by).find(({ notes }) => notes.length > 0)?.notes;
  if (!from || !notes) return;
  const place = boardColumns.value.find(({ group }) => group === from.group)?.notes.indexOf(from) ?? 0;
  flushSync(() => setCursor(notes[Math.min(place, notes.length - 1)]?.id));
  showNoteAtCursor();
  focusRow();
}

/** Moves the note under the cursor, or all selected ones, to the next group. */
export function moveNote(by: -1 | 1): void {
  const { value: note } = noteAtCursor;
  const group = columnsBeside(by)[0]?.group;
  if (!note || !group) return;
  forSelected(
    (verbs, notes) => verbs.changeTo(notes, 'group', group),
    () => void moveToGroup(note, group),
  )();
}

/** Moves a note, and the cursor with it if it is still on the note. */
export async function moveToGroup(note: Note, group: Note['group']): Promise<void> {
  if (note.group === group) return;
  setCursor(note.id);
  try {
    const saved = await update(note.id, { group }, note.updatedAt);
    if (cursor.value === note.id) setCursor(note.id); // scrolls to its row in the new column
    if (document.activeElement === document.body) focusRow(); // a drag took the focus from the card that had it
    const text = `Moved to ${groupName(group)}: “${displayTitle(note)}”`;
    notifyChanged(text, [{ before: note, after: saved }], () => {
      setCursor(note.id);
      requestAnimationFrame(focusRow);
    });
  } catch (error) {
    notify(writeFailureText(`“${displayTitle(note)}” was not moved`, error), { kind: 'failure' });
  }
}
