import { openDialog } from '../state/dialog.ts';
import { nextTheme } from '../state/settings.ts';
import type { Commands } from './keymap.ts';

export const keyboardCommands = {
  theme: nextTheme,
  palette: () => openDialog({ kind: 'palette' }),
  help: () => openDialog({ kind: 'help' }),
} satisfies Partial<Commands>;
