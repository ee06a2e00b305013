import type { Note } from '../../core/note.ts';
import { copyNote, copyNothing } from '../copy/copy.ts';
import {
  Chips,
  Suggestions,
  suggestionKey,
  suggestionState,
  takeFinished,
  takingOffLast,
} from '../filters/typed-filters.tsx';
import { runCommand } from '../keyboard/keyboard.ts';
import { tooltip } from '../keyboard/keymap.ts';
import { when } from '../state/effects.ts';
import { editing, navigate, urlState } from '../state/navigation.ts';
import { loading, noteById } from '../state/notes.ts';
import { announce } from '../state/notifications.ts';
import { isSearching, noteAtCursor, words } from '../state/results.ts';
import { focusRow } from '../ui/focus.ts';
import { Icon } from '../ui/icons.tsx';
import { createFromSearch } from '../ui/new-note.ts';
import { moveAndFocus, moveCursorBy, openNote } from '../ui/open-note.ts';

/** In characters. Servers refuse the URLs of longer queries. */
const maxQuery = 1_000;

export function SearchBox() {
  return (
    <search>
      <label class="input search touch" for="search">
        <Icon name="search" />
        <Chips />
        <span class="search-field">
          <input
            id="search"
            type="search"
            placeholder="Search notes"
            aria-label="Search notes"
            aria-describedby="count"
            aria-autocomplete="list"
            {...suggestionState()}
            autocomplete="off"
            autocapitalize="off"
            autocorrect="off"
            maxLength={maxQuery}
            spellcheck={false}
            title={tooltip('search')}
            value={urlState.value.query}
            onInput={({ currentTarget }) => {
              if (currentTarget.value === '>') {
                currentTarget.value = urlState.value.query;
                runCommand('palette');
              } else if (!takeFinished(currentTarget)) navigate({ query: currentTarget.value }, 'typing');
            }}
            onKeyDown={onSearchKey}
          />
          <Suggestions />
        </span>
        <kbd class="kbd kbd-sm keys max-sm:hidden">/</kbd>
      </label>
    </search>
  );
}

/** Whether no key was pressed since the focus or a copy: a first `/` is the key that focuses the search, and not text. */
let isFirst = true;

const isSearched = () => loading.value.kind === 'ready' && !isSearching.value;

/** Enter that was pressed before that, and no key since. */
let early: KeyboardEvent | undefined;

function onSearchKey(event: KeyboardEvent): void {
  if (event.altKey) return;
  early = event.key === 'Enter' && !isSearched() ? event : undefined;
  const run = early ? () => pressWhenFound(event) : isFirst && event.key === '/' ? () => {} : searchKey(event);
  isFirst = false;
  if (run === undefined) return;
  event.preventDefault();
  if (!event.repeat || /^(Arrow|Page)/.test(event.key)) run();
}

/** The note that the detail pane shows: a linked one need not be in the list. */
function noteForKeys(): Note | undefined {
  const { note } = urlState.value;
  const open = note === undefined || editing.value !== undefined ? undefined : noteById(note);
  return open ?? noteAtCursor.value;
}

const pressWhenFound = (event: KeyboardEvent) =>
  when(isSearched, () => {
    if (early === event) searchKey(event)?.();
  });

function searchKey(event: KeyboardEvent): (() => void) | undefined {
  const { key, shiftKey, ctrlKey, metaKey, target } = event;
  const suggested = suggestionKey(event);
  if (suggested) return suggested;
  const note = noteForKeys();
  if (key === 'ArrowDown') return () => (noteAtCursor.value ? moveAndAnnounce(1) : moveAndFocus(1));
  if (key === 'ArrowUp') return () => moveAndAnnounce(-1);
  if (key === 'PageDown') return () => moveAndAnnounce(rowsPerPage());
  if (key === 'PageUp') return () => moveAndAnnounce(-rowsPerPage());
  if (key === 'Backspace' && target instanceof HTMLInputElement) return takingOffLast(target);
  if (key === 'Escape') return clearOrLeave;
  if (note === undefined) return key === 'Enter' && !ctrlKey && !metaKey ? createInstead : undefined;
  if (key === 'ArrowRight') return isAtEnd(event) ? () => openNote(note) : undefined;
  if (key !== 'Enter') return undefined;
  if (ctrlKey || metaKey) return () => openNote(note);
  return () => {
    void copyNote(note, shiftKey ? 'raw' : 'usual');
    if (target instanceof HTMLInputElement) target.select(); // the next words replace these, also after a `/`
    isFirst = true;
  };
}

function createInstead(): void {
  copyNothing();
  if (words.value !== '') createFromSearch();
}

const isAtEnd = ({ target, repeat, shiftKey, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  !(repeat || shiftKey || ctrlKey || metaKey) &&
  target instanceof HTMLInputElement &&
  target.selectionStart === target.value.length;

/** Rows per page: the fully visible ones, less one. */
function rowsPerPage(): number {
  const [box, row] = ['.scroller', '.row'].map((part) => document.querySelector(part)?.clientHeight ?? 0);
  return Math.max(1, Math.floor((box ?? 0) / (row || 1)) - 1);
}

/** Moves the cursor and announces its row, as the focus stays in the box. */
function moveAndAnnounce(by: number): void {
  moveCursorBy(by);
  announce(noteAtCursor.value?.title ?? '');
}

function clearOrLeave(): void {
  if (urlState.value.query !== '') navigate({ query: '' }, 'typing');
  else focusRow();
}
