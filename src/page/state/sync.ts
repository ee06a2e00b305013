/** Keeps the notes in sync with the service: by its event stream, or by polling the list. */
import type { NoteEvent } from '../../client/client.ts';
import { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { firstNotesPainted, isListCached } from './cached-list.ts';
import { client, isWriting, listCursor, loaded, offline, refresh, setInSync, showFirst, takeNotes } from './notes.ts';

const no = () => false;

const pollMs = 5_000;
/** In ms. Does not poll this soon after a key, as merging a long list would delay the next one. */
const typingMs = 1_500;
/** Received notes are merged in batches at this interval, in ms. */
const collectMs = 200;
const refusedMs = 30_000;

let typedAt = Number.NEGATIVE_INFINITY;
let refusedAt = Number.NEGATIVE_INFINITY;
let isFollowing = false;
let following: AbortController | undefined;
const received: Note[] = [];
let receivedCursor: string | undefined;

const isTyping = () => performance.now() - typedAt < typingMs;
const isShown = () => document.visibilityState === 'visible';

const canFollow = () =>
  following === undefined && listCursor.value !== undefined && isShown() && performance.now() - refusedAt > refusedMs;

/** Only while the page is visible, as browsers share few connections among all tabs. Resolves to true if refused. */
async function follow(): Promise<boolean> {
  if (!canFollow()) return false;
  const { value: cursor } = listCursor;
  following = new AbortController();
  const { signal } = following;
  try {
    for await (const event of client.events({ cursor, signal, onStream })) {
      if (event.kind === 'reset' && !(await refresh())) break;
      take(event);
    }
    return false;
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    refusedAt = performance.now();
    return true;
  } finally {
    following = undefined;
    isFollowing = false;
  }
}

function onStream(isOpen: boolean): void {
  isFollowing = isOpen;
  if (isOpen) setInSync();
}

function take(event: NoteEvent): void {
  receivedCursor = event.cursor;
  if (event.kind === 'note' && received.push(event.note) === 1) setTimeout(takeIn, collectMs);
  else if (received.length === 0) listCursor.value = receivedCursor;
}

function takeIn(): void {
  if (isWriting() || isTyping()) {
    setTimeout(takeIn, collectMs);
    return;
  }
  takeNotes(received.splice(0));
  listCursor.value = receivedCursor;
}

/** Loads changes by others if the event stream is closed, and checks whether an unreachable service is back. */
async function ask(): Promise<void> {
  if (!isShown() || isWriting() || (isFollowing && !offline.value)) return;
  if (canFollow() && !(await follow())) return;
  await refresh();
  await follow();
}

const listCache = () => import('./cache-list.ts');

const first = window.firstNotes?.then(showFirst, no);
/** When to draw the page: with the first notes, in one layout, but within 50 ms. */
export const firstDraw = Promise.race([first, new Promise((resolve) => setTimeout(resolve, 50))]);

/** Shows the list of the last visit and follows later changes; without one, the first notes, then the loaded list. */
async function start(): Promise<void> {
  if (isListCached()) {
    await firstDraw; // loading this part would delay it
    const isShown = await listCache().then((part) => part.showLastVisit(), no);
    if (isShown && listCursor.value !== undefined && !(await follow())) return;
  } else {
    await first?.then(firstNotesPainted); // merging the list, which loads meanwhile, would delay them
  }
  await refresh();
  await follow();
}

/** Shows the list and follows changes; checks again whenever the page is shown or focused. */
export function startSync(): void {
  void start();
  void loaded.then(listCache).then((part) => part.cacheList(), no); // on failure, the next visit loads the list
  const onKey = () => {
    typedAt = performance.now();
  };
  window.addEventListener('keydown', onKey, { capture: true }); // also while composing
  window.addEventListener('focus', () => void ask());
  window.addEventListener('online', () => void ask());
  window.addEventListener('offline', () => {
    following?.abort();
    offline.value = true;
  });
  document.addEventListener('visibilitychange', () => {
    if (isShown()) void ask();
    else following?.abort();
  });
  setInterval(() => {
    if (!isTyping()) void ask();
  }, pollMs);
  window.addEventListener('beforeunload', (event) => {
    if (isWriting()) event.preventDefault();
  });
}
