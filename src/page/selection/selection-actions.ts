import { fieldValues, type ValueField } from '../../core/enums.ts';
import type { Note } from '../../core/note.ts';
import { maxPins } from '../../core/pins.ts';
import { listDistinctPlaceholders } from '../../core/placeholders.ts';
import { copyNotesWithPins } from '../../formats/imported-pins.ts';
import {
  type CopyMode,
  copyNoteOrPromptForValues,
  copyTextAndNotify,
  toNoteCopySource,
} from '../copy/copy-to-clipboard.ts';
import { copyWithWaitingFields } from '../editor/unsaved-drafts.tsx';
import { isPaneBesideList } from '../state/layout.ts';
import { noteAtCursor, notesInViewOrder } from '../state/listed-notes.ts';
import { changeUrlState, editedNoteId, setCursorNoteAndScroll, urlState } from '../state/navigation.ts';
import { client, sendChangedFields } from '../state/note-requests.ts';
import { notes as allNotes } from '../state/notes.ts';
import { formatMoreToUndoSuffix, notify, pushUndoStepAndNotify } from '../state/notifications.ts';
import { pinnedIdSet, shownPinIds } from '../state/pinned-ids.ts';
import { setPinnedAndSync } from '../state/sync-pins.ts';
import { capitalizeFirstLetter, formatLocalNoteCount, formatValueLabel } from '../ui/format-for-page.ts';
import { flushSync, focusCursorRow, setCursorAndFocusRow } from '../ui/move-focus.ts';
import { followCursorIfNoteOpen } from '../ui/open-note.ts';
import {
  formatTitleOrCount,
  handleWriteFailuresAndFormat,
  notifyChangesWithUndo,
  writeNotesAndShow,
  writeProgress,
} from '../write-notes.ts';
import { setSelection } from './selection.ts';

export async function toggleArchivedAndNotify(notes: readonly Note[]): Promise<void> {
  const archived = notes[0]?.archived === false;
  moveCursorOffNotes(notes);
  await writeAllAndNotify(
    notes,
    (note) => client.setArchived(note.id, archived, [note.updatedAt]),
    archived ? 'archived' : 'unarchived',
    (subject) => `${archived ? 'Archived' : 'Unarchived'} ${subject}`,
  );
}

function moveCursorOffNotes(notes: readonly Note[]): void {
  const leaving = new Set(notes);
  const { value: list } = notesInViewOrder;
  const at = noteAtCursor.value ? list.indexOf(noteAtCursor.value) : -1;
  const stays = (note: Note) => !leaving.has(note);
  const next = list.slice(Math.max(at, 0)).find(stays) ?? list.slice(0, Math.max(at, 0)).findLast(stays);
  if (list[at] && leaving.has(list[at])) setCursorAndFocusRow(next?.id);
  const { note: open } = urlState.value;
  if (open === undefined || editedNoteId.value === open || !notes.some(({ id }) => id === open)) return;
  changeUrlState({ note: isPaneBesideList.value ? next?.id : undefined }, 'replace');
}

export async function setFieldAndNotify(
  notes: readonly Note[],
  field: ValueField,
  value: string | undefined,
): Promise<void> {
  const known = fieldValues[field].find((known) => known === value);
  if (known === undefined) return;
  const others = notes.filter((note) => note[field] !== known);
  const to = `to ${field} ${formatValueLabel(known)}`;
  if (others.length === 0) notify(`Nothing to change ${to}`, { kind: 'done' });
  else {
    await writeAllAndNotify(
      others,
      (note) => sendChangedFields(note, { [field]: known }),
      `changed ${to}`,
      (subject) => `${capitalizeFirstLetter(field)} ${formatValueLabel(known)}: ${subject}`,
    );
  }
}

