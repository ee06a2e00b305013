import { computed } from '@preact/signals';
import { FillDialog } from './copy/fill-dialog.tsx';
import { NewNoteDialog } from './editor/lazy-editor.tsx';
import { Places } from './filters/places.tsx';
import { NoteList } from './list/note-list.tsx';
import { NotePane } from './note/note-pane.tsx';
import { NotificationList } from './notification-list.tsx';
import { closeDialog, type Dialog, dialog } from './state/dialog.ts';
import { isBesideList, isBoard, isCovered } from './state/layout.ts';
import { loading, offline, outOfDate, refresh, toldAt } from './state/notes.ts';
import { TopBar } from './top-bar.tsx';
import { formatDateTime } from './ui/format.ts';
import { lazy } from './ui/lazy.ts';
import { Modal } from './ui/modal.tsx';
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

const helpPart = lazy(() => import('./keyboard/help.tsx'), closeDialog);

function Help() {
  const part = helpPart();
  return part ? <part.Help /> : null;
}

const palettePart = lazy(() => import('./keyboard/palette.tsx'), closeDialog);

function Palette() {
  const part = palettePart();
  return part ? <part.Palette /> : null;
}

const historyPart = lazy(() => import('./history/history.tsx'), closeDialog);

function History({ note }: { note: number }) {
  const part = historyPart();
  return part ? <part.History id={note} /> : null;
}

const importPart = lazy(() => import('./drop/import-dialog.tsx'), closeDialog);

function ImportFiles({ records }: Extract<Dialog, { kind: 'import' }>) {
  const part = importPart();
  return part ? <part.ImportDialog records={records} /> : null;
}

function OpenDialog() {
  const open = dialog.value;
  switch (open?.kind) {
    case 'new':
      return <NewNoteDialog {...open} />;
    case 'fill':
      return <FillDialog source={open.source} />;
    case 'import':
      return <ImportFiles {...open} />;
    case 'help':
      return <Help />;
    case 'palette':
      return <Palette />;
    case 'history':
      return <History note={open.note} />;
    case 'filters':
      return (
        <Modal title="Filters" closesOnBackdrop>
          <Places isAdding />
        </Modal>
      );
    case undefined:
      return null;
  }
}
