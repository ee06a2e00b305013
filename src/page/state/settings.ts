import { effect, signal } from '@preact/signals';
import { readStorageItem, writeOrRemoveStorageItem } from './page-storage.ts';
import { type NoteSortOrder, noteSortOrders } from './sort-notes.ts';
import { applyTheme, readTheme, type Theme, themeKey } from './themes.ts';

export const theme = signal<Theme>(readTheme());

export const hasCharacterKeys = signal(readStorageItem('notes.keys') !== 'off');

/** Rows of 52 px, or of 36 px if an open note fits beside the list. */
export const densities = ['comfortable', 'compact'] as const;
export const density = signal<(typeof densities)[number]>(
  readStorageItem('notes.density') === 'compact' ? 'compact' : 'comfortable',
);

const sortKey = 'notes.sort';

/** The order of the list without a search. */
export const storedListSort = signal<NoteSortOrder>(
  noteSortOrders.find((sort) => sort === readStorageItem(sortKey)) ?? 'changed',
);

effect(() => {
  writeOrRemoveStorageItem(themeKey, theme.value === 'system' ? undefined : theme.value);
  applyTheme(theme.value);
});
effect(() => {
  writeOrRemoveStorageItem('notes.keys', hasCharacterKeys.value ? undefined : 'off');
});
effect(() => {
  writeOrRemoveStorageItem('notes.density', density.value === 'compact' ? 'compact' : undefined);
  document.documentElement.dataset['density'] = density.value;
});
effect(() => {
  writeOrRemoveStorageItem(sortKey, storedListSort.value === 'changed' ? undefined : storedListSort.value);
});
