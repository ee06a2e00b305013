import { dialog } from '../state/dialog.ts';
import { nextTheme } from '../state/settings.ts';
import type { Commands } from './keymap.ts';

export const keyboardCommands = {
  theme: nextTheme,
  palette: () => {
    dialog.value = { kind: 'palette' };
  },
  help: () => {
    dialog.value = { kind: 'help' };
  },
} satisfies Partial<Commands>;
