import { categories, colors, groups } from '../../core/enums.ts';
import { type FilterName, type Filters, mergeFilters, parseQuery } from '../../core/search-line.ts';
import { type NoteSortOrder, noteSortOrders } from './sort-notes.ts';
import { parseStateFilters } from './typed-state-filters.ts';

export interface UrlState extends Filters {
  readonly query: string;
  readonly archived: boolean;
  readonly pinned: boolean;
  readonly view: View;
  /** Undefined for the default: the best match in a search, else the order that this browser has stored. */
  readonly sort: NoteSortOrder | undefined;
  readonly note: number | undefined;
}

export const views = ['list', 'board'] as const;
type View = (typeof views)[number];

export function parseUrlState(search: string): { state: UrlState; ignored: readonly string[] } {
  const given = new URLSearchParams(search);
  const ignored: string[] = [];

  function oneOf<Value extends string>(name: string, values: readonly Value[], text = given.get(name)) {
    const value = values.find((value) => value === text);
    if (text !== null && value === undefined) ignored.push(`${name}=${text}`);
    return value;
  }

  const anyOf = <Value extends string>(name: string, values: readonly Value[]): readonly Value[] =>
    [...new Set(given.getAll(name).flatMap((text) => text.split(',')))]
      .map((text) => oneOf(name, values, text))
      .filter((value) => value !== undefined);

  function noteId(): number | undefined {
    const text = given.get('note');
    const id = /^[1-9]\d{0,15}$/.test(text ?? '') ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(id)) return id;
    if (text !== null) ignored.push(`note=${text}`);
    return undefined;
  }

  const chosen = {
    query: given.get('q') ?? '',
    category: anyOf('category', categories),
    group: anyOf('group', groups),
    color: anyOf('color', colors),
    archived: oneOf('archived', ['true', 'false']) === 'true',
    pinned: oneOf('pinned', ['true', 'false']) === 'true',
  };
  const view = oneOf('view', views) ?? 'list';
  const state = {
    ...copyWithFiltersFromQuery(chosen),
    view,
    sort: oneOf('sort', noteSortOrders),
    note: noteId(),
  };
  return { state, ignored };
}

export function formatUrlState({
  query,
  category,
  group,
  color,
  archived,
  pinned,
  view,
  sort,
  note,
}: UrlState): string {
  const search = new URLSearchParams();
  if (query !== '') search.set('q', query);
  for (const [name, values] of Object.entries({ category, group, color })) {
    if (values.length > 0) search.set(name, values.join(','));
  }
  if (archived) search.set('archived', 'true');
  if (pinned) search.set('pinned', 'true');
  if (view !== 'list') search.set('view', view);
  if (sort !== undefined) search.set('sort', sort);
  if (note !== undefined) search.set('note', String(note));
  return search.toString().replaceAll('%2C', ',');
}

/** Moves filters from the search text to the chosen ones. `names`: the labels of groups. */
export function copyWithFiltersFromQuery(
  chosen: Pick<UrlState, FilterName | 'query' | 'pinned'>,
  names: Parameters<typeof parseQuery>[1] = {},
): Pick<UrlState, FilterName | 'query' | 'pinned'> {
  const { words: text, filters } = parseQuery(chosen.query, names);
  const typed = parseStateFilters(text);
  const { query, category, group, color, archived, pinned } = chosen;
  const isAny = [filters.category, filters.group, filters.color].some(({ length }) => length > 0);
  const isState = filters.archived !== undefined || typed.pinned || typed.archived;
  if (!isAny && !isState) return { query, category, group, color, archived, pinned };
  const blank = typed.words !== '' && /\s$/.test(query) ? ' ' : '';
  return {
    ...mergeFilters(chosen, filters),
    archived: typed.archived || (filters.archived ?? archived),
    pinned: typed.pinned || pinned,
    query: typed.words + blank,
  };
}
