import type { IfMatch } from '../core/store.ts';

/** Headers of a request whose body is JSON. */
export const jsonBodyHeaders = { 'Content-Type': 'application/json' };

/** Returns the request with the access token, if there is one, in its headers. */
export const toRequestWithAccessToken = (init: RequestInit, token: string | undefined): RequestInit =>
  token === undefined ? init : { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } };

/** Encodes parameters as `?name=value&…`. Those without a value are left out; without any the text is empty. */
export function encodeQueryString(parameters: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}

/**
 * Encodes the precondition of a write as headers. An empty list, which no note fulfils, becomes the empty entity tag:
 * the header needs a tag, and no note has that one.
 */
export const toIfMatchHeaders = (ifMatch: IfMatch | undefined): Record<string, string> =>
  ifMatch === undefined ? {} : { 'If-Match': ifMatch.map((updatedAt) => `"${updatedAt}"`).join(', ') || '""' };
