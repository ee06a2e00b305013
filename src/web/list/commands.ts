import { categories, groups } from '../../domain/enums.ts';
import type { Commands } from '../keyboard/keymap.ts';
import { closeDialog } from '../state/dialog.ts';
import { editing, isBesideList, isCovered } from '../state/layout.ts';
import { navigate, urlState } from '../state/navigation.ts';
import { moveCursor, noteAtCursor } from '../state/results.ts';
import type { UrlState } from '../state/url-state.ts';
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

/** Clears search and filters. */
export const clearFilters = () => navigate({ query: '', category: undefined, group: undefined, archived: false });

/** Chooses a value of a filter, or none when it was chosen already. */
export function toggleFilter<Name extends 'category' | 'group'>(name: Name, value: UrlState[Name]): void {
  navigate({ [name]: urlState.value[name] === value ? undefined : value });
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

export const listCommands = {
  search,
  down: () => moveAndFocus(1),
  up: () => moveAndFocus(-1),
  category: (value) =>
    toggleFilter(
      'category',
      categories.find((category) => category === value),
    ),
  group: (value) =>
    toggleFilter(
      'group',
      groups.find((group) => group === value),
    ),
  clear: clearFilters,
} satisfies Partial<Commands>;
