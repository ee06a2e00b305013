import { editorCommands } from './editor/commands.ts';
import { keyboardCommands } from './keyboard/commands.ts';
import { tooltip } from './keyboard/keymap.ts';
import { SearchBox } from './list/search-box.tsx';
import { openDialog } from './state/dialog.ts';
import { nextTheme, theme } from './state/settings.ts';
import { IconButton } from './ui/icon-button.tsx';
import { Icon } from './ui/icons.tsx';

export const TopBar = () => (
  <header class="top-bar">
    <h1 class="font-semibold max-sm:sr-only">Notes</h1>
    <SearchBox />
    <IconButton name="filter" large label="Filters" class="lg:hidden" onClick={() => openDialog({ kind: 'filters' })} />
    <button type="button" class="btn btn-sm touch" title={tooltip('create')} onClick={editorCommands.create}>
      <Icon name="plus" />
      <span class="max-sm:sr-only">New</span>
    </button>
    <IconButton
      name="theme"
      large
      label={`Theme: ${theme.value}`}
      title={tooltip('theme', `Theme: ${theme.value}`)}
      class="max-sm:hidden"
      onClick={nextTheme}
    />
    <IconButton name="help" large label="Keys and settings" title={tooltip('help')} onClick={keyboardCommands.help} />
  </header>
);
