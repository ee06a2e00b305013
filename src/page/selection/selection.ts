import { effect, signal } from '@preact/signals';
import type { ValueField } from '../../core/enums.ts';
import type { Note } from '../../core/note.ts';
import { isListCovered } from '../state/layout.ts';
import { listedNotes, moveCursorByRows, noteAtCursor, notesInViewOrder } from '../state/listed-notes.ts';
import { urlState } from '../state/navigation.ts';
import { announceToScreenReaders, makeUndoWaitFor } from '../state/notifications.ts';
import { notifyLoadFailureOnce } from '../ui/lazy-parts.ts';
import { findCurrentNote, isFocusInNote } from '../ui/open-note.ts';

type NoteIds = ReadonlySet<Note['id']>;

export const selectedIds = signal<NoteIds>(new Set());

/** Whether a tap on a row selects it, for touch screens without Ctrl. */
export const doesTapSelect = signal(false);

export const hasSelection = () => selectedIds.value.size > 0;

/** The selected ids outside of the range between `anchor` and `lead`. */
let idsOutsideRange: NoteIds = new Set();
let rangeAnchorId: number | undefined;
let rangeLeadId: number | undefined;

export function setSelection(ids: NoteIds): void {
  idsOutsideRange = ids;
  rangeAnchorId = undefined;
  setSelectedIdsAndAnnounce(ids);
}

/** Without any, taps open notes again. */
function setSelectedIdsAndAnnounce(ids: NoteIds): void {
  selectedIds.value = ids;
  doesTapSelect.value &&= ids.size > 0;
  announceToScreenReaders(`${ids.size} selected`);
}

export const clearSelection = () => setSelection(new Set());

export const selectAllListed = () => setSelection(new Set(listedNotes.value.map(({ id }) => id)));

export function toggleNoteSelection({ id }: Pick<Note, 'id'>): void {
  const next = new Set(selectedIds.value);
  if (!next.delete(id)) next.add(id);
  setSelection(next);
  rangeAnchorId = rangeLeadId = id;
}

function selectRangeTo(id: number): void {
  const ids = notesInViewOrder.value.map((note) => note.id);
  const ends = [ids.indexOf(rangeAnchorId ?? id), ids.indexOf(id)];
  rangeLeadId = id;
  setSelectedIdsAndAnnounce(new Set([...idsOutsideRange, ...ids.slice(Math.min(...ends), Math.max(...ends) + 1)]));
}

export function extendSelectionAndMoveCursor(by: -1 | 1): void {
  const from = noteAtCursor.value?.id;
  if (rangeAnchorId === undefined || from !== rangeLeadId) {
    idsOutsideRange = selectedIds.value;
    rangeAnchorId = from;
  }
  moveCursorByRows(by);
  if (noteAtCursor.value) selectRangeTo(noteAtCursor.value.id);
}

/** Handles a selecting click: Ctrl toggles a note, Shift selects a range. Returns whether it was one. */
export function trySelectByClick(event: MouseEvent, note: Note): boolean {
  const { ctrlKey, metaKey, shiftKey } = event;
  if (!(ctrlKey || metaKey || shiftKey || doesTapSelect.value)) return false;
  event.preventDefault();
  if (shiftKey) {
    rangeAnchorId ??= urlState.value.note;
    selectRangeTo(note.id);
  } else toggleNoteSelection(note);
  return true;
}

// deselects notes that left the list
effect(() => {
  const left = selectedIds.value;
  if (left.size === 0) return;
  const kept = listedNotes.value.filter(({ id }) => left.has(id));
  if (kept.length < left.size) setSelection(new Set(kept.map(({ id }) => id)));
});

/** The selected notes in list order; none while the focus is in an open note, which commands then apply to. */
export const listSelectedNotes = (): readonly Note[] =>
  selectedIds.value.size === 0 || isListCovered.value || isFocusInNote()
    ? []
    : notesInViewOrder.value.filter(({ id }) => selectedIds.value.has(id));

type SelectionAction = (
  verbs: typeof import('./selection-actions.ts'),
  notes: readonly Note[],
  value: string | undefined,
) => unknown;

const runSelectionAction = (verb: SelectionAction, notes: readonly Note[], value?: string) =>
  makeUndoWaitFor(import('../late-views.tsx').then(({ verbs }) => verb(verbs, notes, value), notifyLoadFailureOnce));

export const createSelectionCommand =
  (verb: SelectionAction, otherwise: (value: string | undefined) => void = () => {}) =>
  (value?: string): void => {
    const notes = listSelectedNotes();
    if (notes.length > 0) runSelectionAction(verb, notes, value);
    else otherwise(value);
  };

export const createNotesCommand = (verb: SelectionAction) =>
  createSelectionCommand(verb, (value) => {
    const note = findCurrentNote();
    if (note) runSelectionAction(verb, [note], value);
  });

export const createFieldCommand = (field: ValueField) =>
  createNotesCommand((verbs, notes, value) => verbs.setFieldAndNotify(notes, field, value));
