import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Note } from '../../core/note.ts';
import { groupName } from '../state/labels/labels.ts';
import { noteById } from '../state/notes.ts';
import { boardColumns, noteAtCursor } from '../state/results.ts';
import { focusAwaited } from '../ui/focus.ts';
import { moveToGroup } from './board-commands.ts';
import { useScrollRestoration } from './scroll-restoration.ts';
import { VirtualList } from './virtual-list.tsx';

const draggedType = 'application/x-note';

/** The groups as columns; notes can be dragged between them. */
export function Board() {
  const ref = useRef<HTMLDivElement>(null);
  const keep = useScrollRestoration(ref, 'board');
  const at = noteAtCursor.value;
  const target = useSignal<Note['group'] | undefined>(undefined);
  const hidden = useSignal(0);
  const measure = () => {
    const { current: box } = ref;
    const right = box?.getBoundingClientRect().right ?? 0;
    const ends = [...(box?.querySelectorAll('.board-column') ?? [])].map(
      (column) => column.getBoundingClientRect().right,
    );
    hidden.value = ends.filter((end) => end > right).length;
  };
  useLayoutEffect(focusAwaited, []);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure);
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return (
    <>
      {hidden.value > 0 && (
        <button type="button" class="btn btn-sm touch board-more" onClick={() => ref.current?.scrollBy({ left: 400 })}>
          {hidden} more
        </button>
      )}
      <div
        ref={ref}
        class="board"
        onScroll={() => {
          keep();
          measure();
        }}
      >
        {boardColumns.value.map(({ group, notes }) => (
          <section
            key={group}
            class={`board-column ${target.value === group ? 'is-target' : ''}`}
            aria-labelledby={`group-${group}`}
            onDragStart={({ target: dragged, dataTransfer }) => {
              const row = dragged instanceof Element ? dragged.closest<HTMLElement>('[data-row]') : null;
              if (row) dataTransfer?.setData(draggedType, row.dataset['row'] ?? '');
            }}
            onDragEnd={() => {
              target.value = undefined;
            }}
            onDragOver={(event) => {
              if (!event.dataTransfer?.types.includes(draggedType)) return;
              event.preventDefault();
              target.value = group;
            }}
            onDrop={(event) => {
              target.value = undefined;
              const note = noteById(Number(event.dataTransfer?.getData(draggedType)));
              if (!note) return;
              event.preventDefault();
              void moveToGroup(note, group);
            }}
          >
            <h2 id={`group-${group}`} class="flex justify-between gap-2 tabular-nums">
              <span class="truncate" title={groupName(group)}>
                {groupName(group)}
              </span>
              <span class="text-xs font-normal muted">{notes.length.toLocaleString()}</span>
            </h2>
            <VirtualList
              notes={notes}
              name={group}
              label={`Notes of group ${groupName(group)}`}
              cursor={at?.group === group ? at : undefined}
            />
          </section>
        ))}
      </div>
    </>
  );
}
