import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Note } from '../../core/note.ts';
import { createSelectionCommand } from '../selection/selection.ts';
import { boardColumns, noteAtCursor } from '../state/listed-notes.ts';
import { cursorNoteId, saveScrollOffsets, setCursorNoteAndScroll } from '../state/navigation.ts';
import { handleWriteFailureAndFormat, updateAndShowNote } from '../state/note-requests.ts';
import { findNoteById } from '../state/notes.ts';
import { notify } from '../state/notifications.ts';
import { createSetter } from '../state/signal-helpers.ts';
import { Button } from '../ui/buttons.tsx';
import { formatNoteTitle, formatValueLabel } from '../ui/format-for-page.ts';
import { flushSync, focusCursorRow, retryAwaitedFocus } from '../ui/move-focus.ts';
import { followCursorIfNoteOpen } from '../ui/open-note.ts';
import { notifyChangesWithUndo } from '../write-notes.ts';
import { createCardLayout } from './card-layout.ts';
import { useScrollRestorationAndSaving, VirtualList } from './virtual-list.tsx';

const draggedNoteType = 'application/x-note';

export function Board() {
  const ref = useRef<HTMLDivElement>(null);
  useScrollRestorationAndSaving(ref, 'board');
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
  useLayoutEffect(retryAwaitedFocus, []);
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
          saveScrollOffsets();
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
              if (row) dataTransfer?.setData(draggedNoteType, row.dataset['row'] ?? '');
            }}
            onDragEnd={createSetter(target, undefined)}
            onDragOver={(event) => {
              if (!event.dataTransfer?.types.includes(draggedNoteType)) return;
              event.preventDefault();
              target.value = group;
            }}
            onDrop={(event) => {
              target.value = undefined;
              const note = findNoteById(Number(event.dataTransfer?.getData(draggedNoteType)));
              if (!note) return;
              event.preventDefault();
              void moveNoteToGroupAndNotify(note, group);
            }}
          >
            <h2 id={`group-${group}`} class="flex justify-between gap-2 tabular-nums">
              <span class="truncate" title={`Group ${formatValueLabel(group)}`}>
                {formatValueLabel(group)}
              </span>
              <span class="text-xs font-normal muted">{notes.length.toLocaleString()}</span>
            </h2>
            <VirtualList
              notes={notes}
              name={group}
              label={`Notes of group ${formatValueLabel(group)}`}
              cursor={at?.group === group ? at : undefined}
              layOut={createCardLayout}
            />
          </section>
        ))}
      </div>
    </>
  );
}

function listColumnsToSide(by: -1 | 1) {
  const own = boardColumns.value.findIndex(({ group }) => group === noteAtCursor.value?.group);
  return by < 0 ? boardColumns.value.slice(0, own).reverse() : boardColumns.value.slice(own + 1);
}

/** Moves the cursor to the same row of the next column that has notes. */
export function moveCursorAcross(by: -1 | 1): void {
  const { value: from } = noteAtCursor;
  const notes = listColumnsToSide(by).find(({ notes }) => notes.length > 0)?.notes;
  if (!from || !notes) return;
  const place = boardColumns.value.find(({ group }) => group === from.group)?.notes.indexOf(from) ?? 0;
  flushSync(() => setCursorNoteAndScroll(notes[Math.min(place, notes.length - 1)]?.id));
  followCursorIfNoteOpen();
  focusCursorRow();
}

export function moveNotesAcross(by: -1 | 1): void {
  const { value: note } = noteAtCursor;
  const group = listColumnsToSide(by)[0]?.group;
  if (!note || !group) return;
  createSelectionCommand(
    (verbs, notes) => verbs.setFieldAndNotify(notes, 'group', group),
    () => void moveNoteToGroupAndNotify(note, group),
  )();
}

async function moveNoteToGroupAndNotify(note: Note, group: Note['group']): Promise<void> {
  if (note.group === group) return;
  setCursorNoteAndScroll(note.id);
  try {
    const saved = await updateAndShowNote(note, { group });
    if (cursorNoteId.value === note.id) setCursorNoteAndScroll(note.id); // scrolls to its row in the new column
    if (document.activeElement === document.body) focusCursorRow(); // a drag took the focus from the card that had it
    const text = `Moved to ${formatValueLabel(group)}: “${formatNoteTitle(note)}”`;
    notifyChangesWithUndo(text, [{ before: note, after: saved }], () => {
      setCursorNoteAndScroll(note.id);
      requestAnimationFrame(focusCursorRow);
    });
  } catch (error) {
    notify(handleWriteFailureAndFormat(`“${formatNoteTitle(note)}” was not moved`, error), { kind: 'failure' });
  }
}
