/** Opening, editing and leaving a note: what the list, the note and the editor lead to. */
import type { Note } from '../../domain/note.ts';
import { editing } from '../state/layout.ts';
import { go, place, putCursor } from '../state/navigation.ts';
import { noteById } from '../state/notes.ts';
import { noteAtCursor } from '../state/results.ts';
import { drawNow, focus, focusRow } from './focus.ts';

/** The note that a command is about: the open one where the focus is in it, else the one under the cursor. */
function current(): Note | undefined {
  const open = place.value.note === undefined ? undefined : noteById(place.value.note);
  return document.querySelector('#detail')?.contains(document.activeElement) ? open : (noteAtCursor.value ?? open);
}

/** A command about the current note; without one, nothing happens. */
export function withCurrent(run: (note: Note) => void): () => void {
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

export function stopEditing(): void {
  drawNow(() => {
    editing.value = undefined;
  });
  focus('.detail-body');
}

/** Leaves the note, and the focus where it is. */
export function hideNote(): void {
  editing.value = undefined;
  go({ note: undefined });
}

export function closeNote(): void {
  drawNow(hideNote);
  focusRow();
}
