/** Searches a long list on a thread of its own. */
import { prepare, type Searchable } from '../../domain/search.ts';
import { newestFirst } from '../../domain/sort.ts';
import { type Line, typedSearch } from '../state/order/typed-search.ts';
import type { FoundThere } from '../state/results.ts';

/** Notes that are new or have changed, or what is searched for. */
export type ToThread = { readonly notes: readonly Searchable[] } | Line;

declare const self: {
  onmessage: (event: MessageEvent<ToThread>) => void;
  postMessage(found: FoundThere, transferred: Transferable[]): void;
};

const held = new Map<Searchable['id'], Searchable>();
/** Undefined after a change of the notes. */
let find: ReturnType<typeof typedSearch> | undefined;

self.onmessage = ({ data }) => {
  if ('notes' in data) take(data.notes);
  else answer(data);
};

/** Keeps of a note what is searched: its text as it was folded. */
function take(notes: readonly Searchable[]): void {
  for (const note of notes) {
    prepare(note);
    held.set(note.id, Object.assign(note, { title: '', content: '' }));
  }
  find = undefined;
}

function answer(line: Line): void {
  find ??= typedSearch([...held.values()].sort(newestFirst));
  const { words, notes } = find(line);
  const ids = Float64Array.from(notes, ({ id }) => id);
  self.postMessage({ query: line.query, words, ids }, [ids.buffer]);
}
