import { effect, signal } from '@preact/signals';
import { notify } from './notifications.ts';
import { readItem, writeItem } from './storage.ts';
import { chosenTheme, showTheme, type Theme, themeKey, themes } from './themes.ts';

export const theme = signal<Theme>(chosenTheme());

export const characterKeys = signal(readItem('notes.keys') !== 'off');

/** Rows of 64 px, or of 36 px if an open note fits beside the list. */
export const densities = ['comfortable', 'compact'] as const;
export const density = signal<(typeof densities)[number]>(
  readItem('notes.density') === 'compact' ? 'compact' : 'comfortable',
);

effect(() => {
  writeItem(themeKey, theme.value === 'system' ? undefined : theme.value);
  showTheme(theme.value);
});
effect(() => {
  writeItem('notes.keys', characterKeys.value ? undefined : 'off');
});
effect(() => {
  writeItem('notes.density', density.value === 'compact' ? 'compact' : undefined);
  document.documentElement.dataset['density'] = density.value;
});

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system';
  notify(`Theme: ${theme.value}`, { kind: 'done' });
}
