import { computed } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { copyText } from './copy/copy.ts';
import { Places } from './filters/places.tsx';
import { NoteList } from './list/note-list.tsx';
import { NotificationList } from './notification-list.tsx';
import { hasSelection } from './selection/selection.ts';
import { firstNotesPainted } from './state/cached-list.ts';
import { closeDialog, dialog } from './state/dialog.ts';
import { isBesideList, isBoard, isCovered, isPaneOpen } from './state/layout.ts';
import { editing } from './state/navigation.ts';
import { hasNoNotes, loading, offline, outOfDate, refresh, signedOut, snapshotAt } from './state/notes.ts';
import { notifications } from './state/notifications.ts';
import { TopBar } from './top-bar.tsx';
import { focusAwaited } from './ui/focus.ts';
import { formatDateTime } from './ui/format.ts';
import { LoadingPlaceholder, lazy } from './ui/lazy.ts';
import { hasPane } from './ui/shown-note.ts';

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
const parts = lazy(() => firstNotesPainted().then(() => import('./lazy-views.ts')), leaveMissing);

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
  return offline.value ? away : outOfDate.value && `The list may be out of date: ${outOfDate.value}`;
});

const away = 'The service does not answer. What you type is kept.';

const Banner = () => (
  <div class={`banner no-print ${notifications.value.length > 0 ? 'is-below-message' : ''}`} role="status">
    {trouble.value && (
      <p class="notice">
        <span class="flex-1">{trouble.value}</span>
        {snapshotAt.value && <span>As of {formatDateTime(new Date(snapshotAt.value).toJSON())}</span>}
        <button type="button" class="btn btn-sm touch" onClick={() => void refresh()}>
          Retry
        </button>
      </p>
    )}
  </div>
);
