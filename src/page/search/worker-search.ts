/** Searches the list in a worker, so that keys do not wait for it. Loaded for long lists. */
import { effect, untracked } from '@preact/signals';
import type { Note } from '../../core/note.ts';
import { WorkerError } from '../../core/workers/worker-client.ts';
import { createPageWorkerClient } from '../markdown/page-worker.ts';
import { isBoardShown } from '../state/layout.ts';
import { isWorkerSearching, notePassesFilters, searchedLine, workerResults } from '../state/listed-notes.ts';
import { getSortTime, notes } from '../state/notes.ts';
import { runWhenIdle } from '../state/signal-helpers.ts';
import type { TypedLine } from '../state/typed-search.ts';
import type { FoundPlaces, NoteBatch, SearchMethods } from './search-worker.ts';

/** Notes per request: copying them takes 2-4 ms. */
const notesPerRequest = 1_000;

/** Results are shown before all are ranked if so many of the best ones pass the filters: more than a screen shows. */
const minShownBest = 60;

/** How long results are shown before the others than the best are ranked, in ms: the next key may make that needless. */
const rankingDelayMs = 150;

/**
 * Moves the search to a worker: sends it all notes, then changed ones, and only the newest of the typed lines. If the
 * worker crashes, the page searches by itself again.
 *
 * Example: "ab" is typed while the worker still searches for "a". When it has replied, the hits for "a" are shown, as
 * they are newer than those before. Then changed notes are sent, and "ab". Its best hits and the number of all are
 * shown at once, and 150 ms later all are in their order.
 */
export function startWorkerSearch(): void {
  const worker = createPageWorkerClient<SearchMethods>('searchWorker');
  /** The place of each note in what was sent, and the reverse for the notes of the list. */
  const places = new WeakMap<Note, number>();
  let notesByPlace: (Note | undefined)[] = [];
  let sentCount = 0;
  let unsent: Note[] = [];
  let isLineSent = false;
  let isRankingDue = false;
  let isSending = false;
  /** The request with the last notes: the next ones are copied while the worker folds these. */
  let addingNotes: Promise<unknown> | undefined;

  async function sendChanges(): Promise<void> {
    if (isSending) return;
    isSending = true;
    try {
      while (await sendNext());
    } catch (error) {
      stopEffects();
      workerResults.value = undefined;
      if (!(error instanceof WorkerError)) throw error;
    }
  }

  /**
   * Sends some notes, or else the line, or else has more hits ranked, until the worker has replied. Returns false if
   * there was nothing to do.
   */
  async function sendNext(): Promise<boolean> {
    if (unsent.length > 0) {
      await Promise.all([addingNotes, waitForTimeToSend()]);
      addingNotes = worker.request('addNotes', [takeUnsentNotes()]);
      return true;
    }
    await addingNotes;
    const line = searchedLine.peek();
    const isLineDue = line.query !== '' && !isLineSent;
    if (isLineDue) {
      isLineSent = true;
      const searched = notes.peek();
      const found = await worker.request('search', [line]);
      if (searched === notes.peek()) showFound(line, found);
      return true;
    }
    if (isRankingDue) {
      const ranked = await worker.request('rankMoreHits', []);
      if (ranked && isLineSent) showFound(line, ranked);
      return true;
    }
    isSending = false; // at once: what changes from here on calls this again
    return false;
  }

  function takeUnsentNotes(): NoteBatch {
    const batch = unsent.splice(0, notesPerRequest);
    for (const note of batch) {
      notesByPlace[sentCount] = note;
      places.set(note, sentCount++);
    }
    return {
      ids: Float64Array.from(batch, ({ id }) => id),
      updatedAt: batch.map(getSortTime),
      texts: batch.flatMap(({ title, content }) => [title, content]).join('\0'),
    };
  }

  /** Shows what was found for a line. If another one is typed by now, it is still newer than what is shown. */
  function showFound(line: TypedLine, { words, places, rankedCount }: FoundPlaces): void {
    if (searchedLine.peek().query === '') return; // all notes are shown
    const hits: Note[] = [];
    for (const place of places) {
      const note = notesByPlace[place];
      if (note !== undefined) hits.push(note); // `if (note)` reads the note: ten times as long for 100,000
    }
    const isRanked = rankedCount === places.length;
    isRankingDue = !isRanked && !areBestEnough(hits.slice(0, rankedCount));
    if (isRankingDue) return;
    const results = { query: line.query, words, hits, notes: notes.peek() };
    workerResults.value = results;
    if (!isRanked) setTimeout(() => workerResults.peek() === results && rankOtherHits(), rankingDelayMs);
  }

  function rankOtherHits(): void {
    isRankingDue = true;
    void sendChanges();
  }

  const effects = [
    effect(() => {
      findUnsentNotes(notes.value);
      untracked(sendLine);
    }),
    effect(() => {
      if (searchedLine.value.query === '') workerResults.value = { query: '', words: '' };
      untracked(sendLine);
    }),
  ];
  const stopEffects = () => {
    for (const stop of effects) stop();
  };

  function findUnsentNotes(listed: readonly Note[]): void {
    notesByPlace = [];
    unsent = [];
    for (const note of listed) {
      const place = places.get(note);
      if (place === undefined) unsent.push(note);
      else notesByPlace[place] = note;
    }
  }

  function sendLine(): void {
    isLineSent = false;
    isRankingDue = false;
    void sendChanges();
  }
}

/** Whether the best hits fill a screen. The columns of a board may show others than the best. */
const areBestEnough = (best: readonly Note[]): boolean =>
  !isBoardShown.peek() && best.filter(notePassesFilters.peek()).length >= minShownBest;

/** Waits for a task while somebody waits for results, and else until the page is idle. */
const waitForTimeToSend = () =>
  new Promise<void>((resolve) => {
    if (isWorkerSearching.peek()) setTimeout(resolve);
    else runWhenIdle(resolve, { timeout: 200 });
  });
