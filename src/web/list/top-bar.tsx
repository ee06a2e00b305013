import { copyNote } from '../copy/copying.ts';
import { Icon } from '../icons.tsx';
import { act, move, nextTheme, openNote } from '../keys/actions.ts';
import { focusRow } from '../keys/focus.ts';
import { tip } from '../keys/keymap.ts';
import { dialog } from '../state/dialog.ts';
import { go, place } from '../state/navigation.ts';
import { announce } from '../state/notifications.ts';
import { noteAtCursor } from '../state/results.ts';
import { theme } from '../state/settings.ts';

export const TopBar = () => (
  <header class="top-bar">
    <h1 class="text-lg font-semibold tracking-tight max-sm:sr-only">Notes</h1>
    <SearchBox />
    <button
      type="button"
      class="btn btn-ghost btn-sm btn-square touch lg:hidden"
      aria-label="Filters"
      title="Filters"
      onClick={() => {
        dialog.value = { kind: 'filters' };
      }}
    >
      <Icon name="filter" large />
    </button>
    <button
      type="button"
      class="btn btn-primary btn-sm touch"
      title={tip('create')}
      onClick={() => act.create(undefined)}
    >
      <Icon name="plus" />
      <span class="max-sm:sr-only">New</span>
    </button>
    <button
      type="button"
      class="btn btn-ghost btn-sm btn-square touch max-sm:hidden"
      aria-label={`Theme: ${theme.value}`}
      title={tip('theme', `Theme: ${theme.value}`)}
      onClick={nextTheme}
    >
      <Icon name="theme" large />
    </button>
    <button
      type="button"
      class="btn btn-ghost btn-sm btn-square touch"
      aria-label="Keys and settings"
      title={tip('help')}
      onClick={() => act.help(undefined)}
    >
      <Icon name="help" large />
    </button>
  </header>
);

/** Longer ones would make an address that no server takes. */
const mostSearched = 1_000;

/** Finds while one types; the list is moved through, copied from and opened from inside. */
function SearchBox() {
  return (
    <search class="min-w-0 flex-1">
      <label class="input input-sm search touch">
        <Icon name="search" />
        <input
          id="search"
          type="search"
          class="min-w-0 grow"
          placeholder="Search notes"
          aria-label="Search notes"
          aria-describedby="count"
          autocomplete="off"
          maxLength={mostSearched}
          spellcheck={false}
          title={tip('search')}
          value={place.value.query}
          onInput={({ currentTarget }) => go({ query: currentTarget.value }, 'typing')}
          onKeyDown={onSearchKey}
        />
        <kbd class="kbd kbd-sm max-sm:hidden">/</kbd>
      </label>
    </search>
  );
}

function onSearchKey(event: KeyboardEvent): void {
  if (event.isComposing || event.altKey) return;
  const run = searchKey(event);
  if (run === undefined) return;
  event.preventDefault();
  if (!event.repeat || event.key.startsWith('Arrow')) run();
}

function searchKey({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): (() => void) | undefined {
  const note = noteAtCursor.value;
  if (key === 'ArrowDown') return () => moveAndTell(1);
  if (key === 'ArrowUp') return () => moveAndTell(-1);
  if (key === 'Escape') return clearOrLeave;
  if (key !== 'Enter' || note === undefined) return undefined;
  if (ctrlKey || metaKey) return () => openNote(note);
  return () => void copyNote(note, shiftKey ? 'raw' : 'filled');
}

/** The focus stays in the box, so the row is read out. */
function moveAndTell(by: number): void {
  move(by);
  announce(noteAtCursor.value?.title ?? '');
}

function clearOrLeave(): void {
  if (place.value.query !== '') go({ query: '' }, 'typing');
  else if (noteAtCursor.value) focusRow();
  else document.querySelector<HTMLElement>('#search')?.blur();
}
