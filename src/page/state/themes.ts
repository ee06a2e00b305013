import { readStorageItem } from './page-storage.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export const themeKey = 'notes.theme';

export const readTheme = (): Theme => themes.find((theme) => theme === readStorageItem(themeKey)) ?? 'system';

export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset['theme'];
  else dataset['theme'] = theme;
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[data-scheme]')) {
    const scheme = meta.dataset['scheme'];
    if (theme === 'system') meta.media = `(prefers-color-scheme: ${scheme})`;
    else meta.media = scheme === theme ? 'all' : 'not all';
  }
}
