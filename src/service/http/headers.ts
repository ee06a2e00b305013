/** Response headers, built once. */

const always = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** For JSON responses: cacheable, but revalidated on each use. */
export const jsonHeaders = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-cache',
  ...always,
} as const;

/** For `new Response`: copying `Headers` is faster than reading an object. */
export const jsonAnswer = { headers: new Headers(jsonHeaders) } as const;

/** For event streams: no proxy may store, transform or buffer them. */
export const eventHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  ...always,
} as const;

/** Forbids other hosts, inline code and framing by other pages. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "font-src 'self'; manifest-src 'self'; worker-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** For the pages beside that at `/`. */
export const docsHeaders = {
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
  ...always,
} as const;

/** For the page at `/`: only its Trusted Types policy `notes` may create markup. */
export const pageHeaders = {
  ...docsHeaders,
  'Content-Security-Policy': `${policy}; require-trusted-types-for 'script'; trusted-types notes`,
} as const;

/** Whether an `If-None-Match` header contains an entity tag. */
export function isKnownTag(header: string | null | undefined, tag: string): boolean {
  const known = entityTags(header ?? '');
  return known === '*' || known.includes(tag);
}

/** Parses an `If-Match` or `If-None-Match` header into tags without quotes and weakness; `*` matches any. */
export function entityTags(header: string): readonly string[] | '*' {
  if (header.trim() === '*') return '*';
  return [...header.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
}
