/** The note in the detail pane: the open one, or a preview of the one under the cursor if there is room. */
import { computed, effect, signal } from '@preact/signals';
import { isBesideBoard, isBesideList, isBoard } from '../state/layout.ts';
import { urlState } from '../state/navigation.ts';
import { noteAtCursor } from '../state/results.ts';

const hasRoom = computed(() => (isBoard.value ? isBesideBoard : isBesideList).value);

/** In characters. Longer texts may delay the next key by their layout: their preview waits for a pause of the keys. */
const longText = 20_000;
/** In ms. A preview sooner after another waits until the keys pause this long. */
const pauseMs = 150;

const wanted = computed(() => (hasRoom.value ? noteAtCursor.value : undefined));
const previewed = signal<number | undefined>(undefined);

let changedAt = 0;

/** Paints the list first, then the preview if it is still wanted. */
effect(() => {
  const { value: note } = wanted;
  const show = () => {
    if (wanted.peek() === note) previewed.value = note?.id;
  };
  const now = performance.now();
  const waits = now - changedAt < pauseMs || (note?.content.length ?? 0) > longText;
  changedAt = now;
  requestAnimationFrame(() => setTimeout(show, waits ? pauseMs : 0));
});

/** Whether a note is open: the URL contains its id. */
export const isOpen = computed(() => urlState.value.note !== undefined);

/** The id of the note in the detail pane. */
export const shownNote = computed(() => urlState.value.note ?? (hasRoom.value ? previewed.value : undefined));
