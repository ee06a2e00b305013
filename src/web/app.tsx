import { computed } from '@preact/signals';
import { FillDialog } from './copy/fill-dialog.tsx';
import { NewNoteDialog } from './editor/lazy-editor.tsx';
import { Places } from './filters/places.tsx';
import { NoteList } from './list/note-list.tsx';
import { NotificationList } from './notification-list.tsx';
import { closeDialog, dialog } from './state/dialog.ts';
import { isBesideList, isBoard, isCovered } from './state/layout.ts';
import { editing } from './state/navigation.ts';
import { loading, offline, outOfDate, refresh, signedOut, snapshotAt } from './state/notes.ts';
import { TopBar } from './top-bar.tsx';
import { formatDateTime } from './ui/format.ts';
import { lazyView } from './ui/lazy.ts';
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
        {isBesideList.value && !isBoard.value && <PaneDivider />}
        <NotePane />
      </main>
      <OpenDialog />
      {signedOut.value && <SignIn />}
      <NotificationList />
    </div>
  );
}

/** Lazy, so that the list is painted first. */
const NotePane = lazyView(
  () => import('./note/note-pane.tsx').then((part) => part.NotePane),
  () => {
    editing.value = undefined;
  },
  () => editing.value !== undefined,
);
const PaneDivider = lazyView(() => import('./pane-divider.tsx').then((part) => part.PaneDivider));
const SignIn = lazyView(() => import('./session/sign-in.tsx').then((part) => part.SignIn));

/** The warning above a stale list. Without a list, its pane shows the error. */
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
        {snapshotAt.value && <span>As of {formatDateTime(new Date(snapshotAt.value).toJSON())}</span>}
        <button type="button" class="btn btn-sm touch" onClick={() => void refresh()}>
          Try again
        </button>
      </p>
    )}
  </div>
);

const Help = lazyView(() => import('./keyboard/help.tsx').then((part) => part.Help), closeDialog);
const Palette = lazyView(
  () => import('./keyboard/palette.tsx').then((part) => part.Palette),
  closeDialog,
  () => true,
);
const FiltersDialog = lazyView(
  () => import('./filters/filters-dialog.tsx').then((part) => part.FiltersDialog),
  closeDialog,
);
const History = lazyView(() => import('./history/history.tsx').then((part) => part.History), closeDialog);
const ImportDialog = lazyView(() => import('./drop/import-dialog.tsx').then((part) => part.ImportDialog), closeDialog);
const ChangeDialog = lazyView(
  () => import('./selection/change-dialog.tsx').then((part) => part.ChangeDialog),
  closeDialog,
);

/** Dialogs with a text field capture typing while they load. */
function OpenDialog() {
  const open = dialog.value;
  switch (open?.kind) {
    case 'new':
      return <NewNoteDialog {...open} />;
    case 'fill':
      return <FillDialog source={open.source} />;
    case 'import':
      return <ImportDialog records={open.records} />;
    case 'change':
      return <ChangeDialog notes={open.notes} />;
    case 'help':
      return <Help />;
    case 'palette':
      return <Palette />;
    case 'history':
      return <History id={open.note} />;
    case 'filters':
      return <FiltersDialog />;
    case undefined:
      return null;
  }
}
