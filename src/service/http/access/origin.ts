/**
 * Checks the origin of requests, whatever their method and type, against cross-site request forgery. Serves programs
 * other than browsers, which send neither origin nor site, and people who follow a link. `origins` are granted CORS;
 * `*` for any.
 */
export function createOriginCheck(origins: readonly string[]): (request: Request) => boolean {
  if (origins.includes('*')) return () => true;
  return ({ headers, method }) => {
    const origin = headers.get('origin');
    const site = headers.get('sec-fetch-site');
    if (origin !== null && origins.includes(origin)) return true;
    if (site === null) return origin === null || isOwn(origin, headers);
    if (site === 'same-origin' || site === 'none') return true;
    const isRead = method === 'GET' || method === 'HEAD';
    return isRead && headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
  };
}

/** For browsers that send no site, as over plain HTTP. A proxy may change `Host`; pages can forge neither header. */
function isOwn(origin: string, headers: Headers): boolean {
  if (!URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  return host === headers.get('host') || host === headers.get('x-forwarded-host');
}
