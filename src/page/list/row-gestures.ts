/** What a right click or a long press of a row does. Until this part is loaded, they do what the browser does. */
import { createNoteActionItems } from '../keyboard/note-action-items.ts';
import {
  clearSelection,
  doesTapSelect,
  hasSelection,
  selectedIds,
  toggleNoteSelection,
} from '../selection/selection.ts';
import { cursorNoteId } from '../state/navigation.ts';
import { findNoteById } from '../state/notes.ts';
import { formatNoteTitle } from '../ui/format-for-page.ts';
import { openMenu } from '../ui/menu.tsx';

/** Opens the menu in the task of the click, so that the next key is for it. */
export function showRowMenu(event: MouseEvent): void {
  const link = findRowLink(event);
  const note = link && findRowNote(link);
  if (!note) return;
  event.preventDefault();
  if (currentPress) {
    currentPress.select(); // some browsers end the press here, before the timer
    return;
  }
  if (hasSelection() && !selectedIds.value.has(note.id)) clearSelection();
  cursorNoteId.value = note.id;
  link.focus({ preventScroll: true });
  openMenu({ label: `Actions of ${formatNoteTitle(note)}`, items: createNoteActionItems(note), at: event });
}

const longPressMs = 500;
const maxPressMovePx = 10;

let currentPress: { readonly timer: ReturnType<typeof setTimeout>; readonly select: () => void } | undefined;

export function startLongPress(event: PointerEvent): void {
  const link = findRowLink(event);
  if (event.pointerType === 'mouse' || !link) return;
  const { clientX, clientY } = event;
  const end = () => {
    clearTimeout(currentPress?.timer);
    currentPress = undefined;
    for (const name of ['pointerup', 'pointercancel']) removeEventListener(name, end);
    removeEventListener('pointermove', move);
  };
  const move = (moved: PointerEvent) => {
    if (Math.hypot(moved.clientX - clientX, moved.clientY - clientY) > maxPressMovePx) end();
  };
  const select = () => {
    const note = findRowNote(link);
    if (!note || selectedIds.value.has(note.id)) return;
    toggleNoteSelection(note);
    doesTapSelect.value = true;
    addEventListener('click', stopClick, { capture: true, once: true }); // the end of the press is no tap
    setTimeout(() => removeEventListener('click', stopClick, { capture: true }), 2 * longPressMs);
  };
  end();
  currentPress = { timer: setTimeout(select, longPressMs), select };
  for (const name of ['pointerup', 'pointercancel']) addEventListener(name, end);
  addEventListener('pointermove', move);
}

function stopClick(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

const findRowLink = ({ target }: Event) =>
  target instanceof Element ? target.closest('.row')?.querySelector<HTMLElement>('[data-row]') : undefined;

const findRowNote = (link: HTMLElement) => findNoteById(Number(link.dataset['row']));
