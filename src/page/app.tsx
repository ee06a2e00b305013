import { computed } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { fileItems } from './keyboard/file-items.ts';
import { formatTooltip, getHelpDialogTitle } from './keyboard/keymap.ts';
import { runRegisteredCommand } from './keyboard/listen-to-keys.ts';
import { createCommandItem } from './keyboard/note-action-items.ts';
import { areKeyHintsShown, ListPane } from './list/note-list.tsx';
import { SearchBox } from './list/search-box.tsx';
import { findOrLoadLateViews } from './load-late-views.ts';
import { NotificationList } from './notification-list.tsx';
import { hasSelection } from './selection/selection.ts';
import { dialog, openDialog } from './state/dialog.ts';
import { isFirstDrawPainted, refreshListOrReloadPage } from './state/first-draw.ts';
import { isBoardShown, isListCovered, isNoteOrNewFormOpen, isPaneBesideList } from './state/layout.ts';
import { editedNoteId } from './state/navigation.ts';
import { hasNoNotes, isOffline, isSignedOut, lastInSyncAt, listLoadState, staleListReason } from './state/notes.ts';
import { notifications } from './state/notifications.ts';
import { runOnceWhen } from './state/signal-helpers.ts';
import { Button, IconButton } from './ui/buttons.tsx';
import { formatDateTime } from './ui/format-for-page.ts';
import { Icon } from './ui/icons.tsx';
import { createLazyView, TypingPlaceholder } from './ui/lazy-parts.ts';
import type { MenuItem } from './ui/menu.tsx';
import { retryAwaitedFocus } from './ui/move-focus.ts';
import { isDetailPaneShown } from './ui/open-note.ts';

export function App() {
  const part = findOrLoadLateViews();
  useLayoutEffect(retryAwaitedFocus, [part]);
  const states = [
    hasNoNotes.value && editedNoteId.value !== 'new' && 'is-new',
    isBoardShown.value && 'has-board',
    isDetailPaneShown.value && 'has-note',
    isNoteOrNewFormOpen.value && 'has-open-pane',
    editedNoteId.value !== undefined && 'is-editing',
    hasSelection() && 'is-selecting',
    areKeyHintsShown.value && 'has-foot',
  ];
  return (
    <div class={`app ${states.filter(Boolean).join(' ')}`}>
      <div class="contents" inert={isListCovered.value}>
        <TopBar />
        <Banner />
        <Sidebar />
      </div>
      <main class="contents">
        {part && isPaneBesideList.value && <part.PaneDivider name="sidebar" />}
        <div class="contents" inert={isListCovered.value}>
          <ListPane />
        </div>
        {part && isPaneBesideList.value && !isBoardShown.value && <part.PaneDivider name="list" />}
        {part && <part.NotePane />}
        {!part && (editedNoteId.value === undefined ? <div class="nothing-open" /> : <TypingPlaceholder />)}
      </main>
      {part ? <part.CurrentDialog /> : isFieldDialogOpen() && <TypingPlaceholder />}
      {part && isSignedOut.value && <part.SignIn />}
      <NotificationList />
    </div>
  );
}

/** Dialogs with a text field capture typing while they load. */
const isFieldDialogOpen = () => ['fill', 'palette'].includes(dialog.value?.kind ?? '');

/** The warning above a stale list. Without a list, its pane shows the error. */
const staleListWarning = computed(() => {
  if (listLoadState.value.kind !== 'ready') return undefined;
  return isOffline.value
    ? 'The service does not answer. What you type is kept.'
    : staleListReason.value && `The list may be out of date: ${staleListReason.value}`;
});

const FilterList = createLazyView(() => import('./filters/filter-list.tsx').then((part) => part.FilterList));

const Sidebar = () => <div class="sidebar">{isFirstDrawPainted.value && <FilterList />}</div>;

const Banner = () => (
  <div class={`banner no-print ${notifications.value.length > 0 ? 'is-below-message' : ''}`} role="status">
    {staleListWarning.value && (
      <p class="notice">
        <span>{staleListWarning.value}</span>
        <span class="flex flex-auto items-center justify-end gap-2">
          {lastInSyncAt.value && (
            <span class="flex-1">As of {formatDateTime(new Date(lastInSyncAt.value).toJSON())}</span>
          )}
          <Button onClick={refreshListOrReloadPage}>Retry</Button>
        </span>
      </p>
    )}
  </div>
);

const TopBar = () => (
  <header class="top-bar">
    <h1 class="max-sm:sr-only">Notes</h1>
    <SearchBox />
    <IconButton name="filter" large label="Filters" class="lg:hidden" onClick={() => openDialog({ kind: 'filters' })} />
    <Button title={formatTooltip('create')} onClick={() => runRegisteredCommand('create')}>
      <Icon name="plus" />
      <span class="max-sm:sr-only">New</span>
    </Button>
    <IconButton name="more" large label="Menu" onClick={openMainMenuWhenLoaded} />
  </header>
);

const mainMenuItems = [
  ...fileItems,
  { ...createCommandItem('palette'), icon: 'search' },
  { ...createCommandItem('help', getHelpDialogTitle()), icon: 'help' },
] as const satisfies readonly MenuItem[];

function openMainMenuWhenLoaded(): void {
  const at = document.querySelector('.top-bar [aria-label=Menu]');
  runOnceWhen(
    () => findOrLoadLateViews() !== undefined,
    () => at && findOrLoadLateViews()?.openMenu({ label: 'Menu', items: mainMenuItems, at }),
  );
}
