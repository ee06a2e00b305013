/** Opens, edits and leaves a note. */
import type { Note, NoteDraft } from '../../core/note.ts';
import { closeDialog, openDialog } from '../state/dialog.ts';
import { beginDraft, closedDrafts, type Draft, newFormKey, newFormTitle, newKey } from '../state/drafts.ts';
import { isBesideList } from '../state/layout.ts';
import { editing, navigate, pushForm, setCursor, urlState } from '../state/navigation.ts';
import { noteById } from '../state/notes.ts';
import { noteAtCursor, words } from '../state/results.ts';
import { flushSync, focus, returnToList, tryFocus } from './focus.ts';
import { shownNote } from './shown-note.ts';

/** Whether the focus is in the detail pane. */
export const isInNote = () => document.querySelector('#detail')?.contains(document.activeElement) === true;

/** The note that commands apply to: the one in the detail pane if that has the focus, else the one under the cursor. */
export function currentNote(): Note | undefined {
  const shown = shownNote.value === undefined ? undefined : noteById(shownNote.value);
  return isInNote() ? shown : (noteAtCursor.value ?? shown);
}

/** Runs a command on the current note, or `otherwise` if there is none. */
export function withCurrentNote(run: (note: Note) => void, otherwise = () => {}): () => void {
  return () => {
    const note = currentNote();
    if (note) run(note);
    else otherwise();
  };
}

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

export function openNote(note: Note): void {
  flushSync(() => show(note));
  focus('.detail-body');
}

/** Opens the form of a note, with the caret in its text, or in its title. */
export function editNote(note: Note, field: 'content' | 'title' = 'content'): void {
  flushSync(() => {
    show(note);
    pushForm();
    editing.value = note.id;
  });
  tryFocus(`#detail [name=${field}]`);
}

/** Opens the form of a new note: with these fields as a draft, or with a title, else the draft that this tab left. */
export function openNew(fields?: NoteDraft, title = ''): void {
  if (editing.value === 'new' && !fields) {
    focus('#detail [name=title]');
    return;
  }
  const left = closedDrafts().find(({ key }) => key === newFormKey.value);
  const key = fields ? beginDraft(fields).key : title === '' ? left?.key : undefined;
  showNewForm(key ?? newKey(), title);
}

/** Opens the form of a new note, titled by the words of the search. */
export const createFromSearch = () => openNew(undefined, words.value);

export const openDraftAsNew = ({ key }: Draft): void => showNewForm(key, '');

function showNewForm(key: string, title: string): void {
  flushSync(() => {
    closeDialog();
    pushForm();
    navigate({ note: undefined }, 'replace');
    newFormKey.value = key;
    newFormTitle.value = title;
    editing.value = 'new';
  });
  tryFocus('#detail [name=title]');
}

export const showHistory = ({ id }: Note): void => openDialog({ kind: 'history', note: id });

/** Leaves the form for its note, or that of a new note for the list. */
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
