/** Which panes are shown; matches page.css. */
import { computed, effect, type Signal, signal } from '@preact/signals';
import { setTo } from './effects.ts';
import { editing, navigate, urlState } from './navigation.ts';
import { readItem, writeItem } from './storage.ts';

export function holds(query: string): Signal<boolean> {
  const media = matchMedia(query);
  const isHeld = signal(media.matches);
  media.addEventListener('change', () => {
    isHeld.value = media.matches;
  });
  return isHeld;
}

export const isBesideList = holds('(width >= 40rem)');

export const isBesideBoard = holds('(width >= 100rem)');

/** Whether the board is shown; phones have no room for it. */
export const isBoard = computed(() => isBesideList.value && urlState.value.view === 'board');

export const toggleBoard = () => navigate({ view: urlState.value.view === 'board' ? 'list' : 'board' });

function chosenWidth(pane: string): Signal<number | undefined> {
  const key = `notes.${pane}-width`;
  const width = signal(Number(readItem(key)) || undefined);
  effect(() => {
    writeItem(key, width.value?.toString());
    document.documentElement.style.setProperty(`--${pane}-width`, width.value ? `${width.value}px` : '');
  });
  return width;
}

export const listWidth = chosenWidth('list');
export const sidebarWidth = chosenWidth('sidebar');

/** Whether the detail pane has an open note, or the form of a new one. */
export const isPaneOpen = computed(() => urlState.value.note !== undefined || editing.value === 'new');

export const isCovered = computed(() => !isBesideList.value && isPaneOpen.value);

effect(() => {
  const { note } = urlState.value;
  const expected = editing.value === 'new' ? undefined : editing.value;
  if (note !== expected) editing.value = undefined;
});

const isOnPaper = holds('print');
const isAboutToPrint = signal(false);

export const printing = computed(() => isOnPaper.value || isAboutToPrint.value);
window.addEventListener('beforeprint', setTo(isAboutToPrint, true));
window.addEventListener('afterprint', setTo(isAboutToPrint, false));
