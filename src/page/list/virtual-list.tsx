import { signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Note } from '../../core/note.ts';
import { findOrLoadLateViews } from '../load-late-views.ts';
import { isWorkerSearching } from '../state/listed-notes.ts';
import { registerScrollBox, saveScrollOffsets, scrollTarget } from '../state/navigation.ts';
import { density } from '../state/settings.ts';
import { maxExcerptLength } from '../ui/format-for-page.ts';
import { moveCursorByRowsAndFocus } from '../ui/open-note.ts';
import type { CardLayout } from './card-layout.ts';
import { renderRow } from './row.tsx';

interface VirtualListProps {
  readonly notes: readonly Note[];
  readonly name: string;
  readonly label: string;
  /** The note whose row is always rendered, so that it can have the focus. */
  readonly cursor: Note | undefined;
  readonly parts?: readonly ListPart[];
  /** The places of cards in a box of a width in px; rows have the same height each. */
  readonly layOut?: (notes: readonly Note[], width: number) => CardLayout;
}

export type ListPart = Readonly<{ name: string; start: number }>;

export const partIndexAtTop = signal(0);

/** Rows rendered above and below the visible ones; one below the top of a list, which every key of a search renders. */
const overscanRows = 6;

/** In px: a row, and what stands above and below the list, until they are measured. */
const usualRowHeight = 52;
const usualHeightBesideList = 96;

/**
 * In px, of the width of the list for each character of a text with narrow letters. What does not fit is not rendered:
 * rows of 70 instead of 160 characters took 1.5 ms less of the processor time of a key, of 18.
 */
const narrowCharacterWidth = 4.5;

/** The rows to render at first; the right number saves a second rendering of the list before the first frame. */
const estimateVisibleRows = () => Math.ceil((innerHeight - usualHeightBesideList) / usualRowHeight);

