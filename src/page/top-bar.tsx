import { chooseFiles } from './drop/listen.ts';
import { editorCommands } from './editor/commands.ts';
import { keyboardCommands } from './keyboard/commands.ts';
import { helpName, keymap, tooltip } from './keyboard/keymap.ts';
import { SearchBox } from './list/search-box.tsx';
import { openDialog } from './state/dialog.ts';
import { IconButton } from './ui/icon-button.tsx';
import { Icon } from './ui/icons.tsx';
import { notifyMissing } from './ui/lazy.ts';

export const TopBar = () => (
  <header class="top-bar">
    <h1 class="max-sm:sr-only">Notes</h1>
    <SearchBox />
    <IconButton name="filter" large label="Filters" class="lg:hidden" onClick={() => openDialog({ kind: 'filters' })} />
    <button
      type="button"
      class="btn btn-primary btn-sm touch"
      title={tooltip('create')}
      onClick={editorCommands.create}
    >
      <Icon name="plus" />
      <span class="max-sm:sr-only">New</span>
    </button>
    <IconButton name="more" large label="Menu" onClick={showMenu} />
  </header>
);

const items = [
  { name: 'Import files', icon: 'import', run: chooseFiles },
  { name: 'All commands', icon: 'search', hint: keymap.palette.keys[0], run: keyboardCommands.palette },
  { name: helpName(), icon: 'help', hint: keymap.help.keys[0], run: keyboardCommands.help },
] as const;

function showMenu(): void {
  const at = document.querySelector('.top-bar [aria-label=Menu]');
  import('./ui/menu.tsx').then((part) => at && part.openMenu({ label: 'Menu', items, at }), notifyMissing);
}
