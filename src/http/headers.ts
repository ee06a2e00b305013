/** Response headers, as tables that are made once. */

const always = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** Of every JSON answer. It may be kept, but is asked for again before it is used. */
export const jsonHeaders = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-cache',
  ...always,
} as const;

/** The same, ready for `new Response`: copying `Headers` is quicker than reading an object each time. */
export const jsonAnswer = { headers: new Headers(jsonHeaders) } as const;

/** Of pages: nothing is loaded from elsewhere, nothing inline runs, no other page may frame them. */
export const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
  ...always,
} as const;

/** The entity tags in an `If-Match` or `If-None-Match` header, without quotes and weakness; `*` stands for any. */
export function entityTags(header: string): readonly string[] | '*' {
  if (header.trim() === '*') return '*';
  return [...header.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
}