export function VirtualList({ notes, name, label, cursor, parts = [], layOut }: VirtualListProps) {
  const ref = useRef<HTMLDivElement>(null);
  const visible = useSignal({ first: 0, last: layOut ? 10 : estimateVisibleRows() });
  const width = useSignal(0);
  const excerptLength = useRef(maxExcerptLength);
  /** The row below the pointer, and the note whose row had the focus last: in these rows there are buttons. */
  const pointedIndex = useSignal(-1);
  const focusedNoteId = useSignal<Note['id'] | undefined>(undefined);
  const cards = useMemo(() => layOut?.(notes, width.value), [layOut, notes, width.value]);
  const at = cursor ? notes.indexOf(cursor) : -1;
  const lastAt = useRef(-1);
  const rowKeys = useRef<RowKeys>(new Map());
  const headings = parts.slice(1); // the head of the list has that of the first part

  function updateVisibleRange(): void {
    const { current: box } = ref;
    if (!box) return;
    if (layOut) width.value = box.clientWidth;
    const fittingLength = Math.min(Math.ceil(box.clientWidth / narrowCharacterWidth), maxExcerptLength);
    const isLonger = fittingLength > excerptLength.current;
    excerptLength.current = fittingLength;
    const height = cards ? 0 : box.querySelector<HTMLElement>('.row')?.offsetHeight || usualRowHeight;
    const headingHeight = box.querySelector<HTMLElement>('.list-heading')?.offsetHeight ?? 0;
    const countHeadingsAbove = (offset: number) =>
      headings.filter(({ start }, before) => start * height + before * headingHeight <= offset).length;
    const indexAt = (offset: number) =>
      cards?.findIndexAt(offset) ?? (offset - countHeadingsAbove(offset) * headingHeight) / height;
    const first = Math.floor(indexAt(box.scrollTop));
    const last = Math.ceil(indexAt(box.scrollTop + box.clientHeight)) + (cards ? 1 : 0);
    if (!cards) partIndexAtTop.value = countHeadingsAbove(box.scrollTop);
    if (isLonger || first !== visible.peek().first || last !== visible.peek().last) visible.value = { first, last };
  }

  useLayoutEffect(scrollPartlyVisibleCursorRow, [at]); // before the saved offset is restored, which counts more
  useScrollRestorationAndSaving(ref, name, (box) =>
    findRowElement(box, at)?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
  );

  /** Reveals the rest of its row, which a change may have moved to the edge of what is seen. */
  function scrollPartlyVisibleCursorRow(): void {
    const wasThere = lastAt.current >= 0;
    lastAt.current = at;
    const row = ref.current && findRowElement(ref.current, at);
    if (!ref.current || !row || !wasThere) return;
    const { top, bottom } = ref.current.getBoundingClientRect();
    const { top: start, bottom: end } = row.getBoundingClientRect();
    if (end > top && start < bottom) row.scrollIntoView({ block: 'nearest' });
  }

  void density.value; // changes the row height: measure again
  useLayoutEffect(updateVisibleRange);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => {
      updateVisibleRange();
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
    moveCursorByRowsAndFocus(Math.min(Math.max(by, -at), notes.length - 1 - at));
  }

  const indexes = listRenderedIndexes(visible.value, notes.length, at);
  rowKeys.current = assignRowKeys(
    indexes.flatMap((index) => notes[index]?.id ?? []),
    rowKeys.current,
  );
  const drawn = indexes.map((index) => {
    const note = notes[index];
    const headingsAbove = headings.filter(({ start }) => start <= index).length;
    const place = cards ? createCardStyle(cards, index) : { style: createRowStyle(index, headingsAbove) };
    if (!note) return undefined;
    const rowKey = rowKeys.current.get(note.id);
    const isInUse = index === pointedIndex.value || note.id === focusedNoteId.value;
    return renderRow({
      note,
      rowKey,
      index,
      count: notes.length,
      isAtCursor: index === at,
      isInUse,
      excerptLength: excerptLength.current,
      ...place,
    });
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the rows inside have the focus
    <div
      ref={ref}
      class="scroller"
      onKeyDown={moveFar}
      onContextMenu={(event) => findOrLoadLateViews()?.showRowMenu(event)}
      onPointerDown={(event) => findOrLoadLateViews()?.selectByLongPress(event)}
      onPointerOver={({ target }) => {
        pointedIndex.value = Number(findRowAround(target)?.ariaPosInSet ?? 0) - 1;
      }}
      onPointerLeave={() => {
        pointedIndex.value = -1;
      }}
      onFocusIn={({ target }) => {
        const id = findRowAround(target)?.querySelector<HTMLElement>('[data-row]')?.dataset['row'];
        focusedNoteId.value = id === undefined ? undefined : Number(id);
      }}
      onScroll={() => {
        updateVisibleRange();
        saveScrollOffsets();
      }}
    >
      {headings.map(({ name, start }, before) => (
        <h2 key={name} class="list-heading" style={createRowStyle(start, before)}>
          {name}
        </h2>
      ))}
      <div
        role="treegrid"
        aria-label={label}
        aria-multiselectable="true"
        class="relative"
        style={{
          height: cards ? `${cards.getTopRem(notes.length)}rem` : createRowStyle(notes.length, headings.length).top,
        }}
      >
        {drawn}
      </div>
    </div>
  );
}

const createRowStyle = (rowsAbove: number, headingsAbove: number) => ({
  top: `calc(var(--row) * ${rowsAbove} + var(--heading) * ${headingsAbove})`,
});

function createCardStyle(cards: CardLayout, index: number) {
  const top = cards.getTopRem(index);
  return {
    style: { top: `${top}rem`, height: `${cards.getTopRem(index + 1) - top}rem` },
    class: cards.getClass(index),
  };
}

/** The indexes of the rows to render: the visible ones, `overscanRows` around them, and `at`. */
function listRenderedIndexes(
  visible: { readonly first: number; readonly last: number },
  count: number,
  at: number,
): number[] {
  const first = Math.max(0, Math.min(visible.first, count) - overscanRows);
  const last = Math.min(count, visible.last + (visible.first === 0 ? 1 : overscanRows));
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  if (at >= 0 && at < first) indexes.unshift(at);
  if (at >= last) indexes.push(at);
  return indexes;
}

/**
 * The keys of the rendered rows by the ids of their notes, from top to bottom. Rows with the same key share elements.
 */
type RowKeys = ReadonlyMap<Note['id'], number>;

let lastRowKey = 0;

/**
 * A note keeps its key while it is rendered, and with it the focus. While the search has the focus, rows take the keys
 * of those that were in their places: to change elements is quicker than to make new ones.
 */
function assignRowKeys(ids: readonly Note['id'][], before: RowKeys): RowKeys {
  const isTyping = document.activeElement?.id === 'search';
  const keysByPlace = isTyping ? [...before.values()] : [];
  return new Map(ids.map((id, place) => [id, (isTyping ? keysByPlace[place] : before.get(id)) ?? ++lastRowKey]));
}

const findRowAround = (target: EventTarget | null) => (target instanceof Element ? target.closest('.row') : null);

const findRowElement = (box: HTMLElement, index: number) => box.querySelector(`[aria-posinset="${index + 1}"]`);

/**
 * Scrolls a box to its saved offset, once the list is the one that was searched for; calls `reveal` if the target is
 * the cursor. From then on the offset of the box is saved.
 */
export function useScrollRestorationAndSaving(
  ref: RefObject<HTMLElement | null>,
  name: string,
  reveal?: (box: HTMLElement) => void,
): void {
  const target = scrollTarget.value;
  const isWaiting = target.kind === 'offsets' && isWorkerSearching.value;
  useLayoutEffect(() => {
    const { current: box } = ref;
    if (!box || isWaiting) return;
    if (target.kind === 'cursor') reveal?.(box);
    else box.scrollTo({ left: 0, top: 0, ...target.offsets[name], behavior: 'instant' });
    return registerScrollBox(name, box);
  }, [target, isWaiting]);
}
