import { noteActions } from '../keyboard/note-actions.ts';
import { endSelection, hasSelection, isSelecting, selected, toggleSelected } from '../selection/selection.ts';
import { cursor } from '../state/navigation.ts';
import { noteById } from '../state/notes.ts';
import { displayTitle } from '../ui/format.ts';
import { notifyMissing } from '../ui/lazy.ts';

const linkIn = ({ target }: Event) =>
  target instanceof Element ? target.closest('.row')?.querySelector<HTMLElement>('[data-row]') : undefined;

const noteOf = (link: HTMLElement) => noteById(Number(link.dataset['row']));

/** The menu of a row, and of all selected ones if it is one of them. */
export function showRowMenu(event: MouseEvent): void {
  const link = linkIn(event);
  const note = link && noteOf(link);
  if (!note) return;
  event.preventDefault();
  if (pressed) {
    pressed.select(); // some browsers end the press here, before the timer
    return;
  }
  if (hasSelection() && !selected.value.has(note.id)) endSelection();
  cursor.value = note.id;
  link.focus({ preventScroll: true });
  import('../ui/menu.tsx').then(
    (part) => part.openMenu({ label: `Actions of ${displayTitle(note)}`, items: noteActions(note), at: event }),
    notifyMissing,
  );
}

/** In ms. */
const longPressMs = 500;
const maxMove = 10;

let pressed: { readonly timer: ReturnType<typeof setTimeout>; readonly select: () => void } | undefined;

export function selectByLongPress(event: PointerEvent): void {
  const link = linkIn(event);
  if (event.pointerType === 'mouse' || !link) return;
  const { clientX, clientY } = event;
  const end = () => {
    clearTimeout(pressed?.timer);
    pressed = undefined;
    for (const name of ['pointerup', 'pointercancel']) removeEventListener(name, end);
    removeEventListener('pointermove', move);
  };
  const move = (moved: PointerEvent) => {
    if (Math.hypot(moved.clientX - clientX, moved.clientY - clientY) > maxMove) end();
  };
  const select = () => {
    const note = noteOf(link);
    if (!note || selected.value.has(note.id)) return;
    toggleSelected(note);
    isSelecting.value = true;
    addEventListener('click', swallow, { capture: true, once: true }); // the end of the press is no tap
    setTimeout(() => removeEventListener('click', swallow, { capture: true }), 2 * longPressMs);
  };
  end();
  pressed = { timer: setTimeout(select, longPressMs), select };
  for (const name of ['pointerup', 'pointercancel']) addEventListener(name, end);
  addEventListener('pointermove', move);
}

function swallow(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
