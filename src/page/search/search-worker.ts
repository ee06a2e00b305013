/** Holds the folded texts of all notes and searches them. */
import { compareNewestFirst } from '../../core/note-order.ts';
import { cacheFoldedText, type Searchable } from '../../core/search.ts';
import { MovedResult, serveWorkerMethods } from '../../core/workers/serve-worker.ts';
import type { WorkerResults } from '../state/listed-notes.ts';
import { createIncrementalSearch, type TypedLine } from '../state/typed-search.ts';

declare const self: Worker;

const searchablesById = new Map<Searchable['id'], Searchable>();
let cachedSearch: ReturnType<typeof createIncrementalSearch> | undefined;

/** Keeps only the folded text of each note, which is what the search reads. Notes with a known id replace those. */
function addNotes(notes: readonly Searchable[]): void {
  for (const note of notes) {
    cacheFoldedText(note);
    searchablesById.set(note.id, Object.assign(note, { title: '', content: '' }));
  }
  cachedSearch = undefined;
}

function search(line: TypedLine): MovedResult<WorkerResults> {
  cachedSearch ??= createIncrementalSearch([...searchablesById.values()].sort(compareNewestFirst));
  const { words, notes } = cachedSearch(line);
  const ids = Float64Array.from(notes, ({ id }) => id);
  return new MovedResult({ query: line.query, words, ids }, [ids.buffer]);
}

const methods = { addNotes, search };
export type SearchMethods = typeof methods;

serveWorkerMethods(self, methods);
