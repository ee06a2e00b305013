/** Has a thread search the list, so that no key waits for a search. Loaded when the list is long. */
import { effect } from '@preact/signals';
import type { Note } from '../../domain/note.ts';
import type { Searchable } from '../../domain/search.ts';
import { startWorker } from '../markdown/trusted-types.ts';
import { notes } from '../state/notes.ts';
import { placeOf } from '../state/order/places.ts';
import { foundThere, isSearching, line } from '../state/results.ts';
import type { ToThread } from './search-worker.ts';

/** The notes of one message: copying them takes 1-2 ms. */
const sliceNotes = 500;

/** From now on a thread searches: first it is told the notes, later those that change; of the lines, the newest one. */
export function searchOnThread(): void {
  const thread = startWorker('searchWorker');
  const tell = (said: ToThread) => thread.postMessage(said);
  const sent = new WeakSet<Note>();
  let waiting: Iterator<Note> = notes.value.values();
  let isUnderWay = false;
  let isAsked = false;

  thread.onmessage = ({ data }) => {
    isUnderWay = false;
    if (data.query === line.value.query) foundThere.value = data;
    goOn();
  };
  thread.onerror = () => {
    foundThere.value = undefined;
    for (const end of ends) end();
  };

  /** Sends the next notes; after the last ones, asks for what is searched for. */
  function step(): void {
    isUnderWay = false;
    const slice = nextSlice();
    if (slice.length > 0) {
      tell({ notes: slice });
      goOn();
    } else if (!isAsked && line.value.query !== '') {
      isAsked = isUnderWay = true;
      tell(line.value);
    }
  }

  function nextSlice(): Searchable[] {
    const slice: Searchable[] = [];
    while (slice.length < sliceNotes) {
      const { value: note } = waiting.next();
      if (note === undefined) break;
      if (sent.has(note)) continue;
      sent.add(note);
      slice.push({ id: note.id, title: note.title, content: note.content, updatedAt: placeOf(note) });
    }
    return slice;
  }

  function goOn(): void {
    if (isUnderWay) return;
    isUnderWay = true;
    if (isSearching.value || typeof requestIdleCallback !== 'function') setTimeout(step);
    else requestIdleCallback(step, { timeout: 200 });
  }

  const ends = [
    effect(() => {
      waiting = notes.value.values();
      isAsked = false;
      goOn();
    }),
    effect(() => {
      if (line.value.query === '') foundThere.value = { query: '', words: '' };
      isAsked = false;
      goOn();
    }),
  ];
}
