/** Changes filters. Filters in the search text are moved out of it. */
import { batch, computed } from '@preact/signals';
import { type FilterName, filterNames, noFilters } from '../../core/search-line.ts';
import { labels } from '../state/labels.ts';
import { navigate, urlState } from '../state/navigation.ts';
import { filters } from '../state/results.ts';
import { takeFilters, type UrlState } from '../state/url-state.ts';

export type ListName = Exclude<FilterName, 'archived'>;
export type FilterValue = UrlState[ListName][number];

export type Chosen =
  | { readonly name: ListName; readonly value: FilterValue }
  | { readonly name: 'archived' | 'pinned'; readonly value: true };

export const noFilter = { ...noFilters, archived: false, pinned: false };

export const withFilters = (changes: Partial<UrlState>): UrlState => ({
  ...urlState.value,
  ...takeFilters(urlState.value, labels.value),
  ...changes,
});

export function changeFilters(changes: Partial<UrlState>): void {
  navigate({ ...takeFilters(urlState.value, labels.value), ...changes });
}

export const showAll = () => changeFilters(noFilter);

export const clearFilters = () => navigate({ query: '', ...noFilter });

export const isChosen = (name: ListName, value: FilterValue): boolean =>
  filters.value[name].some((chosen) => chosen === value);

export function choose(name: ListName, value: FilterValue): void {
  changeFilters({ [name]: isChosen(name, value) && filters.value[name].length === 1 ? [] : [value] });
}

export function toggle(name: ListName, value: FilterValue): void {
  const values: readonly FilterValue[] = filters.value[name];
  changeFilters({ [name]: isChosen(name, value) ? values.filter((other) => other !== value) : [...values, value] });
}

export const chips = computed((): readonly Chosen[] =>
  ([...filterNames, 'pinned'] as const).flatMap((name): readonly Chosen[] => {
    if (name === 'archived' || name === 'pinned') return urlState.value[name] ? [{ name, value: true }] : [];
    return urlState.value[name].map((value) => ({ name, value }));
  }),
);

export function remove({ name, value }: Chosen): void {
  if (value === true) changeFilters({ [name]: false });
  else toggle(name, value);
}

/** Chooses the filters in a text that `rest` follows. Returns the text without them; undefined if there are none. */
export function takeTyped(text: string, rest: string): string | undefined {
  const { query, ...taken } = takeFilters({ ...urlState.value, query: text }, labels.value);
  if (query === text) return undefined;
  batch(() => {
    navigate({ query: query + rest }, 'typing');
    navigate(taken);
  });
  return query;
}
