import { useRef } from 'preact/hooks';
import { columns, noteAtCursor } from '../state/results.ts';
import { groupName, noteCount } from '../ui/format.ts';
import { useScrollRestoration } from './scroll-restoration.ts';
import { VirtualList } from './virtual-list.tsx';

/** The five groups side by side, or below each other where there is no room. */
export function Board() {
  const ref = useRef<HTMLDivElement>(null);
  const keep = useScrollRestoration(ref, 'board');
  const at = noteAtCursor.value;
  return (
    <div ref={ref} class="board" onScroll={keep}>
      {columns.value.map(({ group, notes }) => (
        <section key={group} class="board-column" aria-labelledby={`group-${group}`}>
          <h2
            id={`group-${group}`}
            class="flex justify-between border-b border-base-300 px-3 py-2 text-sm font-semibold tabular-nums"
          >
            {groupName(group)}
            <span class="font-normal muted">{noteCount(notes.length)}</span>
          </h2>
          <VirtualList
            notes={notes}
            name={group}
            label={`Notes of group ${group}`}
            cursor={at?.group === group ? at : undefined}
          />
        </section>
      ))}
    </div>
  );
}
