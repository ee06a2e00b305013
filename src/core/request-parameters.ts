/** Parses the path and the query string of a request. Bodies are parsed beside their schemas, in note.ts. */
import { categories, groups } from './enums.ts';
import { createInvalidError, NoteError } from './error.ts';
import * as message from './error-messages.ts';
import type { NoteFilter } from './note.ts';
import { searchLimits } from './store.ts';

/** Values of the `archived` filter in a URL. */
const archivedValues = ['true', 'false'] as const;

/** Parses an id from a path. Throws `not_found` unless it is a canonical positive safe integer. */
export function parseIdOrThrowNotFound(raw: string): number {
  const id = tryParseId(raw);
  if (id === undefined) throw new NoteError('not_found', message.noSuchNote(raw));
  return id;
}

/** Returns the id in a text; undefined unless it is a canonical positive safe integer. */
export function tryParseId(text: string): number | undefined {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(id) ? id : undefined;
}

/** Parses a filter from a query string. Ignores unknown parameters. Throws `invalid`, also for a repeated one. */
export function parseFilter(query: URLSearchParams): NoteFilter {
  const filter: { -readonly [Name in keyof NoteFilter]: NoteFilter[Name] } = {};
  const category = parseOptionalFilterParameter(query, 'category', categories);
  if (category !== undefined) filter.category = category;
  const group = parseOptionalFilterParameter(query, 'group', groups);
  if (group !== undefined) filter.group = group;
  const archived = parseOptionalFilterParameter(query, 'archived', archivedValues);
  if (archived !== undefined) filter.archived = archived === 'true';
  return filter;
}

/** What to find, in which notes, and how many results. */
export interface SearchRequest {
  /** A line for `parseQuery`; a note must pass its filters and `filter`. */
  readonly query: string;
  readonly filter: NoteFilter;
  readonly limit: number;
}

/** Parses a search from a query string, with the rules of `parseFilter`. Throws `invalid`. */
export function parseSearch(parameters: URLSearchParams): SearchRequest {
  const [query = '', ...others] = parameters.getAll('q');
  if (others.length > 0 || query.length > searchLimits.query)
    throw createInvalidError(`Invalid q. Must be given once, with at most ${searchLimits.query} characters`);
  return {
    query,
    filter: parseFilter(parameters),
    limit: parseOptionalLimit(parameters, searchLimits.notes) ?? searchLimits.defaultNotes,
  };
}

/** Parses `limit`, an integer from 1 to `max`; undefined if absent. Throws `invalid`. */
export function parseOptionalLimit(query: URLSearchParams, max: number): number | undefined {
  const given = query.getAll('limit');
  if (given.length === 0) return undefined;
  const limit = given.length === 1 && /^[1-9]\d{0,8}$/.test(given[0] ?? '') ? Number(given[0]) : 0;
  if (limit < 1 || limit > max) throw createInvalidError(message.limitOutOfRange(max));
  return limit;
}

/** Parses `after`, the id after which a page begins; 0 if absent. Throws `invalid`. */
export function parseAfterIdOrDefault(query: URLSearchParams): number {
  const given = query.getAll('after');
  const id = /^\d{1,15}$/.test(given[0] ?? '0') ? Number(given[0] ?? 0) : undefined;
  if (id === undefined || given.length > 1) throw createInvalidError('Invalid after. Must be an id, or 0');
  return id;
}

function parseOptionalFilterParameter<Value extends string>(
  query: URLSearchParams,
  name: keyof NoteFilter,
  values: readonly Value[],
): Value | undefined {
  const given = query.getAll(name);
  if (given.length === 0) return undefined;
  if (given.length > 1) throw createInvalidError(`Invalid ${name}. Must be given once`);
  const value = values.find((allowed) => allowed === given[0]);
  if (value === undefined) throw createInvalidError(message.notOneOf(name, values));
  return value;
}
