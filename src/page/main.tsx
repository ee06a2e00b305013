import { effect } from '@preact/signals';
import { render } from 'preact';
import { formatQuery } from '../core/search-line.ts';
import { App } from './app.tsx';
import { commands } from './commands.ts';
import { listenToFiles } from './drop/listen.ts';
import { listenToKeys } from './keyboard/keyboard.ts';
import { prepareList } from './list/note-list.tsx';
import { firstNotesPainted } from './state/cached-list.ts';
import { closeDialog } from './state/dialog.ts';
import { setTo } from './state/effects.ts';
import { followLabels } from './state/labels.ts';
import { navigate, urlState } from './state/navigation.ts';
import { loaded, noteById, notes } from './state/notes.ts';
import { prepareWhenIdle, searchInWorker, workerResults } from './state/results.ts';
import { firstDraw, startSync } from './state/sync.ts';
import { flushSync, focus, hasKeyboard, keepFocus } from './ui/focus.ts';
import { displayTitle } from './ui/format.ts';
import { highlightHits } from './ui/hits.tsx';

/** Focuses the note of a link, or the search unless that opens a keyboard on the screen, with what was typed so far. */
function startInSearch(): void {
  const early = document.querySelector<HTMLInputElement>('#early');
  const typed = early?.value.replace(/^\//, '') ?? ''; // the key that focuses the search
  if (typed !== '') flushSync(() => navigate({ query: typed }, 'typing'));
  const box = document.querySelector<HTMLInputElement>('#search');
  if (typed === '' && urlState.value.note !== undefined) focus('.detail-body');
  else if (hasKeyboard()) {
    box?.focus({ preventScroll: true });
    if (typed === '') box?.select();
  }
  early?.remove();
}

/** Failures are reported where the part is used. */
const startLate = () => import('./lazy-views.tsx').then((part) => part.startLate()).catch(() => {});

function draw(): void {
  const root = document.querySelector<HTMLElement>('#app');
  if (root) {
    render(<App />, root);
    void firstNotesPainted()
      .then(startInSearch) // focusing forces a layout: after the first notes
      .then(() => keepFocus(root));
    highlightHits(root);
  }
}

void firstDraw.then(draw);
listenToKeys(commands);
startSync();
listenToFiles(); // early: a dropped file would replace the page
window.addEventListener('popstate', closeDialog); // it belongs to the previous state

void loaded.then(() => {
  requestAnimationFrame(() => setTimeout(startLate));
  followLabels();
  setTimeout(prepareList, 500);
});

/** Searching more notes than this delays the next key. */
const maxHere = 20_000;
let isLong = false;

effect(() => {
  const { length } = notes.value;
  if (length > 0 && length <= maxHere && !isLong) prepareWhenIdle();
  if (isLong || length <= maxHere) return;
  isLong = true;
  searchInWorker();
  import('./search/on-thread.ts').then((part) => part.searchOnThread()).catch(setTo(workerResults, undefined));
});

effect(() => {
  const { note, query, archived, pinned, ...chosen } = urlState.value;
  const open = note === undefined ? undefined : noteById(note);
  const line = formatQuery({ words: query.trim(), filters: { ...chosen, archived: archived || undefined } });
  document.title = [open ? displayTitle(open) : line && `“${line}”`, pinned && 'Pinned', 'Notes']
    .filter(Boolean)
    .join(' · ');
});
