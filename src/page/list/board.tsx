import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Note } from '../../core/note.ts';
import { notifyChanged } from '../changes.ts';
import { forSelected } from '../selection/selection.ts';
import { setTo } from '../state/effects.ts';
import { groupName } from '../state/labels.ts';
import { cursor, saveScroll, setCursor } from '../state/navigation.ts';
import { noteById, update, writeFailureText } from '../state/notes.ts';
import { notify } from '../state/notifications.ts';
import { boardColumns, noteAtCursor } from '../state/results.ts';
import { Button } from '../ui/buttons.tsx';
import { flushSync, focusAwaited, focusRow } from '../ui/focus.ts';
import { displayTitle } from '../ui/format.ts';
import { showNoteAtCursor } from '../ui/open-note.ts';
import { useScrollRestoration, VirtualList } from './virtual-list.tsx';

const draggedType = 'application/x-note';

export function Board() {
  const ref = useRef<HTMLDivElement>(null);
  useScrollRestoration(ref, 'board');
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
        <Button class="board-more" onClick={() => ref.current?.scrollBy({ left: 400 })}>
          {hidden} more
        </Button>
      )}
      <div
        ref={ref}
        class="board"
        onScroll={() => {
          saveScroll();
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
            onDragEnd={setTo(target, undefined)}
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

function columnsBeside(by: -1 | 1) {
  const own = boardColumns.value.findIndex(({ group }) => group === noteAtCursor.value?.group);
  return by < 0 ? boardColumns.value.slice(0, own).reverse() : boardColumns.value.slice(own + 1);
}

/** Moves the cursor to the same row of the next column that has notes. */
export function moveAcross(by: -1 | 1): void {
  const { value: from } = noteAtCursor;
  const notes = columnsBeside(by).find(({ notes }) => notes.length > 0)?.notes;
  if (!from || !notes) return;
  const place = boardColumns.value.find(({ group }) => group === from.group)?.notes.indexOf(from) ?? 0;
  flushSync(() => setCursor(notes[Math.min(place, notes.length - 1)]?.id));
  showNoteAtCursor();
  focusRow();
}

export function moveNote(by: -1 | 1): void {
  const { value: note } = noteAtCursor;
  const group = columnsBeside(by)[0]?.group;
  if (!note || !group) return;
  forSelected(
    (verbs, notes) => verbs.changeTo(notes, 'group', group),
    () => void moveToGroup(note, group),
  )();
}

async function moveToGroup(note: Note, group: Note['group']): Promise<void> {
  if (note.group === group) return;
  setCursor(note.id);
  try {
    const saved = await update(note, { group });
    if (cursor.value === note.id) setCursor(note.id); // scrolls to its row in the new column
    if (document.activeElement === document.body) focusRow(); // a drag took the focus from the card that had it
    const text = `Moved to ${groupName(group)}: “${displayTitle(note)}”`;
    notifyChanged(text, [{ before: note, after: saved }], () => {
      setCursor(note.id);
      requestAnimationFrame(focusRow);
    });
  } catch (error) {
    notify(writeFailureText(`“${displayTitle(note)}” was not moved`, error), { kind: 'failure' });
  }
}
