/** What each command does, whether a key, a menu, the palette or a button runs it. */
import { categories, groups } from '../core/enums.ts';
import type { Note } from '../core/note.ts';
import { pickDraftFields } from '../core/versions.ts';
import { copyNoteLink, copyNoteOrPromptForValues, notifyNothingCopied } from './copy/copy-to-clipboard.ts';
import {
  clearSearchAndFilters,
  type FilterValue,
  toggleAsOnlyValue,
  tryClearWordsOrFilters,
} from './filters/filter-actions.ts';
import type { CommandActions } from './keyboard/keymap.ts';
import { findOrLoadLateViews } from './load-late-views.ts';
import {
  clearSelection,
  createFieldCommand,
  createNotesCommand,
  createSelectionCommand,
  extendSelectionAndMoveCursor,
  hasSelection,
  selectAllListed,
  toggleNoteSelection,
} from './selection/selection.ts';
import { closeDialog, dialog, openDialog } from './state/dialog.ts';
import { isListCovered, toggleBoard } from './state/layout.ts';
import { countNotesBelowCursor, noteAtCursor, notesInViewOrder } from './state/listed-notes.ts';
import { editedNoteId, urlState } from './state/navigation.ts';
import { makeUndoWaitFor, undoLastStep } from './state/notifications.ts';
import { notifyLoadFailureOnce } from './ui/lazy-parts.ts';
import { flushSync, focusCursorRow, focusRowOrSearch, focusWhenPresent } from './ui/move-focus.ts';
import { openNewNoteOrClosedDraft, openNewNoteWithFields } from './ui/new-note.ts';
import {
  closeFormAndFocus,
  closeNoteAndFocusList,
  closeNoteKeepingFocus,
  createCurrentNoteCommand,
  followCursorIfNoteOpen,
  isFocusInNote,
  moveCursorByRowsAndFocus,
  openNoteAndFocus,
  openNoteFormAndFocus,
  scrollShownNoteByPages,
} from './ui/open-note.ts';

function closeAndFocusSearch(): void {
  flushSync(() => {
    closeDialog();
    if (isListCovered.value) closeNoteKeepingFocus();
  });
  focusWhenPresent('#search');
  document.querySelector<HTMLInputElement>('#search')?.select();
}

function goBack(): void {
  const { note } = urlState.value;
  if (dialog.value)
    closeDialog(); // it has not been loaded yet
  else if (hasSelection() && !isFocusInNote() && !isListCovered.value) clearSelection();
  else if (editedNoteId.value !== undefined) closeFormAndFocus();
  else if (note !== undefined) closeNoteAndFocusList();
  else if (document.activeElement?.matches('[data-row], #count')) clearSearchAndFocusRow();
  else focusRowOrSearch();
}

function clearSearchAndFocusRow(): void {
  flushSync(() => void tryClearWordsOrFilters());
  focusRowOrSearch();
}

/**
 * Moves to the row above or below. The drafts are above the first note: their rows have the focus and no cursor, as
 * commands are for notes.
 */
function moveAcrossDraftsAndNotes(by: -1 | 1): void {
  const drafts = [...document.querySelectorAll<HTMLElement>('.draft-row .row-link')];
  const at = drafts.findIndex((draft) => draft.parentElement?.contains(document.activeElement));
  const isAboveNotes = at >= 0 || (by < 0 && isFirstRowFocused());
  const next = at < 0 ? drafts.at(-1) : drafts[Math.max(at + by, 0)];
  if (isAboveNotes && next) next.focus();
  else moveCursorByRowsAndFocus(at < 0 ? by : Number.NEGATIVE_INFINITY);
}

const isFirstRowFocused = () =>
  noteAtCursor.value === notesInViewOrder.value[0] && document.activeElement?.matches('[data-row], #count');

/** Moves to the last note of the list or of a column of the board; in a note, to the end of its text. */
function moveToEnd(): void {
  if (isFocusInNote() || isListCovered.value) scrollShownNoteByPages(Number.POSITIVE_INFINITY);
  else moveCursorByRowsAndFocus(countNotesBelowCursor());
}

function extendSelectionAndFocus(by: -1 | 1): void {
  extendSelectionAndMoveCursor(by);
  followCursorIfNoteOpen();
  focusCursorRow();
}

