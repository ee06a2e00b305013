/** Filters of the search on this page alone: `is:pinned` and `is:archived`. */
import { type FilterCompletion, findFilterCompletion } from '../../core/search-line.ts';

const noteStates = ['pinned', 'archived'] as const;

export interface StateFilters {
  /** The words without these filters, separated by single spaces. */
  readonly words: string;
  readonly pinned: boolean;
  readonly archived: boolean;
}

/** Separates filters of the form `is:pinned` from the other words of a search, in any case. */
export function parseStateFilters(text: string): StateFilters {
  const all = text.split(' ');
  const isTyped = (state: string) => all.some((word) => word.toLowerCase() === `is:${state}`);
  const words = all.filter((word) => !noteStates.some((state) => word.toLowerCase() === `is:${state}`));
  return { words: words.join(' '), pinned: isTyped('pinned'), archived: isTyped('archived') };
}

/** Completes the last word that can become a filter, such as `is:p` or `c:cs`; undefined if there is none. */
export function findTypedFilterCompletion(
  line: string,
  labels: Parameters<typeof findFilterCompletion>[1],
): FilterCompletion | undefined {
  const [, before = '', typed] = /^(.*\s)?is:([a-z]*)$/i.exec(line) ?? [];
  const states = noteStates.filter((state) => state !== typed && state.startsWith(typed?.toLowerCase() ?? '?'));
  if (states.length === 0) return findFilterCompletion(line, labels);
  return { before, after: '', choices: states.map((value) => ({ value, word: `is:${value}` })) };
}
