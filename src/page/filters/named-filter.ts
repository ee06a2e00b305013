/** What an empty list offers for a search with the name of a category, group or color. */
import { searchExactlyOrMistyped } from '../../core/search.ts';
import { filterNotes } from '../../core/search-line.ts';
import { labels } from '../state/labels.ts';
import { activeFilters, searchedWords } from '../state/listed-notes.ts';
import { notes } from '../state/notes.ts';
import { focusSearchOrCountOnTouch } from '../ui/move-focus.ts';
import { moveTypedAndChangeFilters } from './filter-actions.ts';
import { listNamedFilters, type NamedFilter } from './list-named-filters.ts';

/** Finds a filter that a word of the search names, and with which the other words find a note. */
export function findNamedFilter(): NamedFilter | undefined {
  return listNamedFilters(searchedWords.value, labels.value).find(({ filters, words }) => {
    const passing = filterNotes(notes.value, { ...activeFilters.value, ...filters });
    return searchExactlyOrMistyped(passing, words).length > 0;
  });
}

export function searchWithNamedFilter({ filters, words }: NamedFilter): void {
  moveTypedAndChangeFilters({ ...filters, query: words });
  focusSearchOrCountOnTouch();
}
