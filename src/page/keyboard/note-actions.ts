import type { Note } from '../../core/note.ts';
import { pinned } from '../state/favourites.ts';
import type { MenuItem } from '../ui/menu.tsx';
import { runCommand } from './keyboard.ts';
import { type Command, keymap } from './keymap.ts';

const commands = [
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

export const itemOf = (command: Command, name: string = keymap[command].label): MenuItem => ({
  name,
  hint: keymap[command].keys[0],
  run: () => runCommand(command),
});

type NoteAction = (typeof commands)[number];

/** They act on the current note, or on the selected ones. `without`: what stands beside the menu. */
export const noteActions = (note: Note, without: readonly NoteAction[] = []): readonly MenuItem[] =>
  commands
    .filter((command) => !without.includes(command))
    .map((command) => ({
      ...itemOf(command, wordOf(command, note)),
      mark: command === 'copyRaw' ? 'copy' : command === 'archive' ? archiving(note.archived).name : command,
    }));

function wordOf(command: NoteAction, note: Note): string {
  if (command === 'archive') return archiving(note.archived).text;
  if (command === 'pin') return pinning(note);
  return keymap[command].label;
}

export const pinning = ({ id }: Note) => (pinned.value.has(id) ? 'Unpin' : 'Pin');

/** The icon and the word of what `a` does to a note that is archived, or not. */
export const archiving = (isArchived: boolean) =>
  isArchived ? ({ name: 'unarchive', text: 'Unarchive' } as const) : ({ name: 'archive', text: 'Archive' } as const);
