/** Which panes are shown; matches page.css. */
import { computed, effect, type Signal, signal } from '@preact/signals';
import { changeUrlState, editedNoteId, urlState } from './navigation.ts';
import { readStorageItem, writeOrRemoveStorageItem } from './page-storage.ts';
import { createSetter } from './signal-helpers.ts';

export function watchMediaQuery(query: string): Signal<boolean> {
  const media = matchMedia(query);
  const isHeld = signal(media.matches);
  media.addEventListener('change', () => {
    isHeld.value = media.matches;
  });
  return isHeld;
}

export const isPaneBesideList = watchMediaQuery('(width >= 40rem)');

export const isPaneBesideBoard = watchMediaQuery('(width >= 100rem)');

/** Whether the board is shown; phones have no room for it. */
export const isBoardShown = computed(() => isPaneBesideList.value && urlState.value.view === 'board');

export const toggleBoard = () => changeUrlState({ view: urlState.value.view === 'board' ? 'list' : 'board' });

function createStoredWidth(pane: string): Signal<number | undefined> {
  const key = `notes.${pane}-width`;
  const width = signal(Number(readStorageItem(key)) || undefined);
  effect(() => {
    writeOrRemoveStorageItem(key, width.value?.toString());
    document.documentElement.style.setProperty(`--${pane}-width`, width.value ? `${width.value}px` : '');
  });
  return width;
}

export const listWidth = createStoredWidth('list');
export const sidebarWidth = createStoredWidth('sidebar');

/** Whether the detail pane has an open note, or the form of a new one. */
export const isNoteOrNewFormOpen = computed(() => urlState.value.note !== undefined || editedNoteId.value === 'new');

export const isListCovered = computed(() => !isPaneBesideList.value && isNoteOrNewFormOpen.value);

effect(() => {
  const { note } = urlState.value;
  const expected = editedNoteId.value === 'new' ? undefined : editedNoteId.value;
  if (note !== expected) editedNoteId.value = undefined;
});

const isPrintMedia = watchMediaQuery('print');
const isAboutToPrint = signal(false);

export const isPrinting = computed(() => isPrintMedia.value || isAboutToPrint.value);
window.addEventListener('beforeprint', createSetter(isAboutToPrint, true));
window.addEventListener('afterprint', createSetter(isAboutToPrint, false));
