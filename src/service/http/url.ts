/** Splits a URL into undecoded path and query. Without a usable `Host` it has no origin. Dots are resolved already. */
export function splitUrl(url: string): { path: string; query: string } {
  const start = url.startsWith('http') ? Math.max(url.indexOf('/', 'https://'.length), 0) : 0;
  const question = url.indexOf('?', start);
  if (question < 0) return { path: url.slice(start), query: '' };
  return { path: url.slice(start, question), query: url.slice(question + 1) };
}

/** Whether a request came by https, according to the proxy that terminates TLS. */
export const isHttps = (headers: Headers) => headers.get('x-forwarded-proto')?.split(',', 1)[0]?.trim() === 'https';
