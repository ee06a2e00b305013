/** The headers of responses, built once. */

const commonHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** JSON responses may be cached, but are revalidated on each use. */
export const jsonHeaders = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-cache',
  ...commonHeaders,
} as const;

/** `new Response` copies `Headers` faster than it reads an object. */
export const jsonResponseInit = { headers: new Headers(jsonHeaders) } as const;

/** No proxy may store, transform or buffer event streams. */
export const eventHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  ...commonHeaders,
} as const;

/** The policy forbids other hosts, inline code and framing by other pages. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "font-src 'self'; manifest-src 'self'; worker-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** All pages but the one at `/` have these headers. */
export const docsHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
  ...commonHeaders,
} as const;

/** In the page at `/`, only its Trusted Types policy `notes` may create markup. */
export const pageHeaders = {
  ...docsHeaders,
  'Content-Security-Policy': `${contentSecurityPolicy}; require-trusted-types-for 'script'; trusted-types notes`,
} as const;
