import { computed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatTooltip, keymap } from '../keyboard/keymap.ts';
import { findOrLoadLateViews } from '../load-late-views.ts';
import { hasSelection } from '../selection/selection.ts';
import { copyCount } from '../state/copy-counts.ts';
import { reloadListOrPage } from '../state/first-draw.ts';
import { clearImportedIds, importedIds } from '../state/imported-ids.ts';
import { isBoardShown, isNoteOrNewFormOpen, isPrinting, toggleBoard } from '../state/layout.ts';
import { activeSort, isListSearched, listedNotes, listSections, noteAtCursor } from '../state/listed-notes.ts';
import { changeUrlState, cursorNoteId, scrollTarget, urlState } from '../state/navigation.ts';
import { findNoteById, listLoadState, notes } from '../state/notes.ts';
import { createSetter } from '../state/signal-helpers.ts';
import { noteSortOrderLabels } from '../state/sort-notes.ts';
import { formatUrlState } from '../state/url-state.ts';
import { Button, IconButton } from '../ui/buttons.tsx';
import { formatLocalNoteCount } from '../ui/format-for-page.ts';
import { createLazyView, notifyLoadFailureOnce } from '../ui/lazy-parts.ts';
import { type ListPart, partIndexAtTop, VirtualList } from './virtual-list.tsx';

const EmptyList = createLazyView(() => import('./empty-list.tsx').then((part) => part.EmptyList));
const PrintedList = createLazyView(() => import('./printed-list.tsx').then((part) => part.PrintedList));
const Board = createLazyView(
  () => import('./board.tsx').then((part) => part.Board),
  () => changeUrlState({ view: 'list' }, 'replace'),
);

/** Preloads the views of an empty list and of print, which cannot wait when they are needed. */
export function preloadListViews(): void {
  EmptyList.prepare();
  PrintedList.prepare();
}

/** Whether the first notes are the top of the requested list, and the one under the cursor is among them. */
const canShowFirstNotes = computed(() => {
  const { value: target } = scrollTarget;
  const isAtTop = target.kind === 'offsets' ? (target.offsets['list']?.top ?? 0) === 0 : isCursorNoteLoaded();
  return (
    notes.value.length > 0 &&
    isAtTop &&
    activeSort.value === 'changed' &&
    formatUrlState({ ...urlState.value, note: undefined }) === ''
  );
});

const isCursorNoteLoaded = () => cursorNoteId.value === undefined || findNoteById(cursorNoteId.value) !== undefined;

export function ListPane() {
  const state = listLoadState.value;
  const part = findOrLoadLateViews();
  const drafts = part && <part.DraftRows />;
  const isShown = isListSearched.value || (state.kind === 'loading' && canShowFirstNotes.value);
  return (
    <section aria-label="Notes" class={`list-pane ${isNoteOrNewFormOpen.value ? 'no-print' : ''}`}>
      {state.kind === 'failed' && <LoadFailure text={state.text} />}
      {state.kind !== 'failed' && !isListSearched.value && <ListLoadStatus hasNotes={isShown} />}
      {isShown && (
        <>
          {isHeadOfPinnedOrCopied.value && drafts}
          <ListHead />
          {!isHeadOfPinnedOrCopied.value && drafts}
          <ListOrBoard />
          {areKeyHintsShown.value && <KeyHints />}
          {isPrinting.value && urlState.value.note === undefined && <PrintedList />}
        </>
      )}
    </section>
  );
}

function ListOrBoard() {
  const notes = listedNotes.value;
  if (notes.length === 0) return <EmptyList />;
  if (isBoardShown.value) return <Board />;
  const at = noteAtCursor.value;
  return <VirtualList notes={notes} name="list" label="Notes" cursor={at} parts={listParts.value} />;
}

/** The keys to begin with, until this many copies were made in this browser. */
const maxHintedCopies = 20;

export const areKeyHintsShown = computed(() => copyCount.value < maxHintedCopies && listedNotes.value.length > 0);

const KeyHints = () => (
  <p class="list-foot keys no-print">
    {keyHints.map(([key, verb]) => (
      <span key={key}>
        <kbd class="kbd kbd-sm">{key}</kbd> {verb}
      </span>
    ))}
  </p>
);

