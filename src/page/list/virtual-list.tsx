import { signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Note } from '../../core/note.ts';
import { noteActions } from '../keyboard/note-actions.ts';
import { endSelection, hasSelection, isSelecting, selected, toggleSelected } from '../selection/selection.ts';
import { cursor, registerBox, saveScroll, scrollTarget } from '../state/navigation.ts';
import { noteById } from '../state/notes.ts';
import { isSearching } from '../state/results.ts';
import { density } from '../state/settings.ts';
import { displayTitle } from '../ui/format.ts';
import { notifyMissing } from '../ui/lazy.ts';
import { moveAndFocus } from '../ui/open-note.ts';
import { row } from './row.tsx';

interface VirtualListProps {
  readonly notes: readonly Note[];
  readonly name: string;
  readonly label: string;
  /** The note whose row is always rendered, so that it can have the focus. */
  readonly cursor: Note | undefined;
  readonly parts?: readonly ListPart[];
}

export type ListPart = Readonly<{ name: string; start: number }>;

export const partAtTop = signal(0);

/** Rows rendered above and below the visible ones; one below the top of a list, which every key of a search renders. */
const overscan = 6;

export function VirtualList({ notes, name, label, cursor, parts = [] }: VirtualListProps) {
  const ref = useRef<HTMLDivElement>(null);
  const visible = useSignal({ first: 0, last: 10 });
  const at = cursor ? notes.indexOf(cursor) : -1;
  const lastAt = useRef(-1);
  const [, secondPart] = parts;
  const rowsAbove = secondPart?.start ?? notes.length;

  function measure(): void {
    const { current: box } = ref;
    if (!box) return;
    const height = box.querySelector<HTMLElement>('.row')?.offsetHeight || 64;
    const first = Math.floor(box.scrollTop / height);
    const last = Math.ceil((box.scrollTop + box.clientHeight) / height);
    partAtTop.value = secondPart && first >= rowsAbove ? 1 : 0;
    if (first !== visible.peek().first || last !== visible.peek().last) visible.value = { first, last };
  }

  useScrollRestoration(ref, name, (box) => rowAt(box, at)?.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
  useLayoutEffect(revealCursor, [at]);

  /** Reveals the rest of its row, which a change may have moved to the edge of what is seen. */
  function revealCursor(): void {
    const wasThere = lastAt.current >= 0;
    lastAt.current = at;
    const row = ref.current && rowAt(ref.current, at);
    if (!ref.current || !row || !wasThere) return;
    const { top, bottom } = ref.current.getBoundingClientRect();
    const { top: start, bottom: end } = row.getBoundingClientRect();
    if (end > top && start < bottom) row.scrollIntoView({ block: 'nearest' });
  }

  void density.value; // changes the row height: measure again
  useLayoutEffect(measure);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => {
      measure();
      ref.current?.querySelector(':focus')?.scrollIntoView({ block: 'nearest' });
    });
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);

  function moveFar(event: KeyboardEvent): void {
    const page = Math.max(1, visible.peek().last - visible.peek().first - 1);
    const by = { Home: -at, End: notes.length - 1 - at, PageUp: -page, PageDown: page }[event.key];
    if (by === undefined || at < 0 || event.ctrlKey || event.altKey || event.shiftKey || event.metaKey) return;
    event.preventDefault();
    moveAndFocus(Math.min(Math.max(by, -at), notes.length - 1 - at));
  }

  const drawn = indexesOf(visible.value, notes.length, at).map((index) => {
    const note = notes[index];
    const isBelowHeading = index >= rowsAbove;
    return note && row({ note, index, count: notes.length, isAtCursor: index === at, isBelowHeading });
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the rows inside have the focus
    <div
      ref={ref}
      class="scroller"
      onKeyDown={moveFar}
      onContextMenu={showRowMenu}
      onPointerDown={selectByLongPress}
      onScroll={() => {
        measure();
        saveScroll();
      }}
    >
      {secondPart && (
        <h2 class="list-heading" style={{ top: `calc(var(--row) * ${rowsAbove})` }}>
          {secondPart.name}
        </h2>
      )}
      <div
        role="treegrid"
        aria-label={label}
        aria-multiselectable="true"
        class="relative"
        style={{ height: `calc(var(--row) * ${notes.length}${secondPart ? ' + var(--heading)' : ''})` }}
      >
        {drawn}
      </div>
    </div>
  );
}

/** The indexes of the rows to render: the visible ones, `overscan` around them, and `at`. */
function indexesOf(visible: { readonly first: number; readonly last: number }, count: number, at: number): number[] {
  const first = Math.max(0, Math.min(visible.first, count) - overscan);
  const last = Math.min(count, visible.last + (visible.first === 0 ? 1 : overscan));
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  if (at >= 0 && at < first) indexes.unshift(at);
  if (at >= last) indexes.push(at);
  return indexes;
}

const rowAt = (box: HTMLElement, index: number) => box.querySelector(`[aria-posinset="${index + 1}"]`);

/**
 * Scrolls a box to its saved offset, once the list is the one that was searched for; calls `reveal` if the target is the
 * cursor. From then on the offset of the box is saved.
 */
export function useScrollRestoration(
  ref: RefObject<HTMLElement | null>,
  name: string,
  reveal?: (box: HTMLElement) => void,
): void {
  const target = scrollTarget.value;
  const isWaiting = target.kind === 'offsets' && isSearching.value;
  useLayoutEffect(() => {
    const { current: box } = ref;
    if (!box || isWaiting) return;
    if (target.kind === 'cursor') reveal?.(box);
    else box.scrollTo({ left: 0, top: 0, ...target.offsets[name], behavior: 'instant' });
    return registerBox(name, box);
  }, [target, isWaiting]);
}

const linkIn = ({ target }: Event) =>
  target instanceof Element ? target.closest('.row')?.querySelector<HTMLElement>('[data-row]') : undefined;

const noteOf = (link: HTMLElement) => noteById(Number(link.dataset['row']));

function showRowMenu(event: MouseEvent): void {
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

const longPressMs = 500;
const maxMove = 10;

let pressed: { readonly timer: ReturnType<typeof setTimeout>; readonly select: () => void } | undefined;

function selectByLongPress(event: PointerEvent): void {
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
