/** Keeps the notes of the page in step with the service: by its events, and while there are none by asking for the list. */

import type { NoteEvent } from '../../client/client.ts';
import { NoteError } from '../../domain/error.ts';
import type { Note } from '../../domain/note.ts';
import { painted } from './kept/first-notes.ts';
import { isListKept } from './kept/is-kept.ts';
import {
  client,
  isWriting,
  listCursor,
  loaded,
  offline,
  outOfDate,
  refresh,
  showFirst,
  takeNotes,
  toldAt,
} from './notes.ts';

const no = () => false;

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
/** The cursor after them. */
let toldCursor: string | undefined;

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
  if (!isOpen) return;
  offline.value = false;
  outOfDate.value = undefined;
  toldAt.value = undefined;
}

function take(event: NoteEvent): void {
  toldCursor = event.cursor;
  if (event.kind === 'note' && told.push(event.note) === 1) setTimeout(takeIn, collectMs);
  else if (told.length === 0) listCursor.value = toldCursor;
}

function takeIn(): void {
  if (isWriting() || isTyping()) {
    setTimeout(takeIn, collectMs);
    return;
  }
  takeNotes(told.splice(0));
  listCursor.value = toldCursor;
}

/** Sees to what others have written, where no event tells it, and to whether a service answers where one request failed. */
async function ask(): Promise<void> {
  if (!isShown() || isWriting() || (isFollowing && !offline.value)) return;
  if (canFollow() && !(await follow())) return;
  await refresh();
  await follow();
}

const kept = () => import('./kept/keep-list.ts');

/** Resolves with the first notes, but soon: what is drawn together takes one layout. */
const first = window.firstNotes?.then(showFirst, no);
export const firstTold = Promise.race([first, new Promise((resolve) => setTimeout(resolve, 50))]);

/** Shows the first notes, then the list: that of the last visit, and what was written since; or else the one that is loaded. */
async function start(): Promise<void> {
  if (isListKept()) {
    const isShown = await kept().then((part) => part.showLastVisit(), no);
    if (isShown && listCursor.value !== undefined && !(await follow())) return;
  } else {
    await first?.then(painted); // the list is on its way meanwhile: taking it in would delay them
  }
  await refresh();
  await follow();
}

/** Shows the list, and from then on follows what is written; asks again whenever the page is shown or focused. */
export function startSync(): void {
  void start();
  void loaded.then(kept).then((part) => part.keepList(), no); // without, the next visit loads the list
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
