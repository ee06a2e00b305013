/** Response headers, as tables that are made once. */

const always = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** In it `/healthz` says the name of the service, which is another one after each start. */
export const instanceHeader = 'Notes-Instance';

/** Of every JSON answer. It may be kept, but is asked for again before it is used. */
export const jsonHeaders = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-cache',
  ...always,
} as const;

/** The same, ready for `new Response`: copying `Headers` is quicker than reading an object each time. */
export const jsonAnswer = { headers: new Headers(jsonHeaders) } as const;

/** The cursor at which a list was read. */
export const cursorHeader = 'Notes-Cursor';

/** Of a stream of events: no proxy may keep, change or hold back a part of it. */
export const eventHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  ...always,
} as const;

/** Forbids other hosts, inline code and framing by other pages. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Of the page at `/docs`. */
export const docsHeaders = {
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
  ...always,
} as const;

/** Of the page at `/`: markup is made of texts by one policy only, which the page calls `notes`. */
export const pageHeaders = {
  ...docsHeaders,
  'Content-Security-Policy': `${policy}; require-trusted-types-for 'script'; trusted-types notes`,
} as const;

/** Whether an `If-None-Match` header, if there is one, names an entity tag. */
export function isKnownTag(header: string | null | undefined, tag: string): boolean {
  const known = entityTags(header ?? '');
  return known === '*' || known.includes(tag);
}

/** The entity tags in an `If-Match` or `If-None-Match` header, without quotes and weakness; `*` stands for any. */
export function entityTags(header: string): readonly string[] | '*' {
  if (header.trim() === '*') return '*';
  return [...header.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
}
