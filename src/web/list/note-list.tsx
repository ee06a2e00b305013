import { go, place } from '../state/navigation.ts';
import { loading } from '../state/notes.ts';
import { found, noteAtCursor } from '../state/results.ts';
import { counted } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Board } from './board.tsx';
import { EmptyList } from './empty-list.tsx';
import { LoadFailed, Skeleton } from './load-states.tsx';
import { PrintedList, printing } from './printed-list.tsx';
import { Row } from './row.tsx';
import { VirtualList } from './virtual-list.tsx';

/** The notes that were found, as rows or as a board. */
export function NoteList() {
  const state = loading.value;
  return (
    <section aria-label="Notes" class="list-pane">
      {state.kind === 'failed' && <LoadFailed text={state.text} />}
      {state.kind === 'loading' && <Skeleton />}
      {state.kind === 'ready' && (
        <>
          <ListHead />
          <Found />
          {printing.value && place.value.note === undefined && <PrintedList />}
        </>
      )}
    </section>
  );
}

function Found() {
  const notes = found.value;
  if (notes.length === 0) return <EmptyList />;
  if (place.value.view === 'board') return <Board />;
  const at = noteAtCursor.value;
  return (
    <VirtualList
      notes={notes}
      name="list"
      label="Notes"
      cursor={at}
      row={(note) => <Row note={note} isAtCursor={note === at} />}
    />
  );
}

function ListHead() {
  const { archived, view } = place.value;
  return (
    <div class="list-head no-print">
      <p class="min-w-0 flex-1 truncate text-sm muted" id="count" role="status" tabIndex={-1}>
        {counted(found.value.length)}
        {archived ? ' in the archive' : ''}
      </p>
      <button
        type="button"
        class="btn btn-ghost btn-sm touch"
        title={archived ? 'Leave the archive' : 'Show the archive'}
        aria-pressed={archived}
        onClick={() => go({ archived: !archived })}
      >
        <Icon name="archive" />
        Archive
      </button>
      <button
        type="button"
        class="btn btn-ghost btn-sm touch"
        aria-pressed={view === 'board'}
        onClick={() => go({ view: view === 'board' ? 'list' : 'board' })}
      >
        <Icon name="board" />
        Board
      </button>
    </div>
  );
}
