import type * as z from 'zod/mini';
import type { Fields } from '../shared/json.ts';
import { invalid, NoteError } from './error.ts';
import * as message from './message.ts';
import { categories, draftFields, groups, NoteDraft, type NoteFilter, NotePatch, PortableNote } from './note.ts';
import { searchLimits } from './store.ts';

/** Values of the `archived` filter, as they stand in a URL. */
export const archivedValues = ['true', 'false'] as const;

const portableFields = [...draftFields, 'archived', 'createdAt', 'updatedAt'] as const;

const isMissing = (value: unknown) => value === undefined || value === null;

/** The draft in a request body. Fields that the service owns or does not know are ignored. Throws `invalid`. */
export function parseDraft(body: Fields): NoteDraft {
  const missing = draftFields.filter((field) => isMissing(body[field]));
  if (missing.length > 0) throw invalid(message.missingFields(missing));
  return accept(NoteDraft, body);
}

/** The changes in the body of an update of note `id`, which the body must name too. Throws `invalid`. */
export function parsePatch(body: Fields, id: number): NotePatch {
  if (isMissing(body['id'])) throw invalid(message.missingFields(['id']));
  if (body['id'] !== id) throw invalid(message.idMismatch);
  return accept(NotePatch, body);
}

/** A note as an export holds it. Fields that it does not know are ignored. Throws `invalid`. */
export function parsePortable(body: Fields): PortableNote {
  const missing = portableFields.filter((field) => isMissing(body[field]));
  if (missing.length > 0) throw invalid(message.missingFields(missing));
  return accept(PortableNote, body);
}

/** A path's id as a number. Anything but a canonical positive safe integer names no note: throws `not_found`. */
export function parseId(raw: string): number {
  const id = /^[1-9]\d{0,15}$/.test(raw) ? Number(raw) : 0;
  if (id < 1 || !Number.isSafeInteger(id)) throw new NoteError('not_found', message.noSuchNote(raw));
  return id;
}

/** The filter in a query string. Unknown parameters are ignored; a known one given twice is invalid. Throws `invalid`. */
export function parseFilter(query: URLSearchParams): NoteFilter {
  const filter: { -readonly [Name in keyof NoteFilter]: NoteFilter[Name] } = {};
  const category = single(query, 'category', categories);
  if (category !== undefined) filter.category = category;
  const group = single(query, 'group', groups);
  if (group !== undefined) filter.group = group;
  const archived = single(query, 'archived', archivedValues);
  if (archived !== undefined) filter.archived = archived === 'true';
  return filter;
}

/** What a search asks for. */
export interface SearchRequest {
  readonly query: string;
  readonly filter: NoteFilter;
  readonly limit: number;
}

/** The search in a query string. Parameters are taken as `parseFilter` takes them. Throws `invalid`. */
export function parseSearch(parameters: URLSearchParams): SearchRequest {
  const [query = '', ...others] = parameters.getAll('q');
  if (others.length > 0 || query.length > searchLimits.query) throw invalid(message.invalidQuery(searchLimits.query));
  return {
    query,
    filter: parseFilter(parameters),
    limit: parseLimit(parameters, searchLimits.notes) ?? searchLimits.defaultNotes,
  };
}

/** How many a query string asks for, at most `max`; undefined where it does not say. Throws `invalid`. */
export function parseLimit(query: URLSearchParams, max: number): number | undefined {
  const given = query.getAll('limit');
  if (given.length === 0) return undefined;
  const limit = given.length === 1 && /^[1-9]\d{0,8}$/.test(given[0] ?? '') ? Number(given[0]) : 0;
  if (limit < 1 || limit > max) throw invalid(message.invalidLimit(max));
  return limit;
}

/** The id in a query string after which something begins; 0 where it does not say. Throws `invalid`. */
export function parseAfter(query: URLSearchParams): number {
  const given = query.getAll('after');
  const id = /^\d{1,15}$/.test(given[0] ?? '0') ? Number(given[0] ?? 0) : undefined;
  if (id === undefined || given.length > 1) throw invalid(message.invalidAfter);
  return id;
}

function accept<Schema extends z.ZodMiniType>(schema: Schema, input: Fields): z.infer<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw invalid(result.error.issues[0]?.message ?? message.notAnObject);
}

function single<Value extends string>(
  query: URLSearchParams,
  name: keyof NoteFilter,
  values: readonly Value[],
): Value | undefined {
  const given = query.getAll(name);
  if (given.length === 0) return undefined;
  const value = values.find((allowed) => allowed === given[0]);
  if (value === undefined || given.length > 1) throw invalid(message.notOneOf(name, values));
  return value;
}
