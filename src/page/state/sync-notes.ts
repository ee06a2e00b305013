/** Keeps the notes in sync with the service: by its event stream, or by polling the list. */
import type { NoteEvent } from '../../client/client.ts';
import { NoteError } from '../../core/error.ts';
import { firstNotesShownPromise } from './first-draw.ts';
import { startCachingList, tryShowLastVisit } from './last-visit.ts';
import { isListCached, waitForPaint } from './last-visit-database.ts';
import {
  client,
  isListRefreshing,
  isWriteUnderWay,
  markInSync,
  refreshListByNewRequest,
  tryRefreshList,
  unmergedNotes,
  upsertNewerNotes,
} from './note-requests.ts';
import { isOffline, listCursor, listLoadedPromise } from './notes.ts';
import { loadAndSyncPins } from './pinned-ids.ts';

export { abortAndReloadList as retry, tryRefreshList as refresh } from './note-requests.ts';

const pollIntervalMs = 5_000;
/** In ms. Does not poll this soon after a key, as merging a long list would delay the next one. */
const typingPauseMs = 1_500;
/** Received notes are merged in batches at this interval, in ms. */
const mergeIntervalMs = 200;
const streamRetryDelayMs = 30_000;

let lastTypedAt = Number.NEGATIVE_INFINITY;
let streamRefusedAt = Number.NEGATIVE_INFINITY;
let isEventStreamOpen = false;
let eventStreamController: AbortController | undefined;
let queuedCursor: string | undefined;

const isUserTyping = () => performance.now() - lastTypedAt < typingPauseMs;
const isPageVisible = () => document.visibilityState === 'visible';

const canOpenEventStream = () =>
  eventStreamController === undefined &&
  listCursor.value !== undefined &&
  isPageVisible() &&
  performance.now() - streamRefusedAt > streamRetryDelayMs;

/** Only while the page is visible, as browsers share few connections among all tabs. Resolves to true if refused. */
async function followEventsAndReturnIfRefused(): Promise<boolean> {
  if (!canOpenEventStream()) return false;
  const { value: cursor } = listCursor;
  eventStreamController = new AbortController();
  const { signal } = eventStreamController;
  try {
    for await (const event of client.events({
      cursor,
      signal,
      onStream: handleStreamChange,
      onPins: loadAndSyncPins,
    })) {
      if (event.kind === 'reset') {
        unmergedNotes.length = 0; // of a store that is gone
        if (!(await refreshListByNewRequest())) break;
      }
      queueEvent(event);
    }
    return false;
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    streamRefusedAt = performance.now();
    return true;
  } finally {
    eventStreamController = undefined;
    isEventStreamOpen = false;
  }
}

function handleStreamChange(isOpen: boolean): void {
  isEventStreamOpen = isOpen;
  if (!isOpen) return;
  markInSync();
  void loadAndSyncPins();
}

function queueEvent(event: NoteEvent): void {
  queuedCursor = event.cursor;
  if (event.kind === 'note' && unmergedNotes.push(event.note) === 1) setTimeout(mergeQueuedNotes, mergeIntervalMs);
  else if (unmergedNotes.length === 0) listCursor.value = queuedCursor;
}

function mergeQueuedNotes(): void {
  if (isWriteUnderWay() || isUserTyping() || isListRefreshing()) {
    setTimeout(mergeQueuedNotes, mergeIntervalMs);
    return;
  }
  if (unmergedNotes.length === 0) return; // a list was loaded in their place
  upsertNewerNotes(unmergedNotes.splice(0));
  listCursor.value = queuedCursor;
}

/** Loads changes by others if the event stream is closed, and checks whether an unreachable service is back. */
async function pollOrFollow(): Promise<void> {
  if (!isPageVisible() || isWriteUnderWay() || (isEventStreamOpen && !isOffline.value)) return;
  if (canOpenEventStream() && !(await followEventsAndReturnIfRefused())) return;
  await tryRefreshList();
  await followEventsAndReturnIfRefused();
}

/** Shows the list of the last visit and follows later changes; without one, the first notes, then the loaded list. */
async function showListAndFollow(): Promise<void> {
  if (isListCached()) {
    if ((await tryShowLastVisit()) && listCursor.value !== undefined && !(await followEventsAndReturnIfRefused()))
      return;
  } else {
    await firstNotesShownPromise?.then(waitForPaint); // merging the list, which loads meanwhile, would delay them
  }
  await tryRefreshList();
  await followEventsAndReturnIfRefused();
}

/** Shows the list and follows changes; checks again whenever the page is shown or focused. */
export function showListAndStartSync(): void {
  void showListAndFollow();
  void listLoadedPromise.then(startCachingList);
  const onKey = () => {
    lastTypedAt = performance.now();
  };
  window.addEventListener('keydown', onKey, { capture: true }); // also while composing
  window.addEventListener('focus', () => void pollOrFollow());
  window.addEventListener('online', () => void pollOrFollow());
  window.addEventListener('offline', () => {
    eventStreamController?.abort();
    isOffline.value = true;
  });
  document.addEventListener('visibilitychange', () => {
    if (isPageVisible()) void pollOrFollow();
    else eventStreamController?.abort();
  });
  setInterval(() => {
    if (!isUserTyping()) void pollOrFollow();
  }, pollIntervalMs);
  window.addEventListener('beforeunload', (event) => {
    if (isWriteUnderWay()) event.preventDefault();
  });
}