const keyHints = [
  [keymap.copy.keys[0], 'copy'],
  [keymap.open.keys[1], 'open'],
  [keymap.help.keys[0], 'keys'],
] as const;

const listParts = computed((): readonly ListPart[] => {
  const labels = { pinned: 'Pinned', copied: 'Recently copied', sorted: noteSortOrderLabels[activeSort.value] };
  let start = 0;
  return listSections.value.map(({ name, notes }) => {
    const part = { name: labels[name], start };
    start += notes.length;
    return part;
  });
});

/** Whether the head of the list has the heading of a section that drafts do not belong to: they stand above it. */
const isHeadOfPinnedOrCopied = computed(
  () => !isBoardShown.value && ['pinned', 'copied'].includes(listSections.value[0]?.name ?? ''),
);

function ListHead() {
  const part = hasSelection() ? findOrLoadLateViews() : undefined;
  return part ? <part.SelectionBar /> : <ViewBar />;
}

function ViewBar() {
  const { archived, view } = urlState.value;
  const { length: count } = listedNotes.value;
  const isList = !isBoardShown.value && count > 0;
  const hasSortedNotes = listSections.value.some(({ name }) => name === 'sorted'); // pinned ones have an order of their own
  return (
    <div class="list-head no-print">
      {isList && <h2>{listParts.value[partIndexAtTop.value]?.name}</h2>}
      <p class="min-w-0 flex-1 truncate" id="count" role="status" tabIndex={-1}>
        {isListSearched.value &&
          `${formatLocalNoteCount(count)}${importedIds.value ? ' imported' : ''}${archived ? ' in the archive' : ''}`}
      </p>
      {importedIds.value && (
        <Button class="my-1" onClick={clearImportedIds}>
          Show all
        </Button>
      )}
      {hasSortedNotes && (
        <IconButton
          name="sort"
          label={`Sort: ${noteSortOrderLabels[activeSort.value]}`}
          aria-haspopup="menu"
          onClick={({ currentTarget }) =>
            void import('../late-views.tsx').then((part) => part.openSortMenu(currentTarget), notifyLoadFailureOnce)
          }
        />
      )}
      {notes.value.length > 0 && (
        <IconButton
          name="board"
          label="Board"
          title={formatTooltip('board', 'Groups as columns')}
          class="max-sm:hidden"
          aria-pressed={view === 'board'}
          onClick={toggleBoard}
        />
      )}
    </div>
  );
}

/** Delays, in ms, of the skeleton rows, of "Still loading", and of the Retry button. */
const skeletonDelaysMs = [200, 5_000, 10_000];

/** Skeleton rows after a delay, so that quick responses do not flicker; later, a Retry button. */
function ListLoadStatus({ hasNotes }: { readonly hasNotes: boolean }) {
  const stage = useSignal(0);
  useEffect(() => {
    stage.value &&= 1; // another attempt
    const timers = skeletonDelaysMs.map((delay, index) => setTimeout(createSetter(stage, index + 1), delay));
    return () => timers.forEach(clearTimeout);
  }, [listLoadState.value]);
  if (stage.value < (hasNotes ? 2 : 1)) return null;
  return (
    <div role="status" aria-label="Loading notes">
      <p class="flex h-6.5 items-center gap-3 px-5 text-sm max-sm:h-11">
        {stage.value > 1 && 'Still loading'}
        {stage.value > 2 && <RetryLoadButton />}
      </p>
      <div class="animate-pulse" hidden={hasNotes}>
        {Array.from({ length: 16 }, (_, index) => (
          <div key={index} class="flex h-(--row) flex-col gap-1.25 ps-11.5 pe-5 pt-2.5">
            <div class="skeleton h-4 w-2/3" />
            <div class="skeleton h-3 w-full" />
          </div>
        ))}
      </div>
    </div>
  );
}

const RetryLoadButton = () => (
  <Button class="btn-primary" onClick={reloadListOrPage}>
    Retry
  </Button>
);

const LoadFailure = ({ text }: { text: string }) => (
  <div class="flex flex-col items-start gap-3 p-5" role="alert">
    <p class="font-medium">The notes could not be loaded</p>
    <p class="text-sm">{text}</p>
    <RetryLoadButton />
  </div>
);
