import { dialog } from '../state/dialog.ts';
import { nextTheme } from '../state/settings.ts';
import type { Commands } from './keymap.ts';

export const keyboardCommands = {
  theme: nextTheme,
  help: () => {
    dialog.value = { kind: 'help' };
  },
} satisfies Partial<Commands>;
