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

/** Makes a change of filters by a key: the focus stays in the list. */
function filter(change: () => void): void {
  flushSync(change);
  if (document.activeElement === document.body) focusRow();
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

const find = <Value extends string>(values: readonly Value[], given: string | undefined) =>
  values.find((value) => value === given);

export const listCommands = {
  search,
  down: () => moveAndFocus(1),
  up: () => moveAndFocus(-1),
  category: (value) => filter(() => toggleFilter('category', find(categories, value))),
  group: (value) => filter(() => toggleFilter('group', find(groups, value))),
  clear: () => filter(clearFilters),
} satisfies Partial<Commands>;
