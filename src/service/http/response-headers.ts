/** Headers of responses, built once. */

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
