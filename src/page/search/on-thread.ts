/** Searches the list in a worker, so that keys do not wait for it. Loaded for long lists. */
import { effect } from '@preact/signals';
import type { Note } from '../../core/note.ts';
import type { Searchable } from '../../core/search.ts';
import { startWorker } from '../markdown/trusted-types.ts';
import { whenIdle } from '../state/effects.ts';
import { notes, sortTimeOf } from '../state/notes.ts';
import { isSearching, line, workerResults } from '../state/results.ts';
import type { ToThread } from './search-worker.ts';

/** Notes per message: copying them takes 1-2 ms. */
const sliceNotes = 500;

/** Moves the search to a worker: sends it all notes, then changed ones, and only the newest of the typed lines. */
export function searchOnThread(): void {
  const thread = startWorker('searchWorker');
  const send = (message: ToThread) => thread.postMessage(message);
  const sent = new WeakSet<Note>();
  let waiting: Iterator<Note> = notes.value.values();
  let isUnderWay = false;
  let isAsked = false;

  thread.onmessage = ({ data }) => {
    isUnderWay = false;
    if (data.query === line.value.query) workerResults.value = data;
    sendNext();
  };
  thread.onerror = () => {
    workerResults.value = undefined;
    for (const end of ends) end();
  };

  function step(): void {
    isUnderWay = false;
    const slice = nextSlice();
    if (slice.length > 0) {
      send({ notes: slice });
      sendNext();
    } else if (!isAsked && line.value.query !== '') {
      isAsked = isUnderWay = true;
      send(line.value);
    }
  }

  function nextSlice(): Searchable[] {
    const slice: Searchable[] = [];
    while (slice.length < sliceNotes) {
      const { value: note } = waiting.next();
      if (note === undefined) break;
      if (sent.has(note)) continue;
      sent.add(note);
      slice.push({ id: note.id, title: note.title, content: note.content, updatedAt: sortTimeOf(note) });
    }
    return slice;
  }

  function sendNext(): void {
    if (isUnderWay) return;
    isUnderWay = true;
    if (isSearching.value) setTimeout(step);
    else whenIdle(step, { timeout: 200 });
  }

  const ends = [
    effect(() => {
      waiting = notes.value.values();
      isAsked = false;
      sendNext();
    }),
    effect(() => {
      if (line.value.query === '') workerResults.value = { query: '', words: '' };
      isAsked = false;
      sendNext();
    }),
  ];
}
