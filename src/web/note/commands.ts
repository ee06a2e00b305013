import { copyNote } from '../copy/copy.ts';
import type { Commands } from '../keyboard/keymap.ts';
import { editing } from '../state/layout.ts';
import { place } from '../state/navigation.ts';
import { focusRow } from '../ui/focus.ts';
import { closeNote, openNote, stopEditing, withCurrent } from '../ui/open-note.ts';
import { archive, undoLast } from './archive.ts';

function back(): void {
  const { note } = place.value;
  if (note === undefined) focusRow();
  else if (editing.value === note) stopEditing();
  else closeNote();
}

export const noteCommands = {
  copy: withCurrent((note) => void copyNote(note)),
  copyRaw: withCurrent((note) => void copyNote(note, 'raw')),
  open: withCurrent(openNote),
  archive: withCurrent((note) => void archive(note)),
  undo: undoLast,
  back,
} satisfies Partial<Commands>;
