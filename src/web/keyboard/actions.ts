/** What each command of the keymap does. Buttons do the same. */
import { categories, groups } from '../../domain/enums.ts';
import type { Note } from '../../domain/note.ts';
import { copyNote } from '../copy/copy.ts';
import { archive, undoLast } from '../note/archive.ts';
import { closeDialog, dialog } from '../state/dialog.ts';
import { editing, isBesideList, isCovered } from '../state/layout.ts';
import { go, place, putCursor } from '../state/navigation.ts';
import { noteById } from '../state/notes.ts';
import { say } from '../state/notifications.ts';
import { moveCursor, noteAtCursor } from '../state/results.ts';
import { theme } from '../state/settings.ts';
import { themes } from '../state/themes.ts';
import type { Place } from '../state/url-state.ts';
import { drawNow, focus, focusRow } from '../ui/focus.ts';
import type { Command } from './keymap.ts';

/** The note that a command is about: the open one where the focus is in it, else the one under the cursor. */
function current(): Note | undefined {
  const open = place.value.note === undefined ? undefined : noteById(place.value.note);
  return document.querySelector('#detail')?.contains(document.activeElement) ? open : (noteAtCursor.value ?? open);
}

function withCurrent(run: (note: Note) => void): () => void {
  return () => {
    const note = current();
    if (note) run(note);
  };
}

function show(note: Note): void {
  putCursor(note.id);
  go({ note: note.id });
}

export function openNote(note: Note): void {
  drawNow(() => show(note));
  focus('.detail-body');
}

export function edit(note: Note): void {
  drawNow(() => {
    show(note);
    editing.value = note.id;
  });
  focus('#detail [name=title]');
}

/** Moves the cursor; a note that is open beside the list follows it, unless it is being edited. */
export function move(by: number): void {
  moveCursor(by);
  const { note } = place.value;
  if (isBesideList.value && note !== undefined && editing.value !== note) {
    go({ note: noteAtCursor.value?.id }, 'typing');
  }
}

function moveAndFocus(by: number): void {
  move(by);
  focusRow();
}

function hide(): void {
  editing.value = undefined;
  go({ note: undefined });
}

export function closeNote(): void {
  drawNow(hide);
  focusRow();
}

export const nowhere = { query: '', category: undefined, group: undefined, archived: false } satisfies Partial<Place>;

/** Chooses a value of a filter, or none when it was chosen already. */
export function toggle<Name extends 'category' | 'group'>(name: Name, value: Place[Name]): void {
  go({ [name]: place.value[name] === value ? undefined : value });
}

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system';
  say(`Theme: ${theme.value}`, { kind: 'done' });
}

export function stopEditing(): void {
  drawNow(() => {
    editing.value = undefined;
  });
  focus('.detail-body');
}

function back(): void {
  const { note } = place.value;
  if (note === undefined) focusRow();
  else if (editing.value === note) stopEditing();
  else closeNote();
}

/** What is left for the search is kept; what the box holds is replaced by what is typed next. */
function search(): void {
  drawNow(() => {
    closeDialog();
    if (isCovered.value) hide();
  });
  focus('#search');
  document.querySelector<HTMLInputElement>('#search')?.select();
}

function create(): void {
  drawNow(() => {
    dialog.value = { kind: 'new' };
  });
  focus('dialog [name=title]');
}

export const act: Record<Command, (value: string | undefined) => void> = {
  search,
  down: () => moveAndFocus(1),
  up: () => moveAndFocus(-1),
  copy: withCurrent((note) => void copyNote(note)),
  copyRaw: withCurrent((note) => void copyNote(note, 'raw')),
  open: withCurrent(openNote),
  create,
  edit: withCurrent(edit),
  archive: withCurrent((note) => void archive(note)),
  undo: undoLast,
  category: (value) =>
    toggle(
      'category',
      categories.find((category) => category === value),
    ),
  group: (value) =>
    toggle(
      'group',
      groups.find((group) => group === value),
    ),
  clear: () => go(nowhere),
  theme: nextTheme,
  help: () => {
    dialog.value = { kind: 'help' };
  },
  back,
};
