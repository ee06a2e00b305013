/** Choosing filters. Those that stand in the text of the search are taken out of it. */
import { batch, computed } from '@preact/signals';
import { type FilterName, filterNames, noFilters } from '../../domain/query.ts';
import { labels } from '../state/labels/labels.ts';
import { navigate, urlState } from '../state/navigation.ts';
import { filters } from '../state/results.ts';
import { takeFilters, type UrlState } from '../state/url-state.ts';

/** The filters with several values. */
export type ListName = Exclude<FilterName, 'archived'>;
export type FilterValue = UrlState[ListName][number];

/** A value of a filter that is chosen. */
export type Chosen =
  | { readonly name: ListName; readonly value: FilterValue }
  | { readonly name: 'archived' | 'pinned'; readonly value: true };

export const noFilter = { ...noFilters, archived: false, pinned: false };

/** The state of the page with other filters: for links. */
export const withFilters = (changes: Partial<UrlState>): UrlState => ({
  ...urlState.value,
  ...takeFilters(urlState.value, labels.value),
  ...changes,
});

export function changeFilters(changes: Partial<UrlState>): void {
  navigate({ ...takeFilters(urlState.value, labels.value), ...changes });
}

/** Shows all notes outside of the archive that the search finds. */
export const showAll = () => changeFilters(noFilter);

/** Clears search and filters. */
export const clearFilters = () => navigate({ query: '', ...noFilter });

export const isChosen = (name: ListName, value: FilterValue): boolean =>
  filters.value[name].some((chosen) => chosen === value);

/** Chooses one value alone, or none when it was chosen alone already. */
export function choose(name: ListName, value: FilterValue): void {
  changeFilters({ [name]: isChosen(name, value) && filters.value[name].length === 1 ? [] : [value] });
}

/** Chooses one value more, or one less. */
export function toggle(name: ListName, value: FilterValue): void {
  const values: readonly FilterValue[] = filters.value[name];
  changeFilters({ [name]: isChosen(name, value) ? values.filter((other) => other !== value) : [...values, value] });
}

/** What is shown as chips: the filters that are not part of the text. */
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

/**
 * Takes the filters out of a text, and chooses them: a step in the history. Returns what is left of the text, which `rest`
 * follows; undefined if there are none.
 */
export function takeTyped(text: string, rest = ''): string | undefined {
  const { query, ...taken } = takeFilters({ ...urlState.value, query: text }, labels.value);
  if (query === text) return undefined;
  batch(() => {
    navigate({ query: query + rest }, 'typing');
    navigate(taken);
  });
  return query;
}
