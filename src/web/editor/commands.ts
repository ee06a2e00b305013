import type { Commands } from '../keyboard/keymap.ts';
import { dialog } from '../state/dialog.ts';
import { drawNow, focus } from '../ui/focus.ts';
import { edit, withCurrent } from '../ui/open-note.ts';

/** Opens the form of a new note. */
function create(): void {
  drawNow(() => {
    dialog.value = { kind: 'new' };
  });
  focus('dialog [name=title]');
}

export const editorCommands = { create, edit: withCurrent(edit) } satisfies Partial<Commands>;
