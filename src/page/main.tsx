import { effect } from '@preact/signals';
import { render } from 'preact';
import { formatQuery } from '../core/search-line.ts';
import { App } from './app.tsx';
import { commands } from './commands.ts';
import { listenToFiles } from './drop/listen-to-files.ts';
import { listenToKeys } from './keyboard/listen-to-keys.ts';
import { preloadListViews } from './list/note-list.tsx';
import { closeDialog } from './state/dialog.ts';
import { firstDrawPromise, firstNotesShownPromise, isFirstDrawPainted, syncModulePromise } from './state/first-draw.ts';
import { waitForPaint } from './state/last-visit-database.ts';
import { foldNotesWhenIdle, leaveSearchToWorker, workerResults } from './state/listed-notes.ts';
import { changeUrlState, urlState } from './state/navigation.ts';
import { findNoteById, listLoadedPromise, listLoadState, notes, staleListReason } from './state/notes.ts';
import { createSetter } from './state/signal-helpers.ts';
import { formatNoteTitle } from './ui/format-for-page.ts';
import { startHighlighting } from './ui/hits.tsx';
import { flushSync, focusWhenPresent, hasPhysicalKeyboard, startRestoringLostFocus } from './ui/move-focus.ts';

/** Focuses the note of a link, or the search unless that opens a keyboard on the screen, with what was typed so far. */
function applyEarlyInputAndFocus(): void {
  const early = document.querySelector<HTMLInputElement>('#early');
  const typed = early?.value.replace(/^\//, '') ?? ''; // the key that focuses the search
  if (typed !== '') flushSync(() => changeUrlState({ query: typed }, 'typing'));
  const box = document.querySelector<HTMLInputElement>('#search');
  if (typed === '' && urlState.value.note !== undefined) focusWhenPresent('.detail-body');
  else if (hasPhysicalKeyboard()) {
    box?.focus({ preventScroll: true });
    if (typed === '') box?.select();
  }
  early?.remove();
}

/** Failures are reported where the part is used. */
const loadAndStartLateParts = () => import('./late-views.tsx').then((part) => part.startLateParts()).catch(() => {});

/**
 * Without the part that loads the others, the first notes can be found and copied; a reload of the page tries again.
 */
async function showFirstNotesAlone(): Promise<void> {
  await firstNotesShownPromise;
  if (notes.value.length === 0) {
    listLoadState.value = { kind: 'failed', text: 'Part of the page could not be loaded' };
    return;
  }
  listLoadState.value = { kind: 'ready' };
  staleListReason.value = 'only its first notes could be loaded';
}

function mountPage(): void {
  const root = document.querySelector<HTMLElement>('#app');
  if (root) {
    render(<App />, root);
    void waitForPaint()
      .then(applyEarlyInputAndFocus) // focusing forces a layout: after the first notes
      .then(createSetter(isFirstDrawPainted, true))
      .then(() => startRestoringLostFocus(root));
    startHighlighting(root);
  }
}

void firstDrawPromise.then(mountPage);
listenToKeys(commands);
void syncModulePromise.then((part) => part.showListAndStartSync(), showFirstNotesAlone);
listenToFiles(); // early: a dropped file would replace the page
window.addEventListener('popstate', closeDialog); // it belongs to the previous state

void listLoadedPromise.then(() => {
  requestAnimationFrame(() => setTimeout(loadAndStartLateParts));
  setTimeout(preloadListViews, 500);
});

/** Searching more notes than this delays the next key. */
const maxNotesSearchedOnPage = 20_000;
let isListLong = false;

effect(() => {
  const { length } = notes.value;
  if (length > 0 && length <= maxNotesSearchedOnPage && !isListLong) foldNotesWhenIdle();
  if (isListLong || length <= maxNotesSearchedOnPage) return;
  isListLong = true;
  leaveSearchToWorker();
  import('./search/worker-search.ts')
    .then((part) => part.startWorkerSearch())
    .catch(createSetter(workerResults, undefined));
});

effect(() => {
  const { note, query, archived, pinned, ...chosen } = urlState.value;
  const open = note === undefined ? undefined : findNoteById(note);
  const line = formatQuery({ words: query.trim(), filters: { ...chosen, archived: archived || undefined } });
  document.title = [open ? formatNoteTitle(open) : line && `“${line}”`, pinned && 'Pinned', 'Notes']
    .filter(Boolean)
    .join(' · ');
});
