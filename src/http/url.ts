/** Splits a URL into undecoded path and query. Without a usable `Host` it has no origin. Dots are resolved already. */
export function splitUrl(url: string): { path: string; query: string } {
  const start = url.startsWith('http') ? Math.max(url.indexOf('/', 'https://'.length), 0) : 0;
  const question = url.indexOf('?', start);
  if (question < 0) return { path: url.slice(start), query: '' };
  return { path: url.slice(start, question), query: url.slice(question + 1) };
}
