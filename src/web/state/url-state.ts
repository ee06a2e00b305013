import { categories, groups } from '../../domain/enums.ts';
import type { Note } from '../../domain/note.ts';

/** What the page shows, as it stands in the query string of its address. */
export interface UrlState {
  readonly query: string;
  readonly category: Note['category'] | undefined;
  readonly group: Note['group'] | undefined;
  readonly archived: boolean;
  readonly view: View;
  /** The id of the open note. */
  readonly note: number | undefined;
}

export const views = ['list', 'board'] as const;
export type View = (typeof views)[number];

/** Parses a query string. Invalid parameters are left out and listed in `ignored`. */
export function parseUrlState(search: string): { state: UrlState; ignored: readonly string[] } {
  const given = new URLSearchParams(search);
  const ignored: string[] = [];

  function oneOf<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
    const text = given.get(name);
    const value = values.find((value) => value === text);
    if (text !== null && value === undefined) ignored.push(`${name}=${text}`);
    return value;
  }

  function id(name: string): number | undefined {
    const text = given.get(name);
    const number = text !== null && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
    const value = Number.isSafeInteger(number) ? number : undefined;
    if (text !== null && value === undefined) ignored.push(`${name}=${text}`);
    return value;
  }

  const state = {
    query: given.get('q') ?? '',
    category: oneOf('category', categories),
    group: oneOf('group', groups),
    archived: oneOf('archived', ['true', 'false']) === 'true',
    view: oneOf('view', views) ?? 'list',
    note: id('note'),
  };
  return { state, ignored };
}

/** The query string of a state, without `?` and without defaults. */
export function formatUrlState({ query, category, group, archived, view, note }: UrlState): string {
  const search = new URLSearchParams();
  if (query !== '') search.set('q', query);
  if (category) search.set('category', category);
  if (group) search.set('group', group);
  if (archived) search.set('archived', 'true');
  if (view !== 'list') search.set('view', view);
  if (note !== undefined) search.set('note', String(note));
  return search.toString();
}
