/** The note in the detail pane: the open one, or a preview of the one under the cursor if there is room. */
import { computed, signal } from '@preact/signals';
import { afterPaint } from '../effects.ts';
import { isBesideBoard, isBesideList, isBoard } from '../state/layout.ts';
import { editing, urlState } from '../state/navigation.ts';
import { loading } from '../state/notes.ts';
import { noteAtCursor, words } from '../state/results.ts';

const hasRoom = computed(() => (isBoard.value ? isBesideBoard : isBesideList).value);

/** In characters. Longer texts may delay the next key by their layout: their preview waits for a pause of the keys. */
const longText = 20_000;

const wanted = computed(() => (hasRoom.value && loading.value.kind !== 'failed' ? noteAtCursor.value : undefined));
const previewed = signal<number | undefined>(undefined);

/** A key that keeps the best hit is no pause: its preview would delay the next one. */
afterPaint(
  () => ({ note: wanted.value, words: words.value }),
  () => {
    previewed.value = wanted.value?.id;
  },
  ({ note }) => (note?.content.length ?? 0) > longText,
);

/** Whether a note is open: the URL contains its id. */
export const isOpen = computed(() => urlState.value.note !== undefined);

/** The id of the note in the detail pane. */
export const shownNote = computed(() => urlState.value.note ?? (hasRoom.value ? previewed.value : undefined));

/** Whether the detail pane has a note, or the form of a new one. */
export const hasPane = computed(() => shownNote.value !== undefined || editing.value === 'new');

/** Hides the preview until the cursor moves. */
export function hidePreview(): void {
  previewed.value = undefined;
}
