import { copyLink, copyNote, copyNothing } from '../copy/copy.ts';
import type { Commands } from '../keyboard/keymap.ts';
import { forNotes, forSelected, setField } from '../selection/for-selected.ts';
import { endSelection, hasSelection, toggleSelected } from '../selection/selection.ts';
import { closeDialog, dialog } from '../state/dialog.ts';
import { isCovered } from '../state/layout.ts';
import { editing, urlState } from '../state/navigation.ts';
import { returnToList } from '../ui/focus.ts';
import { closeNote, isInNote, openNote, showHistory, stopEditing, withCurrentNote } from '../ui/open-note.ts';
import { undoLast } from '../ui/undo.ts';
import { archive } from './archive.ts';

function back(): void {
  const { note } = urlState.value;
  if (dialog.value)
    closeDialog(); // it has not been loaded yet
  else if (hasSelection() && !isInNote() && !isCovered.value) endSelection();
  else if (editing.value !== undefined) stopEditing();
  else if (note === undefined) returnToList();
  else closeNote();
}

export const noteCommands = {
  copy: forSelected(
    (verbs, notes) => verbs.copyAll(notes),
    withCurrentNote((note) => void copyNote(note), copyNothing),
  ),
  copyRaw: forSelected(
    (verbs, notes) => verbs.copyAll(notes, 'raw'),
    withCurrentNote((note) => void copyNote(note, 'raw')),
  ),
  open: withCurrentNote(openNote),
  archive: forSelected(
    (verbs, notes) => verbs.archiveAll(notes),
    withCurrentNote((note) => void archive(note)),
  ),
  select: withCurrentNote(toggleSelected),
  color: setField('color'),
  pin: forNotes((verbs, notes) => verbs.pin(notes)),
  export: forNotes((verbs, notes) => verbs.downloadNotes(notes)),
  history: withCurrentNote(showHistory),
  link: withCurrentNote((note) => void copyLink(note)),
  undo: () => void undoLast(),
  back,
} satisfies Partial<Commands>;
