/** Which panes are shown, as in page.css. */
import { computed, effect, signal } from '@preact/signals';
import { editing, urlState } from './navigation.ts';
import { readItem, writeItem } from './storage.ts';

const wide = matchMedia('(width >= 40rem)');

/** Whether an open note stands beside the list. */
export const isBesideList = signal(wide.matches);
wide.addEventListener('change', () => {
  isBesideList.value = wide.matches;
});

/** Whether the board is shown; a phone has no room for it. */
export const isBoard = computed(() => isBesideList.value && urlState.value.view === 'board');

const widthKey = 'notes.list-width';

/** The width of the list that was chosen in this browser, in px. */
export const listWidth = signal(Number(readItem(widthKey)) || undefined);

effect(() => {
  const { value: width } = listWidth;
  writeItem(widthKey, width?.toString());
  const { style } = document.documentElement;
  if (width === undefined) style.removeProperty('--list-width');
  else style.setProperty('--list-width', `${width}px`);
});

/** Whether the open note covers everything else. */
export const isCovered = computed(() => !isBesideList.value && urlState.value.note !== undefined);

effect(() => {
  if (editing.value !== urlState.value.note) editing.value = undefined;
});
