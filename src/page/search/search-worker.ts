import { compareNewestFirst } from '../../core/note-order.ts';
import { cacheFoldedText, type Searchable } from '../../core/search.ts';
import type { WorkerResults } from '../state/results.ts';
import { type TypedLine, typedSearch } from '../state/typed-search.ts';

export type ToThread = { readonly notes: readonly Searchable[] } | TypedLine;

declare const self: {
  onmessage: (event: MessageEvent<ToThread>) => void;
  postMessage(found: WorkerResults, transferred: Transferable[]): void;
};

const held = new Map<Searchable['id'], Searchable>();
let find: ReturnType<typeof typedSearch> | undefined;

self.onmessage = ({ data }) => {
  if ('notes' in data) take(data.notes);
  else answer(data);
};

/** Keeps only the folded text of each note, which is what the search reads. */
function take(notes: readonly Searchable[]): void {
  for (const note of notes) {
    cacheFoldedText(note);
    held.set(note.id, Object.assign(note, { title: '', content: '' }));
  }
  find = undefined;
}

function answer(line: TypedLine): void {
  find ??= typedSearch([...held.values()].sort(compareNewestFirst));
  const { words, notes } = find(line);
  const ids = Float64Array.from(notes, ({ id }) => id);
  self.postMessage({ query: line.query, words, ids }, [ids.buffer]);
}
