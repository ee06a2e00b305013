/**
 * A check that keeps requests out which a page of another site has its visitor's browser send, before anything is done,
 * whatever their method and type. What is no browser tells neither its origin nor its site and is served, and so is a
 * person who follows a link. `origins`: those that are granted CORS; `*` for any.
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

/** Of a browser that tells no site, as over plain http. A proxy may send another `Host`; no page can forge either header. */
function isOwn(origin: string, headers: Headers): boolean {
  if (!URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  return host === headers.get('host') || host === headers.get('x-forwarded-host');
}
