import { bestFirst, holding, type Searchable, search, searchMistyped } from '../../../domain/search.ts';

interface Search<N> {
  readonly query: string;
  /** The notes that hold every word, in the order of the list. */
  readonly held: readonly N[];
  /** The same, the best first. */
  readonly found: readonly N[];
}

/** What is typed, and what stands before a filter at its end that is not finished. */
export interface Line {
  readonly query: string;
  readonly before?: string | undefined;
}

/**
 * Searches one list for lines that are typed. While no note has it as a word, a filter that is being typed is left out.
 * `words`: what was searched for.
 */
export function typedSearch<N extends Searchable>(
  notes: readonly N[],
): (line: Line) => { readonly words: string; readonly notes: readonly N[] } {
  const typedExactly = exactSearch(notes);
  return ({ query, before }) => {
    const exact = typedExactly(query);
    if (exact.length > 0) return { words: query, notes: exact };
    if (before !== undefined) return { words: before, notes: search(notes, before) };
    return { words: query, notes: searchMistyped(notes, query) };
  };
}

/**
 * `searchExactly` in one list, for a query that is typed: what a longer query finds is among what its beginning has found,
 * and a shorter one was found before.
 */
export function exactSearch<N extends Searchable>(notes: readonly N[]): (query: string) => readonly N[] {
  const all: Search<N> = { query: '', held: notes, found: notes };
  /** Each query goes on with the one before it. */
  let steps: readonly Search<N>[] = [];
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
