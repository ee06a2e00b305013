import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Note } from '../../domain/note.ts';
import { useKeptScroll } from './scroll-restoration.ts';

export interface VirtualListProps {
  readonly notes: readonly Note[];
  /** Tells it from other lists in the same view. */
  readonly name: string;
  readonly label: string;
  /** The note whose row is drawn wherever it is, so that it can have the focus. */
  readonly cursor: Note | undefined;
  readonly row: (note: Note) => JSX.Element;
}

/** Rows drawn beyond what is seen. */
const beyond = 6;

/** Long lists in which only what is seen is drawn: each row is as high as `--row` says. */
export function VirtualList({ notes, name, label, cursor, row }: VirtualListProps) {
  const ref = useRef<HTMLDivElement>(null);
  const seen = useSignal({ first: 0, last: 20 });
  const at = cursor ? notes.indexOf(cursor) : -1;

  function look(): void {
    const { current: box } = ref;
    if (!box) return;
    const height = rowHeightOf(box);
    const first = Math.floor(box.scrollTop / height);
    const last = Math.ceil((box.scrollTop + box.clientHeight) / height);
    if (first !== seen.peek().first || last !== seen.peek().last) seen.value = { first, last };
  }

  const keep = useKeptScroll(ref, name, (box) =>
    rowAt(box, at)?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
  );
  useLayoutEffect(look);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look);
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);

  const drawn = indexesOf(seen.value, notes.length, at).map((index) => {
    const note = notes[index];
    return note && <Place key={note.id} index={index} count={notes.length} row={row(note)} />;
  });
  return (
    <div
      ref={ref}
      class="scroller"
      onScroll={() => {
        look();
        keep();
      }}
    >
      <ul aria-label={label} class="relative" style={{ height: `calc(var(--row) * ${notes.length})` }}>
        {drawn}
      </ul>
    </div>
  );
}

/** What is drawn of `count` rows: those that are seen, some around them, and the one at `at`. */
function indexesOf(seen: { readonly first: number; readonly last: number }, count: number, at: number): number[] {
  const first = Math.max(0, Math.min(seen.first, count) - beyond);
  const last = Math.min(count, seen.last + beyond);
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  if (at >= 0 && at < first) indexes.unshift(at);
  if (at >= last) indexes.push(at);
  return indexes;
}

const Place = ({ index, count, row }: { index: number; count: number; row: JSX.Element }) => (
  <li class="row" style={{ top: `calc(var(--row) * ${index})` }} aria-setsize={count} aria-posinset={index + 1}>
    {row}
  </li>
);

const rowAt = (box: HTMLElement, index: number) => box.querySelector(`[aria-posinset="${index + 1}"]`);

const rowHeightOf = (box: HTMLElement): number => box.querySelector('li')?.offsetHeight || 88;
