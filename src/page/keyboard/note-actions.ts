/** The actions of a note, in the order of its menus and of the palette. */
import type { Note } from '../../core/note.ts';
import { pinned } from '../state/order/pinned.ts';
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

export const isNoteAction = (command: Command): boolean => commands.some((known) => known === command);

/** They act on the current note, or on the selected ones. */
export const noteActions = (note: Note): readonly MenuItem[] =>
  commands.map((command) => ({
    name: nameOf(command, note),
    icon: command === 'copyRaw' ? 'copy' : command === 'archive' && note.archived ? 'unarchive' : command,
    hint: keymap[command].keys[0],
    run: () => runCommand(command),
  }));

function nameOf(command: Command, note: Note): string {
  if (command === 'archive') return note.archived ? 'Unarchive' : 'Archive';
  if (command === 'pin') return pinned.value.has(note.id) ? 'Unpin' : 'Pin';
  return keymap[command].label;
}
