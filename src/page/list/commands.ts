import { categories, groups } from '../../core/enums.ts';
import { choose, clearFilters, type FilterValue } from '../filters/change.ts';
import type { Commands } from '../keyboard/keymap.ts';
import { setField } from '../selection/for-selected.ts';
import { extend, hasSelection, selectAll } from '../selection/selection.ts';
import { closeDialog } from '../state/dialog.ts';
import { isCovered } from '../state/layout.ts';
import { navigate, urlState } from '../state/navigation.ts';
import { moveCursor, noteAtCursor } from '../state/results.ts';
import { flushSync, focus, focusRow, tryFocus } from '../ui/focus.ts';
import { notifyMissing } from '../ui/lazy.ts';
import { hideNote, isInNote, showNoteAtCursor } from '../ui/open-note.ts';

/** Moves the cursor, and the open note with it. */
export function moveCursorBy(by: number): void {
  moveCursor(by);
  showNoteAtCursor();
}

/** Moves the cursor and the focus with it. Without a note, downwards to what an empty list offers. */
export function moveAndFocus(by: number): void {
  moveCursorBy(by);
  if (noteAtCursor.value || by < 0 || !tryFocus('.nothing-found :is(a, button)')) focusRow();
}

/** Extends the selection and focuses its end. */
function extendBy(by: -1 | 1): void {
  extend(by);
  showNoteAtCursor();
  focusRow();
}

/** Changes filters by a key; in the list, the focus follows the cursor. */
function filter(change: () => void): void {
  flushSync(change);
  if (document.activeElement?.matches('[data-row], body')) focusRow();
}

/** Closes whatever covers the search box, focuses it and selects its text. */
function search(): void {
  flushSync(() => {
    closeDialog();
    if (isCovered.value) hideNote();
  });
  focus('#search');
  document.querySelector<HTMLInputElement>('#search')?.select();
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

/** Shows the groups as columns, or the list again. */
export const toggleBoard = () => navigate({ view: urlState.value.view === 'board' ? 'list' : 'board' });

/** Commands of the board, loaded on first use. */
const onBoard = (run: (board: typeof import('./board-commands.ts')) => void) =>
  void import('./board-commands.ts').then(run, notifyMissing);

export const listCommands = {
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
  selectDown: () => extendBy(1),
  selectUp: () => extendBy(-1),
  selectAll,
  category: chooser('category', categories),
  group: chooser('group', groups),
  clear: () => filter(clearFilters),
} satisfies Partial<Commands>;
