/** Searches the list in a worker, so that keys do not wait for it. Loaded for long lists. */
import { effect } from '@preact/signals';
import type { Note } from '../../core/note.ts';
import type { Searchable } from '../../core/search.ts';
import { WorkerError } from '../../core/workers/worker-client.ts';
import { createPageWorkerClient } from '../markdown/page-worker.ts';
import { isWorkerSearching, searchedLine, workerResults } from '../state/listed-notes.ts';
import { getSortTime, notes } from '../state/notes.ts';
import { runWhenIdle } from '../state/signal-helpers.ts';
import type { SearchMethods } from './search-worker.ts';

/** Notes per request: copying them takes 1-2 ms. */
const notesPerRequest = 500;

/**
 * Moves the search to a worker: sends it all notes, then changed ones, and only the newest of the typed lines. If the
 * worker crashes, the page searches by itself again.
 *
 * Example: "ab" is typed while the worker still searches for "a". When it has replied, changed notes are sent, then
 * "ab".
 */
export function startWorkerSearch(): void {
  const worker = createPageWorkerClient<SearchMethods>('searchWorker');
  const sent = new WeakSet<Note>();
  let unsent: Iterator<Note> = notes.value.values();
  let isLineSent = false;
  let isSending = false;

  async function sendChanges(): Promise<void> {
    if (isSending) return;
    isSending = true;
    try {
      do await waitForTimeToSend();
      while (await sendNext());
    } catch (error) {
      stopEffects();
      workerResults.value = undefined;
      if (!(error instanceof WorkerError)) throw error;
    }
  }

  /** Sends some notes, or else the line, until the worker has replied. Returns false if there was nothing to send. */
  async function sendNext(): Promise<boolean> {
    const slice = takeUnsentNotes();
    if (slice.length > 0) await worker.request('addNotes', [slice]);
    else if (!isLineSent && searchedLine.value.query !== '') {
      isLineSent = true;
      const results = await worker.request('search', [searchedLine.value]);
      if (results.query === searchedLine.value.query) workerResults.value = results;
    } else isSending = false;
    return isSending;
  }

  function takeUnsentNotes(): Searchable[] {
    const slice: Searchable[] = [];
    while (slice.length < notesPerRequest) {
      const { value: note } = unsent.next();
      if (note === undefined) break;
      if (sent.has(note)) continue;
      sent.add(note);
      slice.push({ id: note.id, title: note.title, content: note.content, updatedAt: getSortTime(note) });
    }
    return slice;
  }

  const effects = [
    effect(() => {
      unsent = notes.value.values();
      isLineSent = false;
      void sendChanges();
    }),
    effect(() => {
      if (searchedLine.value.query === '') workerResults.value = { query: '', words: '' };
      isLineSent = false;
      void sendChanges();
    }),
  ];
  const stopEffects = () => {
    for (const stop of effects) stop();
  };
}

/** Waits for a task while somebody waits for results, and else until the page is idle. */
const waitForTimeToSend = () =>
  new Promise<void>((resolve) => {
    if (isWorkerSearching.peek())
      setTimeout(resolve); // not read by the effects that call this
    else runWhenIdle(resolve, { timeout: 200 });
  });
