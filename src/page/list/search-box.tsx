import type { Note } from '../../core/note.ts';
import { copyNoteOrPromptForValues, notifyNothingCopied } from '../copy/copy-to-clipboard.ts';
import { tryClearWordsOrFilters } from '../filters/filter-actions.ts';
import {
  createComboboxAttributes,
  FilterChips,
  findRemovalOfLastFilter,
  findSuggestionAction,
  Suggestions,
  tryMoveFinishedFilters,
} from '../filters/typed-filters.tsx';
import { commandsByKey, findMoveByKey, formatTooltip } from '../keyboard/keymap.ts';
import { runRegisteredCommand } from '../keyboard/listen-to-keys.ts';
import { findOrLoadLateViews } from '../load-late-views.ts';
import { isWorkerSearching, noteAtCursor, searchedWords } from '../state/listed-notes.ts';
import { changeUrlState, cursorNoteId, editedNoteId, urlState } from '../state/navigation.ts';
import { findNoteById, listLoadState } from '../state/notes.ts';
import { announceToScreenReaders } from '../state/notifications.ts';
import { runOnceWhen } from '../state/signal-helpers.ts';
import { Icon } from '../ui/icons.tsx';
import { focusCursorRow } from '../ui/move-focus.ts';
import { maxQueryLength, openNewNoteFromSearch } from '../ui/new-note.ts';
import { moveCursorAndShowNote, moveCursorByRowsAndFocus, openNoteAndFocus } from '../ui/open-note.ts';

export function SearchBox() {
  return (
    <search>
      <label class="input search touch" for="search">
        <Icon name="search" />
        <FilterChips />
        <span class="search-field">
          <input
            id="search"
            type="search"
            placeholder="Search notes"
            aria-label="Search notes"
            aria-describedby="count"
            aria-autocomplete="list"
            {...createComboboxAttributes()}
            autocomplete="off"
            autocapitalize="off"
            autocorrect="off"
            maxLength={maxQueryLength}
            spellcheck={false}
            title={formatTooltip('search')}
            value={urlState.value.query}
            onInput={({ currentTarget }) => {
              const command = currentTarget.value.length === 1 && commandsByKey.get(currentTarget.value);
              if (command === 'palette' || command === 'help') {
                currentTarget.value = urlState.value.query;
                runRegisteredCommand(command);
              } else if (!tryMoveFinishedFilters(currentTarget))
                changeUrlState({ query: currentTarget.value }, 'typing');
            }}
            onKeyDown={handleSearchKey}
          />
          <Suggestions />
        </span>
        <kbd class="kbd kbd-sm keys max-sm:hidden">/</kbd>
      </label>
    </search>
  );
}

/**
 * Whether no key was pressed since the focus or a copy: a first `/` is the key that focuses the search, and not text.
 */
let isFirstKey = true;

const isSearchDone = () => listLoadState.value.kind === 'ready' && !isWorkerSearching.value;

/** Enter that was pressed before that, and no key since. */
let earlyEnter: KeyboardEvent | undefined;

function handleSearchKey(event: KeyboardEvent): void {
  if (event.altKey) return;
  earlyEnter = event.key === 'Enter' && !isSearchDone() ? event : undefined;
  const isOpeningSlash = isFirstKey && event.key === '/';
  isFirstKey = false;
  const usual = isOpeningSlash ? () => {} : findKeyAction(event);
  const run = earlyEnter ? () => runEnterWhenSearched(event) : usual;
  if (run === undefined) return;
  event.preventDefault();
  if (!event.repeat || findMoveByKey(event) || /^(Arrow|Page)/.test(event.key)) run();
}

/** A linked note need not be in the list: it is the one until the cursor leaves it or the list changes. */
function findOpenOrCursorNote(): Note | undefined {
  const { note } = urlState.value;
  const isAtCursor = note !== undefined && note === cursorNoteId.value && editedNoteId.value === undefined;
  return (isAtCursor ? findNoteById(note) : undefined) ?? noteAtCursor.value;
}

const runEnterWhenSearched = (event: KeyboardEvent) =>
  runOnceWhen(isSearchDone, () => {
    if (earlyEnter === event) findKeyAction(event)?.();
  });

function findKeyAction(event: KeyboardEvent): (() => void) | undefined {
  return findSuggestionAction(event) ?? findMoveOrClearAction(event) ?? findNoteAction(event);
}

function findMoveOrClearAction(event: KeyboardEvent): (() => void) | undefined {
  const { key, target } = event;
  const by = findMoveByKey(event);
  if (by === 1) return () => (noteAtCursor.value ? moveCursorAndAnnounce(1) : moveCursorByRowsAndFocus(1));
  if (by === -1) return () => moveCursorAndAnnounce(-1);
  if (key === 'PageDown') return () => moveCursorAndAnnounce(countRowsPerPage());
  if (key === 'PageUp') return () => moveCursorAndAnnounce(-countRowsPerPage());
  if (key === 'Backspace' && target instanceof HTMLInputElement) return findRemovalOfLastFilter(target);
  if (key === 'Escape') return clearSearchOrFocusRow;
  return undefined;
}

function findNoteAction(event: KeyboardEvent): (() => void) | undefined {
  const { key, shiftKey, ctrlKey, metaKey } = event;
  const note = findOpenOrCursorNote();
  if (note === undefined) return key === 'Enter' && !ctrlKey && !metaKey ? takeFirstChoice : undefined;
  if (key === 'ArrowRight') return isPlainKeyAtEnd(event) ? () => openNoteAndFocus(note) : undefined;
  if (key !== 'Enter') return undefined;
  if (ctrlKey || metaKey) return () => openNoteAndFocus(note);
  return () => {
    void copyNoteOrPromptForValues(note, shiftKey ? 'raw' : 'usual');
    selectSearchText();
  };
}

/** The next words replace these after a copy, also after a `/`. */
export function selectSearchText(): void {
  document.querySelector<HTMLInputElement>('#search')?.select();
  isFirstKey = true;
}

/** Takes the filter that an empty list offers for a word, else begins a note. */
function takeFirstChoice(): void {
  const part = findOrLoadLateViews();
  const named = part?.findNamedFilter();
  if (named) {
    part?.searchWithNamedFilter(named);
    return;
  }
  notifyNothingCopied();
  if (searchedWords.value !== '') openNewNoteFromSearch();
}

const isPlainKeyAtEnd = ({ target, repeat, shiftKey, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  !(repeat || shiftKey || ctrlKey || metaKey) &&
  target instanceof HTMLInputElement &&
  target.selectionStart === target.value.length;

/** Rows per page: the fully visible ones, less one. */
function countRowsPerPage(): number {
  const [box, row] = ['.scroller', '.row'].map((part) => document.querySelector(part)?.clientHeight ?? 0);
  return Math.max(1, Math.floor((box ?? 0) / (row || 1)) - 1);
}

/** Moves the cursor and announces its row, as the focus stays in the box. */
function moveCursorAndAnnounce(by: number): void {
  moveCursorAndShowNote(by);
  announceToScreenReaders(noteAtCursor.value?.title ?? '');
}

function clearSearchOrFocusRow(): void {
  if (!tryClearWordsOrFilters()) focusCursorRow();
}
