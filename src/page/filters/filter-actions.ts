/** Changes filters. Filters in the search text are moved out of it. */
import { batch, computed } from '@preact/signals';
import { type FilterName, filterNames, noFilters } from '../../core/search-line.ts';
import { clearImportedIds } from '../state/imported-ids.ts';
import { labels } from '../state/labels.ts';
import { activeFilters } from '../state/listed-notes.ts';
import { changeUrlState, urlState } from '../state/navigation.ts';
import { copyWithFiltersFromQuery, type UrlState } from '../state/url-state.ts';

export type ListFilterName = Exclude<FilterName, 'archived'>;
export type FilterValue = UrlState[ListFilterName][number];

export type ChosenFilter =
  | { readonly name: ListFilterName; readonly value: FilterValue }
  | { readonly name: 'archived' | 'pinned'; readonly value: true };

export const clearedUrlFilters = { ...noFilters, archived: false, pinned: false };

export const copyUrlStateWithChanges = (changes: Partial<UrlState>): UrlState => ({
  ...urlState.value,
  ...copyWithFiltersFromQuery(urlState.value, labels.value),
  ...changes,
});

export function moveTypedAndChangeFilters(changes: Partial<UrlState>): void {
  changeUrlState({ ...copyWithFiltersFromQuery(urlState.value, labels.value), ...changes });
}

export function clearFiltersExceptWords(): void {
  clearImportedIds();
  moveTypedAndChangeFilters(clearedUrlFilters);
}

export function clearSearchAndFilters(): void {
  clearImportedIds();
  changeUrlState({ query: '', ...clearedUrlFilters });
}

/** Clears the words of the search; without any, the filters. Returns whether there was anything to clear. */
export function tryClearWordsOrFilters(): boolean {
  if (urlState.value.query !== '') changeUrlState({ query: '' }, 'typing');
  else if (chosenFilters.value.length > 0) clearFiltersExceptWords();
  else return false;
  return true;
}

export const isFilterValueChosen = (name: ListFilterName, value: FilterValue): boolean =>
  activeFilters.value[name].some((chosen) => chosen === value);

export function toggleAsOnlyValue(name: ListFilterName, value: FilterValue): void {
  moveTypedAndChangeFilters({
    [name]: isFilterValueChosen(name, value) && activeFilters.value[name].length === 1 ? [] : [value],
  });
}

export function toggleFilterValue(name: ListFilterName, value: FilterValue): void {
  const values: readonly FilterValue[] = activeFilters.value[name];
  moveTypedAndChangeFilters({
    [name]: isFilterValueChosen(name, value) ? values.filter((other) => other !== value) : [...values, value],
  });
}

export const chosenFilters = computed((): readonly ChosenFilter[] =>
  ([...filterNames, 'pinned'] as const).flatMap((name): readonly ChosenFilter[] => {
    if (name === 'archived' || name === 'pinned') return urlState.value[name] ? [{ name, value: true }] : [];
    return urlState.value[name].map((value) => ({ name, value }));
  }),
);

export function removeFilter({ name, value }: ChosenFilter): void {
  if (value === true) moveTypedAndChangeFilters({ [name]: false });
  else toggleFilterValue(name, value);
}

/** Chooses the filters in a text that `rest` follows. Returns the text without them; undefined if there are none. */
export function moveTypedFilters(text: string, rest: string): string | undefined {
  const { query, ...taken } = copyWithFiltersFromQuery({ ...urlState.value, query: text }, labels.value);
  if (query === text) return undefined;
  batch(() => {
    changeUrlState({ query: query + rest }, 'typing');
    changeUrlState(taken);
  });
  return query;
}
