/** What each command does, whether a key, a menu, the palette or a button runs it. */
import { categories, groups } from '../core/enums.ts';
import { pickDraft } from '../core/versions.ts';
import { copyLink, copyNote, copyNothing } from './copy/copy.ts';
import { choose, clearFilters, type FilterValue } from './filters/change.ts';
import type { Commands } from './keyboard/keymap.ts';
import { archive } from './note/archive.ts';
import {
  endSelection,
  extend,
  forNotes,
  forSelected,
  hasSelection,
  selectAll,
  setField,
  toggleSelected,
} from './selection/selection.ts';
import { closeDialog, dialog, openDialog } from './state/dialog.ts';
import { isCovered, toggleBoard } from './state/layout.ts';
import { editing, urlState } from './state/navigation.ts';
import { undoLast } from './state/notifications.ts';
import { nextTheme } from './state/settings.ts';
import { flushSync, focus, focusRow, returnToList } from './ui/focus.ts';
import { notifyMissing } from './ui/lazy.ts';
import { openNew } from './ui/new-note.ts';
import {
  closeNote,
  editNote,
  hideNote,
  isInNote,
  moveAndFocus,
  openNote,
  showNoteAtCursor,
  stopEditing,
  withCurrentNote,
} from './ui/open-note.ts';

function search(): void {
  flushSync(() => {
    closeDialog();
    if (isCovered.value) hideNote();
  });
  focus('#search');
  document.querySelector<HTMLInputElement>('#search')?.select();
}

function back(): void {
  const { note } = urlState.value;
  if (dialog.value)
    closeDialog(); // it has not been loaded yet
  else if (hasSelection() && !isInNote() && !isCovered.value) endSelection();
  else if (editing.value !== undefined) stopEditing();
  else if (note === undefined) returnToList();
  else closeNote();
}

function extendBy(by: -1 | 1): void {
  extend(by);
  showNoteAtCursor();
  focusRow();
}

/** Changes filters; in the list, the focus follows the cursor. */
function filter(change: () => void): void {
  flushSync(change);
  if (document.activeElement?.matches('[data-row], body')) focusRow();
}

/** Sets the category or group of the open note or the selected ones, else filters by it. */
const chooser = (name: 'category' | 'group', values: readonly FilterValue[]) => {
  const set = setField(name);
  return (given?: string) => {
    const value = values.find((value) => value === given);
    if (isInNote() || hasSelection()) set(given);
    else if (value) filter(() => choose(name, value));
  };
};

const onBoard = (run: (board: typeof import('./list/board.tsx')) => void) =>
  void import('./list/board.tsx').then(run, notifyMissing);

export const commands: Commands = {
  search,
  down: () => moveAndFocus(1),
  up: () => moveAndFocus(-1),
  board: () => {
    flushSync(toggleBoard);
    focusRow(); // also out of a note: the arrows are for the board
  },
  left: () => onBoard((board) => board.moveAcross(-1)),
  right: () => onBoard((board) => board.moveAcross(1)),
  moveLeft: () => onBoard((board) => board.moveNote(-1)),
  moveRight: () => onBoard((board) => board.moveNote(1)),
  open: withCurrentNote(openNote),
  copy: forSelected(
    (verbs, notes) => verbs.copyAll(notes),
    withCurrentNote((note) => void copyNote(note), copyNothing),
  ),
  copyRaw: forSelected(
    (verbs, notes) => verbs.copyAll(notes, 'raw'),
    withCurrentNote((note) => void copyNote(note, 'raw')),
  ),
  link: withCurrentNote((note) => void copyLink(note)),
  category: chooser('category', categories),
  group: chooser('group', groups),
  color: setField('color'),
  clear: () => filter(clearFilters),
  palette: () => openDialog({ kind: 'palette' }),
  help: () => openDialog({ kind: 'help' }),
  theme: nextTheme,
  back,
  create: () => openNew(),
  edit: withCurrentNote(editNote),
  duplicate: withCurrentNote((note) => openNew(pickDraft(note))),
  history: withCurrentNote(({ id }) => openDialog({ kind: 'history', note: id })),
  undo: () => void undoLast(),
  select: withCurrentNote(toggleSelected),
  selectDown: () => extendBy(1),
  selectUp: () => extendBy(-1),
  selectAll,
  archive: forSelected(
    (verbs, notes) => verbs.archiveAll(notes),
    withCurrentNote((note) => void archive(note)),
  ),
  pin: forNotes((verbs, notes) => verbs.pin(notes)),
  export: forNotes((verbs, notes) => verbs.downloadNotes(notes)),
};
