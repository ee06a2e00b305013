import type { Note } from '../../core/note.ts';
import { pinnedIdSet } from '../state/pinned-ids.ts';
import type { IconOrSwatchName } from '../ui/icons.tsx';
import type { MenuItem } from '../ui/menu.tsx';
import { type Command, keymap } from './keymap.ts';
import { runRegisteredCommand } from './listen-to-keys.ts';

const noteCommands = [
  'copy',
  'edit',
  'pin',
  'duplicate',
  'link',
  'history',
  'archive',
  'export',
  'copyRaw',
] as const satisfies readonly Command[];

export const createCommandItem = (command: Command, name: string = keymap[command].label): MenuItem => ({
  name,
  hint: keymap[command].keys[0],
  run: () => runRegisteredCommand(command),
});

type NoteAction = (typeof noteCommands)[number];

/** They act on the current note, or on the selected ones. `without`: what stands beside the menu. */
export const createNoteActionItems = (note: Note, without: readonly NoteAction[] = []): readonly MenuItem[] =>
  noteCommands
    .filter((command) => !without.includes(command))
    .map(
      (command): MenuItem => ({
        ...createCommandItem(command, getNoteActionLabel(command, note)),
        icon: getActionIcon(command, note),
      }),
    );

function getActionIcon(command: NoteAction, note: Note): IconOrSwatchName {
  if (command === 'archive') return getArchiveIconAndLabel(note.archived).name;
  return command === 'copyRaw' ? 'copy' : command;
}

function getNoteActionLabel(command: NoteAction, note: Note): string {
  if (command === 'archive') return getArchiveIconAndLabel(note.archived).text;
  if (command === 'pin') return getPinLabel(note);
  return keymap[command].label;
}

export const getPinLabel = ({ id }: Note) => (pinnedIdSet.value.has(id) ? 'Unpin' : 'Pin');

/** The icon and the word of what `a` does to a note that is archived, or not. */
export const getArchiveIconAndLabel = (isArchived: boolean) =>
  isArchived ? ({ name: 'unarchive', text: 'Unarchive' } as const) : ({ name: 'archive', text: 'Archive' } as const);
