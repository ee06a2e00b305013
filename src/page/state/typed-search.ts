import { fold } from '../../core/folding.ts';
import { type Searchable, search, searchExactly, searchMistyped } from '../../core/search.ts';

interface Search<N> {
  readonly query: string;
  /** The notes that contain every word, in list order. */
  readonly matches: readonly N[];
  /** The same notes, best first. */
  readonly found: readonly N[];
}

/** The typed text, and the part before an unfinished filter at its end. */
export type TypedLine = Readonly<{ query: string; before?: string | undefined }>;

/** Ignores an unfinished filter unless a note contains it as a word. `words`: the text searched for. */
export function typedSearch<N extends Searchable>(
  notes: readonly N[],
): (line: TypedLine) => { readonly words: string; readonly notes: readonly N[] } {
  const exactly = stepwise(notes, searchExactly);
  const mistyped = stepwise(notes, searchMistyped, isLong);
  return ({ query, before }) => {
    const exact = exactly(query);
    if (exact.length > 0) return { words: query, notes: exact };
    if (before !== undefined) return { words: before, notes: search(notes, before) };
    return { words: query, notes: mistyped(query) };
  };
}

/** Whether a query ends with a word so long that a longer one has no typing error more. */
const isLong = (query: string): boolean => /[\p{L}\p{N}]{5}$/u.test(query);

/** A longer query searches the results of its prefix. `narrows`: whether no longer query finds more than this one. */
function stepwise<N extends Searchable>(
  notes: readonly N[],
  find: typeof searchExactly<N>,
  narrows = (_query: string) => true,
): (query: string) => readonly N[] {
  const all: Search<N> = { query: '', matches: notes, found: notes };
  /** Each query extends the one before it. */
  let steps: readonly Search<N>[] = [];
  return (query) => {
    const folded = fold(query);
    steps = steps.filter((step) => folded.startsWith(fold(step.query))); // ｶ is no beginning of ｶﾞ
    const last = steps.findLast((step) => step.query === query || narrows(step.query)) ?? all;
    if (last.query === query) return last.found;
    const step = { query, ...find(last.matches, query) };
    steps = [...steps, step];
    return step.found;
  };
}
