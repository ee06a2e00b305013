import { computed } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { copyText } from './copy/copy.ts';
import { chooseFiles } from './drop/listen.ts';
import { Places } from './filters/places.tsx';
import { runCommand } from './keyboard/keyboard.ts';
import { helpName, tooltip } from './keyboard/keymap.ts';
import { itemOf } from './keyboard/note-actions.ts';
import { NoteList } from './list/note-list.tsx';
import { SearchBox } from './list/search-box.tsx';
import { NotificationList } from './notification-list.tsx';
import { hasSelection } from './selection/selection.ts';
import { firstNotesPainted } from './state/cached-list.ts';
import { closeDialog, dialog, openDialog } from './state/dialog.ts';
import { isBesideList, isBoard, isCovered, isPaneOpen } from './state/layout.ts';
import { editing } from './state/navigation.ts';
import { hasNoNotes, loading, offline, outOfDate, refresh, signedOut, snapshotAt } from './state/notes.ts';
import { notifications } from './state/notifications.ts';
import { Button, IconButton } from './ui/buttons.tsx';
import { focusAwaited } from './ui/focus.ts';
import { formatDateTime } from './ui/format.ts';
import { Icon } from './ui/icons.tsx';
import { LoadingPlaceholder, lazy, notifyMissing } from './ui/lazy.ts';
import { hasPane } from './ui/open-note.ts';

export function App() {
  const part = parts();
  useLayoutEffect(focusAwaited, [part]);
  const states = [
    hasNoNotes.value && editing.value !== 'new' && 'is-new',
    isBoard.value && 'has-board',
    hasPane.value && 'has-note',
    isPaneOpen.value && 'has-open-pane',
    editing.value !== undefined && 'is-editing',
    hasSelection() && 'is-selecting',
    trouble.value && 'has-trouble',
  ];
  return (
    <div class={`app ${states.filter(Boolean).join(' ')}`}>
      <div class="contents" inert={isCovered.value}>
        <TopBar />
        <Banner />
        <div class="sidebar">
          <Places />
        </div>
      </div>
      <main class="contents">
        {part && isBesideList.value && <part.PaneDivider name="sidebar" />}
        <div class="contents" inert={isCovered.value}>
          <NoteList />
        </div>
        {part && isBesideList.value && !isBoard.value && <part.PaneDivider name="list" />}
        {part ? <part.NotePane /> : editing.value === undefined ? <div class="nothing-open" /> : <LoadingPlaceholder />}
      </main>
      {part ? <part.OpenDialog /> : hasField() && <LoadingPlaceholder />}
      {part && signedOut.value && <part.SignIn />}
      <NotificationList />
    </div>
  );
}

/** Requested after the first paint, which loading and compiling them would delay. */
const parts = lazy(() => firstNotesPainted().then(() => import('./lazy-views.tsx')), leaveMissing);

/** Leaves what could not be loaded. A text is copied with its placeholders, which are visible where it is pasted. */
function leaveMissing(): void {
  const open = dialog.value;
  editing.value = undefined;
  closeDialog();
  if (open?.kind === 'fill') void copyText(open.source, open.source.text);
}

/** Dialogs with a text field capture typing while they load. */
const hasField = () => ['fill', 'palette'].includes(dialog.value?.kind ?? '');

/** The warning above a stale list. Without a list, its pane shows the error. */
const trouble = computed(() => {
  if (loading.value.kind !== 'ready') return undefined;
  return offline.value
    ? 'The service does not answer. What you type is kept.'
    : outOfDate.value && `The list may be out of date: ${outOfDate.value}`;
});

const Banner = () => (
  <div class={`banner no-print ${notifications.value.length > 0 ? 'is-below-message' : ''}`} role="status">
    {trouble.value && (
      <p class="notice">
        <span class="flex-1">{trouble.value}</span>
        {snapshotAt.value && <span>As of {formatDateTime(new Date(snapshotAt.value).toJSON())}</span>}
        <Button onClick={() => void refresh()}>Retry</Button>
      </p>
    )}
  </div>
);

const TopBar = () => (
  <header class="top-bar">
    <h1 class="max-sm:sr-only">Notes</h1>
    <SearchBox />
    <IconButton name="filter" large label="Filters" class="lg:hidden" onClick={() => openDialog({ kind: 'filters' })} />
    <Button class="btn-primary" title={tooltip('create')} onClick={() => runCommand('create')}>
      <Icon name="plus" />
      <span class="max-sm:sr-only">New</span>
    </Button>
    <IconButton name="more" large label="Menu" onClick={showMenu} />
  </header>
);

const items = [
  { name: 'Import files', mark: 'import', run: chooseFiles },
  { ...itemOf('palette'), mark: 'search' },
  { ...itemOf('help', helpName()), mark: 'help' },
] as const;

function showMenu(): void {
  const at = document.querySelector('.top-bar [aria-label=Menu]');
  import('./ui/menu.tsx').then((part) => at && part.openMenu({ label: 'Menu', items, at }), notifyMissing);
}
