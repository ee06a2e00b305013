import { categories, groups } from '../../domain/enums.ts';
import { choose, clearFilters, type FilterValue, type ListName } from '../filters/change.ts';
import type { Commands } from '../keyboard/keymap.ts';
import { closeDialog } from '../state/dialog.ts';
import { editing, isBesideList, isCovered } from '../state/layout.ts';
import { navigate, urlState } from '../state/navigation.ts';
import { moveCursor, noteAtCursor } from '../state/results.ts';
import { flushSync, focus, focusRow } from '../ui/focus.ts';
import { hideNote } from '../ui/open-note.ts';

/** Moves the cursor; a note that is open beside the list follows it, unless it is being edited. */
export function moveCursorBy(by: number): void {
  moveCursor(by);
  const { note } = urlState.value;
  if (isBesideList.value && note !== undefined && editing.value !== note) {
    navigate({ note: noteAtCursor.value?.id }, 'typing');
  }
}

/** Moves the cursor and the focus with it. */
export function moveAndFocus(by: number): void {
  moveCursorBy(by);
  focusRow();
}

/** Focuses the search box and selects its text. Closes what covers it. */
function search(): void {
  flushSync(() => {
    closeDialog();
    if (isCovered.value) hideNote();
  });
  focus('#search');
  document.querySelector<HTMLInputElement>('#search')?.select();
}

function chooseKnown(name: ListName, given: string | undefined, values: readonly FilterValue[]): void {
  const value = values.find((value) => value === given);
  if (value) choose(name, value);
}

export const listCommands = {
  search,
  down: () => moveAndFocus(1),
  up: () => moveAndFocus(-1),
  category: (value) => chooseKnown('category', value, categories),
  group: (value) => chooseKnown('group', value, groups),
  clear: clearFilters,
} satisfies Partial<Commands>;
