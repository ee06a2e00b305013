/** The settings of this browser. */
import { effect, signal } from '@preact/signals';
import { notify } from './notifications.ts';
import { readItem, writeItem } from './storage.ts';
import { chosenTheme, showTheme, type Theme, themeKey, themes } from './themes.ts';

export const theme = signal<Theme>(chosenTheme());

/** Whether keys that write a character are commands. */
export const characterKeys = signal(readItem('notes.keys') !== 'off');

effect(() => {
  writeItem(themeKey, theme.value === 'system' ? undefined : theme.value);
  showTheme(theme.value);
});
effect(() => {
  writeItem('notes.keys', characterKeys.value ? undefined : 'off');
});

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system';
  notify(`Theme: ${theme.value}`, { kind: 'done' });
}
