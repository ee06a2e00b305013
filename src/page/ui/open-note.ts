/** The note in the detail pane: the open one, or a preview of the one under the cursor if there is room. */
import { computed, signal } from '@preact/signals';
import type { Note } from '../../core/note.ts';
import { findDraft, newFormDraftKey } from '../state/drafts.ts';
import { isBoardShown, isPaneBesideBoard, isPaneBesideList } from '../state/layout.ts';
import { moveCursorByRows, noteAtCursor, searchedWords } from '../state/listed-notes.ts';
import { changeUrlState, editedNoteId, pushFormEntry, setCursorNoteAndScroll, urlState } from '../state/navigation.ts';
import { findNoteById, listLoadState } from '../state/notes.ts';
import { runAfterPaint } from '../state/signal-helpers.ts';
import { flushSync, focusCursorRow, focusRowOrSearch, focusWhenPresent, tryFocus } from './move-focus.ts';

const hasPreviewRoom = computed(() => (isBoardShown.value ? isPaneBesideBoard : isPaneBesideList).value);

/** In characters. Longer texts may delay the next key by their layout: their preview waits for a pause of the keys. */
const longTextLength = 20_000;

const wantedPreview = computed(() =>
  hasPreviewRoom.value && listLoadState.value.kind !== 'failed' ? noteAtCursor.value : undefined,
);
const previewedNoteId = signal<number | undefined>(undefined);

/** A key that keeps the best hit is no pause: its preview would delay the next one. */
runAfterPaint(
  () => ({ note: wantedPreview.value, words: searchedWords.value }),
  () => {
    previewedNoteId.value = wantedPreview.value?.id;
  },
  ({ note }) => (note?.content.length ?? 0) > longTextLength,
);

export const shownNoteId = computed(
  () => urlState.value.note ?? (hasPreviewRoom.value ? previewedNoteId.value : undefined),
);

export const isDetailPaneShown = computed(() => shownNoteId.value !== undefined || editedNoteId.value === 'new');

export const isFocusInNote = () => document.querySelector('#detail')?.contains(document.activeElement) === true;

/** The note that commands apply to: the one in the detail pane if that has the focus, else the one under the cursor. */
export function findCurrentNote(): Note | undefined {
  const shown = shownNoteId.value === undefined ? undefined : findNoteById(shownNoteId.value);
  return isFocusInNote() ? shown : (noteAtCursor.value ?? shown);
}

export const createCurrentNoteCommand =
  (run: (note: Note) => void, otherwise = () => {}) =>
  (): void => {
    const note = findCurrentNote();
    if (note) run(note);
    else otherwise();
  };

/** In px. So much of a page stays in sight when the next one is shown. */
const keptLinePx = 40;

function setCursorAndOpenNote(note: Note): void {
  setCursorNoteAndScroll(note.id);
  changeUrlState({ note: note.id }, urlState.value.note === undefined ? 'push' : 'replace');
}

/** Makes the note open beside the list follow the cursor, unless it is being edited. An untouched new note is left. */
export function followCursorIfNoteOpen(): void {
  const { note } = urlState.value;
  if (editedNoteId.value === 'new' && !findDraft(newFormDraftKey.value)) editedNoteId.value = undefined;
  if (isPaneBesideList.value && note !== undefined && editedNoteId.value !== note) {
    changeUrlState({ note: noteAtCursor.value?.id }, 'typing');
  }
}

export function moveCursorAndShowNote(by: number): void {
  moveCursorByRows(by);
  followCursorIfNoteOpen();
}

/** Scrolls the text of the shown note, and keeps a line of what was seen. An infinite number goes to its end. */
export function scrollShownNoteByPages(pages: number): void {
  const text = document.querySelector('.detail-body');
  if (text === null) return;
  const isPaneScrolling = text.scrollHeight === text.clientHeight; // in a low window
  const box = (isPaneScrolling && text.parentElement) || text;
  const pagePx = Math.max(box.clientHeight - keptLinePx, keptLinePx);
  box.scrollTo({ top: Math.min(box.scrollTop + pages * pagePx, box.scrollHeight) });
}

/** Moves the focus too. Without a note, downwards to what an empty list offers. */
export function moveCursorByRowsAndFocus(by: number): void {
  moveCursorAndShowNote(by);
  if (noteAtCursor.value || by < 0 || !tryFocus('.nothing-found :is(a, button)')) focusCursorRow();
}

export function openNoteAndFocus(note: Note): void {
  flushSync(() => setCursorAndOpenNote(note));
  focusWhenPresent('.detail-body');
}

/** Without moving the focus. */
export function openNoteForm(note: Note): void {
  setCursorAndOpenNote(note);
  pushFormEntry();
  editedNoteId.value = note.id;
}

export function openNoteFormAndFocus(note: Note, field: 'content' | 'title' = 'content'): void {
  flushSync(() => openNoteForm(note));
  tryFocus(`#detail [name=${field}]`);
}

export function closeFormAndFocus(): void {
  const isNew = editedNoteId.value === 'new';
  flushSync(() => {
    editedNoteId.value = undefined;
  });
  if (isNew) focusRowOrSearch();
  else focusWhenPresent('.detail-body');
}

/** Closes the note without moving the focus. */
export function closeNoteKeepingFocus(): void {
  editedNoteId.value = undefined;
  changeUrlState({ note: undefined }, 'replace');
}

export function closeNoteAndFocusList(): void {
  flushSync(closeNoteKeepingFocus);
  focusRowOrSearch();
}

/** Leaves the open note for the list, or hides the preview until the cursor moves. */
export function closeNoteOrPreview(): void {
  if (urlState.value.note === undefined) previewedNoteId.value = undefined;
  else closeNoteAndFocusList();
}
