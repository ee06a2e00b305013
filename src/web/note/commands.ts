import { copyLink, copyNote } from '../copy/copy.ts';
import type { Commands } from '../keyboard/keymap.ts';
import { editing, urlState } from '../state/navigation.ts';
import { focusRow } from '../ui/focus.ts';
import { closeNote, openNote, showHistory, stopEditing, withCurrentNote } from '../ui/open-note.ts';
import { undoLast } from '../ui/undo.ts';
import { archive } from './archive.ts';

function back(): void {
  const { note } = urlState.value;
  if (note === undefined) focusRow();
  else if (editing.value === note) stopEditing();
  else closeNote();
}

export const noteCommands = {
  copy: withCurrentNote((note) => void copyNote(note)),
  copyRaw: withCurrentNote((note) => void copyNote(note, 'raw')),
  open: withCurrentNote(openNote),
  archive: withCurrentNote((note) => void archive(note)),
  history: withCurrentNote(showHistory),
  link: withCurrentNote((note) => void copyLink(note)),
  undo: undoLast,
  back,
} satisfies Partial<Commands>;
