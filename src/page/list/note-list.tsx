import { computed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { tooltip } from '../keyboard/keymap.ts';
import { hasSelection } from '../selection/selection.ts';
import { setTo } from '../state/effects.ts';
import { isBoard, isPaneOpen, printing, toggleBoard } from '../state/layout.ts';
import { cursor, navigate, scrollTarget, urlState } from '../state/navigation.ts';
import { loading, noteById, notes, retry } from '../state/notes.ts';
import { copiedFirst, isThere, noteAtCursor, results, words } from '../state/results.ts';
import { formatUrlState } from '../state/url-state.ts';
import { Button, IconButton } from '../ui/buttons.tsx';
import { noteCount } from '../ui/format.ts';
import { lazy, lazyView } from '../ui/lazy.ts';
import { type ListPart, partAtTop, VirtualList } from './virtual-list.tsx';

const EmptyList = lazyView(() => import('./empty-list.tsx').then((part) => part.EmptyList));
const PrintedList = lazyView(() => import('./printed-list.tsx').then((part) => part.PrintedList));
const barPart = lazy(() => import('../lazy-views.tsx'));
const Board = lazyView(
  () => import('./board.tsx').then((part) => part.Board),
  () => navigate({ view: 'list' }, 'replace'),
);

/** Preloads the views of an empty list and of print, which cannot wait when they are needed. */
export function prepareList(): void {
  EmptyList.prepare();
  PrintedList.prepare();
}

/** Whether the first notes are the top of the requested list, and the one under the cursor is among them. */
const showsFirst = computed(() => {
  const { value: target } = scrollTarget;
  const isAtTop = target.kind === 'offsets' ? (target.offsets['list']?.top ?? 0) === 0 : hasCursor();
  return notes.value.length > 0 && isAtTop && formatUrlState({ ...urlState.value, note: undefined }) === '';
});

const hasCursor = () => cursor.value === undefined || noteById(cursor.value) !== undefined;

export function NoteList() {
  const state = loading.value;
  const isShown = isThere.value || (state.kind === 'loading' && showsFirst.value);
  return (
    <section aria-label="Notes" class={`list-pane ${isPaneOpen.value ? 'no-print' : ''}`}>
      {state.kind === 'failed' && <LoadFailed text={state.text} />}
      {state.kind !== 'failed' && !isThere.value && <Waiting hasNotes={isShown} />}
      {isShown && (
        <>
          <ListHead />
          <Results />
          {printing.value && urlState.value.note === undefined && <PrintedList />}
        </>
      )}
    </section>
  );
}

function Results() {
  const notes = results.value;
  if (notes.length === 0) return <EmptyList />;
  if (isBoard.value) return <Board />;
  const at = noteAtCursor.value;
  return <VirtualList notes={notes} name="list" label="Notes" cursor={at} parts={parts.value} />;
}

const parts = computed((): readonly ListPart[] => {
  if (words.value !== '') return [{ name: 'Best match', start: 0 }];
  const { length: start } = copiedFirst.value;
  const changed = { name: 'Last changed', start };
  return start === 0 ? [changed] : [{ name: 'Recently copied', start: 0 }, changed];
});

function ListHead() {
  const part = hasSelection() ? barPart() : undefined;
  return part ? <part.SelectionBar /> : <ViewBar />;
}

function ViewBar() {
  const { archived, view } = urlState.value;
  const { length: count } = results.value;
  const isList = !isBoard.value && count > 0;
  return (
    <div class="list-head no-print">
      {isList && <h2>{parts.value[partAtTop.value]?.name}</h2>}
      <p class="min-w-0 truncate" id="count" role="status" tabIndex={-1}>
        {isThere.value && `${noteCount(count)}${archived ? ' in the archive' : ''}`}
      </p>
      {notes.value.length > 0 && (
        <IconButton
          name="board"
          label="Board"
          title={tooltip('board', 'Groups as columns')}
          class="max-sm:hidden ms-auto"
          aria-pressed={view === 'board'}
          onClick={toggleBoard}
        />
      )}
    </div>
  );
}

/** Delays, in ms, of the skeleton rows, of "Still loading", and of the Retry button. */
const delaysMs = [200, 5_000, 10_000];

/** Skeleton rows after a delay, so that quick responses do not flicker; later, a Retry button. */
function Waiting({ hasNotes }: { readonly hasNotes: boolean }) {
  const stage = useSignal(0);
  useEffect(() => {
    stage.value &&= 1; // another attempt
    const timers = delaysMs.map((delay, index) => setTimeout(setTo(stage, index + 1), delay));
    return () => timers.forEach(clearTimeout);
  }, [loading.value]);
  if (stage.value < (hasNotes ? 2 : 1)) return null;
  return (
    <div role="status" aria-label="Loading notes">
      <p class="flex h-9 items-center gap-3 px-5 text-sm max-sm:h-11">
        {stage.value > 1 && 'Still loading'}
        {stage.value > 2 && <Retry />}
      </p>
      <div class="animate-pulse" hidden={hasNotes}>
        {Array.from({ length: 16 }, (_, index) => (
          <div key={index} class="flex h-(--row) flex-col gap-1.25 ps-14.5 pe-5 pt-3.75">
            <div class="skeleton h-4 w-2/3" />
            <div class="skeleton h-3 w-full" />
          </div>
        ))}
      </div>
    </div>
  );
}

const Retry = () => (
  <Button class="btn-primary" onClick={() => void retry()}>
    Retry
  </Button>
);

const LoadFailed = ({ text }: { text: string }) => (
  <div class="flex flex-col items-start gap-3 p-5" role="alert">
    <p class="font-medium">The notes could not be loaded</p>
    <p class="text-sm">{text}</p>
    <Retry />
  </div>
);
