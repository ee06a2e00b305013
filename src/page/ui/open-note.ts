/** The note in the detail pane: the open one, or a preview of the one under the cursor if there is room. */
import { computed, signal } from '@preact/signals';
import type { Note } from '../../core/note.ts';
import { afterPaint } from '../state/effects.ts';
import { isBesideBoard, isBesideList, isBoard } from '../state/layout.ts';
import { editing, navigate, pushForm, setCursor, urlState } from '../state/navigation.ts';
import { loading, noteById } from '../state/notes.ts';
import { moveCursor, noteAtCursor, words } from '../state/results.ts';
import { flushSync, focus, focusRow, returnToList, tryFocus } from './focus.ts';

const hasRoom = computed(() => (isBoard.value ? isBesideBoard : isBesideList).value);

/** In characters. Longer texts may delay the next key by their layout: their preview waits for a pause of the keys. */
const longText = 20_000;

const wanted = computed(() => (hasRoom.value && loading.value.kind !== 'failed' ? noteAtCursor.value : undefined));
const previewed = signal<number | undefined>(undefined);

/** A key that keeps the best hit is no pause: its preview would delay the next one. */
afterPaint(
  () => ({ note: wanted.value, words: words.value }),
  () => {
    previewed.value = wanted.value?.id;
  },
  ({ note }) => (note?.content.length ?? 0) > longText,
);

export const shownNote = computed(() => urlState.value.note ?? (hasRoom.value ? previewed.value : undefined));

export const hasPane = computed(() => shownNote.value !== undefined || editing.value === 'new');

export const isInNote = () => document.querySelector('#detail')?.contains(document.activeElement) === true;

/** The note that commands apply to: the one in the detail pane if that has the focus, else the one under the cursor. */
export function currentNote(): Note | undefined {
  const shown = shownNote.value === undefined ? undefined : noteById(shownNote.value);
  return isInNote() ? shown : (noteAtCursor.value ?? shown);
}

export const withCurrentNote =
  (run: (note: Note) => void, otherwise = () => {}) =>
  (): void => {
    const note = currentNote();
    if (note) run(note);
    else otherwise();
  };

function show(note: Note): void {
  setCursor(note.id);
  navigate({ note: note.id }, urlState.value.note === undefined ? 'push' : 'replace');
}

/** Makes the note open beside the list follow the cursor, unless it is being edited. */
export function showNoteAtCursor(): void {
  const { note } = urlState.value;
  if (isBesideList.value && note !== undefined && editing.value !== note) {
    navigate({ note: noteAtCursor.value?.id }, 'typing');
  }
}

export function moveCursorBy(by: number): void {
  moveCursor(by);
  showNoteAtCursor();
}

/** Moves the focus too. Without a note, downwards to what an empty list offers. */
export function moveAndFocus(by: number): void {
  moveCursorBy(by);
  if (noteAtCursor.value || by < 0 || !tryFocus('.nothing-found :is(a, button)')) focusRow();
}

export function openNote(note: Note): void {
  flushSync(() => show(note));
  focus('.detail-body');
}

export function editNote(note: Note, field: 'content' | 'title' = 'content'): void {
  flushSync(() => {
    show(note);
    pushForm();
    editing.value = note.id;
  });
  tryFocus(`#detail [name=${field}]`);
}

export function stopEditing(): void {
  const isNew = editing.value === 'new';
  flushSync(() => {
    editing.value = undefined;
  });
  if (isNew) returnToList();
  else focus('.detail-body');
}

/** Closes the note without moving the focus. */
export function hideNote(): void {
  editing.value = undefined;
  navigate({ note: undefined }, 'replace');
}

export function closeNote(): void {
  flushSync(hideNote);
  returnToList();
}

/** Leaves the open note for the list, or hides the preview until the cursor moves. */
export function closePane(): void {
  if (urlState.value.note === undefined) previewed.value = undefined;
  else closeNote();
}
