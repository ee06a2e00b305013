import type { Note, NoteDraft } from '../../core/note.ts';
import { draftOf } from '../../core/versions.ts';
import type { Commands } from '../keyboard/keymap.ts';
import { openDialog } from '../state/dialog.ts';
import { flushSync } from '../ui/focus.ts';
import { editNote, withCurrentNote } from '../ui/open-note.ts';

function openForm(example?: NoteDraft): void {
  flushSync(() => openDialog({ kind: 'new', ...(example && { example }) }));
}

export const duplicate = (note: Note) => openForm(draftOf(note));

export const editorCommands = {
  create: () => openForm(),
  edit: withCurrentNote(editNote),
  duplicate: withCurrentNote(duplicate),
} satisfies Partial<Commands>;
