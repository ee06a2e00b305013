/** Keeps the notes of the page in step with the service: by its events, and while there are none by asking for the list. */
import { NoteError } from '../../domain/error.ts';
import type { Note } from '../../domain/note.ts';
import { client, isWriting, listCursor, offline, refresh, takeNotes } from './notes.ts';

const pollMs = 5_000;
/** No poll for so long after a key, in ms: taking in a long list would delay the next one. */
const typingMs = 1_500;
/** Notes that are told are taken in together, after so long, in ms. */
const collectMs = 200;
/** How long after a refusal events are asked for again, in ms. */
const refusedMs = 30_000;

let typedAt = Number.NEGATIVE_INFINITY;
let refusedAt = Number.NEGATIVE_INFINITY;
/** Whether the stream of events is open. */
let isFollowing = false;
/** Ends the stream of events; undefined while there is none. */
let following: AbortController | undefined;
/** Notes that were told and are not taken in yet. */
const told: Note[] = [];

const isTyping = () => performance.now() - typedAt < typingMs;
const isShown = () => document.visibilityState === 'visible';

const canFollow = () =>
  following === undefined && listCursor.value !== undefined && isShown() && performance.now() - refusedAt > refusedMs;

/**
 * Follows the events after the list that the page has, while it is shown: a browser opens few connections for all its tabs.
 * True when they are refused.
 */
async function follow(): Promise<boolean> {
  if (!canFollow()) return false;
  const { value: cursor } = listCursor;
  following = new AbortController();
  const { signal } = following;
  try {
    for await (const event of client.events({ cursor, signal, onStream })) {
      if (event.kind === 'note') take(event.note);
      else if (!(await refresh())) break;
      listCursor.value = event.cursor;
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
  if (isOpen) offline.value = false;
}

function take(note: Note): void {
  if (told.push(note) === 1) setTimeout(takeIn, collectMs);
}

function takeIn(): void {
  if (isWriting() || isTyping()) setTimeout(takeIn, collectMs);
  else takeNotes(told.splice(0));
}

/** Sees to what others have written, where no event tells it, and to whether a service answers where one request failed. */
async function ask(): Promise<void> {
  if (!isShown() || isWriting() || (isFollowing && !offline.value)) return;
  if (canFollow() && !(await follow())) return;
  await refresh();
  await follow();
}

/** Loads the list, and from then on follows what is written; asks again whenever the page is shown or focused. */
export function startSync(): void {
  void refresh().then(follow);
  window.addEventListener('keydown', () => {
    typedAt = performance.now();
  });
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
