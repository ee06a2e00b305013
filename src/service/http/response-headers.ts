/** Response headers, built once, and the parsing of conditions. */
import { invalid } from '../../core/error.ts';

const commonHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** For JSON responses: cacheable, but revalidated on each use. */
export const jsonHeaders = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-cache',
  ...commonHeaders,
} as const;

/** For `new Response`: copying `Headers` is faster than reading an object. */
export const jsonResponseInit = { headers: new Headers(jsonHeaders) } as const;

/** For event streams: no proxy may store, transform or buffer them. */
export const eventHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  ...commonHeaders,
} as const;

/** Forbids other hosts, inline code and framing by other pages. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "font-src 'self'; manifest-src 'self'; worker-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** For the pages beside that at `/`. */
export const docsHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
  ...commonHeaders,
} as const;

/** For the page at `/`: only its Trusted Types policy `notes` may create markup. */
export const pageHeaders = {
  ...docsHeaders,
  'Content-Security-Policy': `${contentSecurityPolicy}; require-trusted-types-for 'script'; trusted-types notes`,
} as const;

/** Whether an `If-None-Match` header contains an entity tag. */
export function includesEntityTag(header: string | null | undefined, tag: string): boolean {
  const known = parseIfNoneMatch(header ?? '');
  return known === '*' || known.includes(tag);
}

/** Parses an `If-None-Match` header into tags without quotes and weakness; `*` matches any. Ignores anything else. */
export function parseIfNoneMatch(header: string): readonly string[] | '*' {
  if (header.trim() === '*') return '*';
  return [...header.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
}

/** An entity tag (RFC 9110, 8.8.3): between its quotes are neither blanks nor quotes. */
const entityTagPattern = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/**
 * Parses an `If-Match` header (RFC 9110, 13.1.1) into its strong tags without quotes, as a weak one never matches; `*`
 * matches any. A list may have empty elements. Throws `invalid` if the header has no tag, or anything else.
 */
export function parseIfMatch(header: string): readonly string[] | '*' {
  if (header.trim() === '*') return '*';
  const elements = header
    .replaceAll(entityTagPattern, '""')
    .split(',')
    .map((element) => element.trim());
  const isList = elements.includes('""') && elements.every((element) => element === '' || element === '""');
  if (!isList) throw invalid('Invalid If-Match. Must be * or entity tags in double quotes');
  return [...header.matchAll(entityTagPattern)].flatMap(([, weak, tag = '']) => (weak === undefined ? [tag] : []));
}