/** `what`: the past participle for failures, as "archived". */
async function writeAllAndNotify(
  notes: readonly Note[],
  write: (note: Note) => Promise<Note>,
  what: string,
  done: (subject: string) => string,
): Promise<void> {
  if (writeProgress.value) {
    notify('Wait until the last changes are stored', { kind: 'done' });
    return;
  }
  const { changes, failures } = await writeNotesAndShow(notes, write);
  const changed = changes.map(({ before }) => before);
  if (changes.length > 0)
    notifyChangesWithUndo(done(formatTitleOrCount(changed)), changes, () => {
      setCursorAndFocusRow(notes[0]?.id);
      followCursorIfNoteOpen();
    });
  if (failures.length > 0) {
    notify(handleWriteFailuresAndFormat(what, failures, notes.length), { kind: 'failure' });
    if (notes.length > 1) setSelection(new Set(failures.map(({ note }) => note.id)));
  }
}

/** Copies the texts as `copyNoteOrPromptForValues` does, separated by blank lines. Placeholders are not filled in. */
export async function copyNotesOrPromptForValues(notes: readonly Note[], mode: CopyMode = 'usual'): Promise<void> {
  if (notes.length === 1 && notes[0]) return copyNoteOrPromptForValues(notes[0], mode);
  const parts = notes
    .map(copyWithWaitingFields)
    .map((note) => (mode === 'raw' ? note.content : toNoteCopySource(note).text));
  const text = parts.map((part, at) => (at < parts.length - 1 ? `${part}${getMissingLineEnds(part)}` : part)).join('');
  const more = mode === 'raw' ? ' byte for byte' : countAndFormatBlanks(parts);
  await copyTextAndNotify({ text, name: formatLocalNoteCount(notes.length) + more }, text);
}

function countAndFormatBlanks(texts: readonly string[]): string {
  const blanks = texts.reduce((sum, text) => sum + listDistinctPlaceholders(text).length, 0);
  return blanks === 0 ? '' : ` with ${blanks} ${blanks === 1 ? 'blank' : 'blanks'}`;
}

/** What is missing between a text and an empty line after it. */
function getMissingLineEnds(text: string): string {
  if (/\n\r?\n$/.test(text)) return '';
  return text.endsWith('\n') ? '\n' : '\n\n';
}

export function togglePinnedAndNotify(notes: readonly Note[]): void {
  const others = notes.filter(({ id }) => !pinnedIdSet.value.has(id));
  const isPinned = others.length > 0;
  const changed = isPinned ? others : notes;
  const ids = changed.map(({ id }) => id);
  if (isPinned && pinnedIdSet.value.size + ids.length > maxPins) {
    notify(`At most ${maxPins} notes can be pinned`, { kind: 'failure' });
    return;
  }
  setPinnedAndFollowCursorNote(ids, isPinned);
  pushUndoStepAndNotify(
    `${isPinned ? 'Pinned' : 'Unpinned'} ${formatTitleOrCount(changed)}`,
    () => {
      setPinnedAndFollowCursorNote(ids, !isPinned);
      const text = `Undone: ${isPinned ? 'pin' : 'unpinning'} of ${formatTitleOrCount(changed)}`;
      notify(text + formatMoreToUndoSuffix(), { kind: 'done' });
    },
    { isHidden: () => ids.every((id) => pinnedIdSet.value.has(id) !== isPinned) },
  );
}

/** Pins or unpins notes, which moves their rows. The cursor stays on its note, and the list scrolls there. */
function setPinnedAndFollowCursorNote(ids: readonly number[], isPinned: boolean): void {
  const { value: at } = noteAtCursor;
  const isRowFocused = document.activeElement?.matches('[data-row]');
  flushSync(() => {
    setPinnedAndSync(ids, isPinned);
    setCursorNoteAndScroll(at?.id);
  });
  if (isRowFocused) focusCursorRow();
}

/** Exports all notes, with their pins. Those of a selection have none, as they may be for somebody else. */
export const exportAllNotes = () => downloadNotesAndNotify(copyNotesWithPins(allNotes.value, shownPinIds.value));

export async function downloadNotesAndNotify(notes: readonly Note[]): Promise<void> {
  if (notes.length === 0) {
    notify('There are no notes to export', { kind: 'done' });
    return;
  }
  const { downloadNotes: saveNotes } = await import('./download-notes.ts');
  notify(`Exported ${formatTitleOrCount(notes)} to ${await saveNotes(notes)}`, { kind: 'done' });
}