/** Changes filters; in the list, the focus follows the cursor. */
function filterAndFocusRow(change: () => void): void {
  flushSync(change);
  if (document.activeElement?.matches('[data-row], body')) focusCursorRow();
}

/** Sets the category or group of the open note or the selected ones, else filters by it. */
const createValueCommand = (name: 'category' | 'group', values: readonly FilterValue[]) => {
  const set = createFieldCommand(name);
  return (given?: string) => {
    const value = values.find((value) => value === given);
    if (isFocusInNote() || hasSelection()) set(given);
    else if (value) filterAndFocusRow(() => toggleAsOnlyValue(name, value));
  };
};

const loadAndRunOnBoard = (run: (board: typeof import('./list/board.tsx')) => void) =>
  void import('./list/board.tsx').then(run, notifyLoadFailureOnce);

/** At once if its part is loaded: the next key is for the next note. */
function archiveNoteWhenLoaded(note: Note): void {
  const part = findOrLoadLateViews();
  if (part) void part.archive(note);
  else makeUndoWaitFor(import('./late-views.tsx').then((part) => void part.archive(note), notifyLoadFailureOnce));
}

export const commands: CommandActions = {
  search: closeAndFocusSearch,
  down: () => moveAcrossDraftsAndNotes(1),
  up: () => moveAcrossDraftsAndNotes(-1),
  last: moveToEnd,
  scrollDown: () => scrollShownNoteByPages(1),
  scrollUp: () => scrollShownNoteByPages(-1),
  board: () => {
    flushSync(toggleBoard);
    focusCursorRow(); // also out of a note: the arrows are for the board
  },
  left: () => loadAndRunOnBoard((board) => board.moveCursorAcross(-1)),
  right: () => loadAndRunOnBoard((board) => board.moveCursorAcross(1)),
  moveLeft: () => loadAndRunOnBoard((board) => board.moveNotesAcross(-1)),
  moveRight: () => loadAndRunOnBoard((board) => board.moveNotesAcross(1)),
  open: createCurrentNoteCommand(openNoteAndFocus),
  copy: createSelectionCommand(
    (verbs, notes) => verbs.copyNotesOrPromptForValues(notes),
    createCurrentNoteCommand((note) => void copyNoteOrPromptForValues(note), notifyNothingCopied),
  ),
  copyRaw: createSelectionCommand(
    (verbs, notes) => verbs.copyNotesOrPromptForValues(notes, 'raw'),
    createCurrentNoteCommand((note) => void copyNoteOrPromptForValues(note, 'raw')),
  ),
  nextMatch: () => findOrLoadLateViews()?.goToMatch(1),
  previousMatch: () => findOrLoadLateViews()?.goToMatch(-1),
  nextHeading: () => findOrLoadLateViews()?.goToHeading(1),
  previousHeading: () => findOrLoadLateViews()?.goToHeading(-1),
  link: createCurrentNoteCommand((note) => void copyNoteLink(note)),
  category: createValueCommand('category', categories),
  group: createValueCommand('group', groups),
  color: createFieldCommand('color'),
  clear: () => filterAndFocusRow(clearSearchAndFilters),
  palette: () => openDialog({ kind: 'palette' }),
  help: () => openDialog({ kind: 'help' }),
  back: goBack,
  create: openNewNoteOrClosedDraft,
  edit: createCurrentNoteCommand(openNoteFormAndFocus),
  duplicate: createCurrentNoteCommand((note) => openNewNoteWithFields(pickDraftFields(note))),
  history: createCurrentNoteCommand(({ id }) => openDialog({ kind: 'history', note: id })),
  undo: () => void undoLastStep(),
  select: createCurrentNoteCommand(toggleNoteSelection),
  selectDown: () => extendSelectionAndFocus(1),
  selectUp: () => extendSelectionAndFocus(-1),
  selectAll: selectAllListed,
  archive: createSelectionCommand(
    (verbs, notes) => verbs.toggleArchivedAndNotify(notes),
    createCurrentNoteCommand(archiveNoteWhenLoaded),
  ),
  pin: createNotesCommand((verbs, notes) => verbs.togglePinnedAndNotify(notes)),
  export: createNotesCommand((verbs, notes) => verbs.downloadNotesAndNotify(notes)),
};
