import type { Commands } from '../keyboard/keymap.ts';
import { dialog } from '../state/dialog.ts';
import { flushSync, focus } from '../ui/focus.ts';
import { editNote, withCurrentNote } from '../ui/open-note.ts';

/** Opens the form of a new note. */
function create(): void {
  flushSync(() => {
    dialog.value = { kind: 'new' };
  });
  focus('dialog [name=title]');
}

export const editorCommands = { create, edit: withCurrentNote(editNote) } satisfies Partial<Commands>;
