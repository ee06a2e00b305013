import { fold } from '../../core/folding.ts';
import {
  createUnrankedHits,
  type FoldedNote,
  type Hits,
  type Searchable,
  searchExactly,
  searchExactlyOrMistyped,
  searchMistyped,
} from '../../core/search.ts';

interface SearchStep<N> {
  readonly query: string;
  readonly hits: Hits<N>;
}

/** The typed text, and the part before an unfinished filter at its end. */
export type TypedLine = Readonly<{ query: string; before?: string | undefined }>;

/** Ignores an unfinished filter unless a note contains it as a word. `words`: the text searched for. */
export function createIncrementalSearch<N extends Searchable | FoldedNote>(
  notes: readonly N[],
): (line: TypedLine) => { readonly words: string; readonly hits: Hits<N> } {
  const exactly = createStepwiseSearch(notes, searchExactly);
  const mistyped = createStepwiseSearch(notes, searchMistyped, endsWithLongWord);
  return ({ query, before }) => {
    const exact = exactly(query);
    if (exact.notes.length > 0) return { words: query, hits: exact };
    if (before !== undefined)
      return { words: before, hits: createUnrankedHits(searchExactlyOrMistyped(notes, before)) };
    return { words: query, hits: mistyped(query) };
  };
}

/** Whether a query ends with a word so long that a longer one has no typing error more. */
const endsWithLongWord = (query: string): boolean => /[\p{L}\p{N}]{5}$/u.test(query);

/** A longer query searches the results of its prefix. `narrows`: whether no longer query finds more than this one. */
function createStepwiseSearch<N extends Searchable | FoldedNote>(
  notes: readonly N[],
  find: typeof searchExactly<N>,
  narrows = (_query: string) => true,
): (query: string) => Hits<N> {
  const all: SearchStep<N> = { query: '', hits: createUnrankedHits(notes) };
  /** Each query extends the one before it. */
  let steps: readonly SearchStep<N>[] = [];
  return (query) => {
    const folded = fold(query);
    steps = steps.filter((step) => folded.startsWith(fold(step.query))); // ｶ is no beginning of ｶﾞ
    const last = steps.findLast((step) => step.query === query || narrows(step.query)) ?? all;
    if (last.query === query) return last.hits;
    const step = { query, hits: find(last.hits.notes, query) };
    steps = [...steps, step];
    return step.hits;
  };
}
