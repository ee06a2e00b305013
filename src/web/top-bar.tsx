import { editorCommands } from './editor/commands.ts';
import { keyboardCommands } from './keyboard/commands.ts';
import { tooltip } from './keyboard/keymap.ts';
import { SearchBox } from './list/search-box.tsx';
import { dialog } from './state/dialog.ts';
import { nextTheme, theme } from './state/settings.ts';
import { Icon } from './ui/icons.tsx';

export const TopBar = () => (
  <header class="top-bar">
    <h1 class="text-lg font-semibold tracking-tight max-sm:sr-only">Notes</h1>
    <SearchBox />
    <button
      type="button"
      class="btn btn-ghost btn-sm btn-square touch lg:hidden"
      aria-label="Filters"
      title="Filters"
      onClick={() => {
        dialog.value = { kind: 'filters' };
      }}
    >
      <Icon name="filter" large />
    </button>
    <button
      type="button"
      class="btn btn-primary btn-sm touch"
      title={tooltip('create')}
      onClick={editorCommands.create}
    >
      <Icon name="plus" />
      <span class="max-sm:sr-only">New</span>
    </button>
    <button
      type="button"
      class="btn btn-ghost btn-sm btn-square touch max-sm:hidden"
      aria-label={`Theme: ${theme.value}`}
      title={tooltip('theme', `Theme: ${theme.value}`)}
      onClick={nextTheme}
    >
      <Icon name="theme" large />
    </button>
    <button
      type="button"
      class="btn btn-ghost btn-sm btn-square touch"
      aria-label="Keys and settings"
      title={tooltip('help')}
      onClick={keyboardCommands.help}
    >
      <Icon name="help" large />
    </button>
  </header>
);
