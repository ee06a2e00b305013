/** What a person chose for this browser. */
import { effect, signal } from '@preact/signals';
import { say } from './notifications.ts';
import { keep, kept } from './storage.ts';
import { chosenTheme, showTheme, type Theme, themeKey, themes } from './themes.ts';

export const theme = signal<Theme>(chosenTheme());

/** Whether keys that write a character are commands. */
export const singleKeys = signal(kept('notes.keys') !== 'off');

effect(() => {
  keep(themeKey, theme.value === 'system' ? undefined : theme.value);
  showTheme(theme.value);
});
effect(() => {
  keep('notes.keys', singleKeys.value ? undefined : 'off');
});

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system';
  say(`Theme: ${theme.value}`, { kind: 'done' });
}
