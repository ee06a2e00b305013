import type { Note } from '../../domain/note.ts';
import { draftOf } from '../../domain/versions.ts';
import type { Commands } from '../keyboard/keymap.ts';
import { dialog } from '../state/dialog.ts';
import { flushSync, tryFocus } from '../ui/focus.ts';
import { editNote, withCurrentNote } from '../ui/open-note.ts';

/** Opens the form of a new note. */
function create(): void {
  flushSync(() => {
    dialog.value = { kind: 'new' };
  });
  tryFocus('dialog [name=title]');
}

/** Opens the form of a new note with the fields of this one. */
export function duplicate(note: Note): void {
  flushSync(() => {
    dialog.value = { kind: 'new', example: draftOf(note) };
  });
  tryFocus('dialog [name=title]');
}

export const editorCommands = {
  create,
  edit: withCurrentNote(editNote),
  duplicate: withCurrentNote(duplicate),
} satisfies Partial<Commands>;
