import { effect, signal } from '@preact/signals';
import type { ValueField } from '../../core/enums.ts';
import type { Note } from '../../core/note.ts';
import { isCovered } from '../state/layout.ts';
import { urlState } from '../state/navigation.ts';
import { announce, undoLater } from '../state/notifications.ts';
import { moveCursor, noteAtCursor, ordered, results } from '../state/results.ts';
import { notifyMissing } from '../ui/lazy.ts';
import { currentNote, isInNote } from '../ui/open-note.ts';

type Ids = ReadonlySet<Note['id']>;

export const selected = signal<Ids>(new Set());

/** Whether a tap on a row selects it, for touch screens without Ctrl. */
export const isSelecting = signal(false);

export const hasSelection = () => selected.value.size > 0;

/** The selected ids outside of the range between `anchor` and `lead`. */
let others: Ids = new Set();
let anchor: number | undefined;
let lead: number | undefined;

export function select(ids: Ids): void {
  others = ids;
  anchor = undefined;
  show(ids);
}

/** Without any, taps open notes again. */
function show(ids: Ids): void {
  selected.value = ids;
  isSelecting.value &&= ids.size > 0;
  announce(`${ids.size} selected`);
}

export const endSelection = () => select(new Set());

export const selectAll = () => select(new Set(results.value.map(({ id }) => id)));

export function toggleSelected({ id }: Pick<Note, 'id'>): void {
  const next = new Set(selected.value);
  if (!next.delete(id)) next.add(id);
  select(next);
  anchor = lead = id;
}

function selectTo(id: number): void {
  const ids = ordered.value.map((note) => note.id);
  const ends = [ids.indexOf(anchor ?? id), ids.indexOf(id)];
  lead = id;
  show(new Set([...others, ...ids.slice(Math.min(...ends), Math.max(...ends) + 1)]));
}

export function extend(by: -1 | 1): void {
  const from = noteAtCursor.value?.id;
  if (anchor === undefined || from !== lead) {
    others = selected.value;
    anchor = from;
  }
  moveCursor(by);
  if (noteAtCursor.value) selectTo(noteAtCursor.value.id);
}

/** Handles a selecting click: Ctrl toggles a note, Shift selects a range. Returns whether it was one. */
export function selectsByClick(event: MouseEvent, note: Note): boolean {
  const { ctrlKey, metaKey, shiftKey } = event;
  if (!(ctrlKey || metaKey || shiftKey || isSelecting.value)) return false;
  event.preventDefault();
  if (shiftKey) {
    anchor ??= urlState.value.note;
    selectTo(note.id);
  } else toggleSelected(note);
  return true;
}

// deselects notes that left the list
effect(() => {
  const left = selected.value;
  if (left.size === 0) return;
  const kept = results.value.filter(({ id }) => left.has(id));
  if (kept.length < left.size) select(new Set(kept.map(({ id }) => id)));
});

/** The selected notes in list order; none while the focus is in an open note, which commands then apply to. */
export const selectedNotes = (): readonly Note[] =>
  selected.value.size === 0 || isCovered.value || isInNote()
    ? []
    : ordered.value.filter(({ id }) => selected.value.has(id));

type Run = (verbs: typeof import('./verbs.ts'), notes: readonly Note[], value: string | undefined) => unknown;

const run = (verb: Run, notes: readonly Note[], value?: string) =>
  undoLater(import('../lazy-views.tsx').then(({ verbs }) => verb(verbs, notes, value), notifyMissing));

export const forSelected =
  (verb: Run, otherwise: (value: string | undefined) => void = () => {}) =>
  (value?: string): void => {
    const notes = selectedNotes();
    if (notes.length > 0) run(verb, notes, value);
    else otherwise(value);
  };

export const forNotes = (verb: Run) =>
  forSelected(verb, (value) => {
    const note = currentNote();
    if (note) run(verb, [note], value);
  });

export const setField = (field: ValueField) => forNotes((verbs, notes, value) => verbs.changeTo(notes, field, value));
