import { computed } from '@preact/signals';
import { FillDialog } from './copy/fill-dialog.tsx';
import { NewNoteDialog } from './editor/lazy-editor.tsx';
import { Places } from './filters/places.tsx';
import { NoteList } from './list/note-list.tsx';
import { NotePane } from './note/note-pane.tsx';
import { NotificationList } from './notification-list.tsx';
import { closeDialog, dialog } from './state/dialog.ts';
import { isBesideList, isBoard, isCovered } from './state/layout.ts';
import { loading, offline, outOfDate, refresh, toldAt } from './state/notes.ts';
import { TopBar } from './top-bar.tsx';
import { formatDateTime } from './ui/format.ts';
import { lazy } from './ui/lazy.ts';
import { shownNote } from './ui/shown-note.ts';

export function App() {
  return (
    <div class={`app ${isBoard.value ? 'has-board' : ''} ${shownNote.value === undefined ? '' : 'has-note'}`}>
      <div class="contents" inert={isCovered.value}>
        <TopBar />
        <Banner />
        <div class="sidebar">
          <Places />
        </div>
      </div>
      <main class="contents">
        <div class="contents" inert={isCovered.value}>
          <NoteList />
        </div>
        <Divider />
        <NotePane />
      </main>
      <OpenDialog />
      <NotificationList />
    </div>
  );
}

const dividerPart = lazy(() => import('./pane-divider.tsx'));

function Divider() {
  const part = isBesideList.value && !isBoard.value ? dividerPart() : undefined;
  return part ? <part.PaneDivider /> : null;
}

/** The warning above a list that is out of date. Without a list, its pane shows the error. */
const trouble = computed(() => {
  if (loading.value.kind !== 'ready') return undefined;
  return offline.value ? away : outOfDate.value && `The list may be out of date: ${outOfDate.value}`;
});

const away = 'The service does not answer. Notes can be read and copied; what you type is kept in this browser.';

const Banner = () => (
  <div class="banner no-print" role="status">
    {trouble.value && (
      <p class="notice">
        <span class="flex-1">{trouble.value}</span>
        {toldAt.value && <span>As of {formatDateTime(new Date(toldAt.value).toJSON())}</span>}
        <button type="button" class="btn btn-sm touch" onClick={() => void refresh()}>
          Try again
        </button>
      </p>
    )}
  </div>
);

const dialogsPart = lazy(() => import('./dialogs.tsx'), closeDialog);

function LaterDialog() {
  const part = dialogsPart();
  return part ? <part.LaterDialog /> : null;
}

/** Two are there at once, as they take what is typed next. */
function OpenDialog() {
  const open = dialog.value;
  if (open?.kind === 'new') return <NewNoteDialog {...open} />;
  if (open?.kind === 'fill') return <FillDialog source={open.source} />;
  return open ? <LaterDialog /> : null;
}
