/** Which note the detail pane shows: the open one, or else, where there is room, a preview of the one under the cursor. */
import { computed, effect, signal } from '@preact/signals';
import { isBesideBoard, isBesideList, isBoard } from '../state/layout.ts';
import { urlState } from '../state/navigation.ts';
import { noteAtCursor } from '../state/results.ts';

const hasRoom = computed(() => (isBoard.value ? isBesideBoard : isBesideList).value);

/** A text of so many characters may take longer to lay out than a key may wait: its preview comes when keys pause. */
const longText = 20_000;
/** A preview that would follow another one sooner, in ms, comes when keys pause for so long. */
const pauseMs = 150;

const wanted = computed(() => (hasRoom.value ? noteAtCursor.value : undefined));
const previewed = signal<number | undefined>(undefined);

let changedAt = 0;

/** The list is painted first; what is no longer wanted then is skipped. */
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

/** Whether the address names a note, which is open then. */
export const isOpen = computed(() => urlState.value.note !== undefined);

/** The id of the note in the detail pane. */
export const shownNote = computed(() => urlState.value.note ?? (hasRoom.value ? previewed.value : undefined));
