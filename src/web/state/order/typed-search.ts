import type { Note } from '../../../domain/note.ts';
import { bestFirst, holding } from '../../../domain/search.ts';

interface Search {
  readonly query: string;
  /** The notes that hold every word, in the order of the list. */
  readonly held: readonly Note[];
  /** The same, the best first. */
  readonly found: readonly Note[];
}

/**
 * `searchExactly` in one list, for a query that is typed: what a longer query finds is among what its beginning has found,
 * and a shorter one was found before.
 */
export function typedSearch(notes: readonly Note[]): (query: string) => readonly Note[] {
  const all: Search = { query: '', held: notes, found: notes };
  /** Each query goes on with the one before it. */
  let steps: readonly Search[] = [];
  return (query) => {
    steps = steps.filter((step) => query.startsWith(step.query));
    const last = steps.at(-1) ?? all;
    if (last.query === query) return last.found;
    const held = holding(last.held, query);
    const found = bestFirst(held, query);
    steps = [...steps, { query, held, found }];
    return found;
  };
}
