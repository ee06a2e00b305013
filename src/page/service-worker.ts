/**
 * Opens the page while the service is unreachable, and stores what other apps share. Handles only the document, the
 * files under `assets/`, and shares: responses of the API are never cached.
 *
 * Each version of the page has its own cache, complete before it is used. The worker of the next version waits until
 * all pages of the former one are closed, so that every page finds all of its parts.
 */

/** The files of the page below `assets/`, inserted by the build as one string. */
declare const PAGE_FILES: string;

declare const self: ServiceWorkerScope & typeof globalThis;

/** The timeout of the document, in ms; after it, that of the last visit is shown. */
const documentTimeoutMs = 1_500;

const assetPaths = PAGE_FILES.split(' ');
const pageUrl = self.registration.scope;
const cacheNamePrefix = `notes ${pageUrl} `;
/** One per set of files, whose names contain content hashes. */
const versionCacheName = `${cacheNamePrefix}${assetPaths.join(' ')}`;

self.addEventListener('install', (event) =>
  event.waitUntil(Promise.all([cachePageAndAssets(), bypassApiRequests(event)])),
);
self.addEventListener('activate', (event) =>
  event.waitUntil(deleteVersionCachesExcept().then(() => self.clients.claim())),
);
self.addEventListener('fetch', (event) => {
  const { destination, method, mode, url } = event.request;
  const path = url.replace(/[?#].*/, '');
  const isShare = method === 'POST' && path === `${pageUrl}share` && destination === 'document'; // in no frame
  if (isShare) event.respondWith(respondToShare(event.request));
  if (method !== 'GET' || !path.startsWith(pageUrl)) return;
  if (mode === 'navigate' && path === pageUrl) event.respondWith(respondWithPage(event));
  else if (path.startsWith(`${pageUrl}assets/`)) event.respondWith(respondWithFile(event.request));
});

/** Rejects unless the document refers only to files of this version; the next visit retries. */
async function cachePageAndAssets(): Promise<void> {
  const cache = await caches.open(versionCacheName);
  const document = await fetch(pageUrl, { cache: 'no-cache' });
  const named = [...(await document.clone().text()).matchAll(/"(assets\/[^"]+\.(?:js|css))"/g)].map(
    ([, path = '']) => path,
  );
  if (!document.ok || named.length === 0 || named.some((path) => !assetPaths.includes(path))) {
    throw new Error('The document is of another version');
  }
  await cache.addAll(assetPaths);
  await cache.put(pageUrl, document);
}

/** Lets API requests bypass this worker, so that they do not wait for its start. */
async function bypassApiRequests(event: InstallWorkerEvent): Promise<void> {
  const pathname = `${new URL(pageUrl).pathname.replace(/[^\w/.-]/g, '\\$&')}api/*`;
  await event.addRoutes?.({ condition: { urlPattern: { pathname } }, source: 'network' }).catch(() => {});
}

async function deleteVersionCachesExcept(keep = versionCacheName): Promise<void> {
  const own = (await caches.keys()).filter((name) => name.startsWith(cacheNamePrefix) && name !== keep);
  await Promise.all(own.map((name) => caches.delete(name)));
}

/**
 * The document of the service, else that of the last visit, which may be of an older version. It is requested by the
 * worker itself, as a changed request is: passed on, the request of somebody who follows a foreign link would look like
 * one that a foreign page sends by itself, which the service rejects.
 */
async function respondWithPage(event: FetchWorkerEvent): Promise<Response> {
  const asked = fetch(new Request(event.request, { mode: 'same-origin' }));
  event.waitUntil(asked.then(unregisterIfRemoved).catch(() => {}));
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, documentTimeoutMs));
  const answer = await Promise.race([asked, late]).catch(() => undefined);
  if (answer !== undefined && answer.status < 500) return answer;
  return (await (await caches.open(versionCacheName)).match(pageUrl)) ?? asked;
}

/** Shares that wait at most, and their size in bytes: a foreign page may send any number. Others are not stored. */
const maxShares = 20;
const maxShareBytes = 64 * 2 ** 20;

/** Stores texts and files, and opens the page, which asks the person what to do with them. */
async function respondToShare(request: Request): Promise<Response> {
  await storeShareIfRoom(request).catch(() => {}); // it is no form, or there is no room
  return Response.redirect(pageUrl, 303);
}

async function storeShareIfRoom(request: Request): Promise<void> {
  const fields = await request.formData();
  const cache = await caches.open(`shared with ${pageUrl}`);
  const { size } = await new Response(fields).blob();
  if (size > maxShareBytes || (await cache.keys()).length >= maxShares) return;
  const response = new Response(fields);
  const sender = tryParseHost(request.referrer);
  if (sender !== undefined) response.headers.set('sender-host', sender);
  await cache.put(`${pageUrl}share?${crypto.randomUUID()}`, response);
}

/** The host of a URL; undefined without one, as for `about:client`. */
function tryParseHost(url: string): string | undefined {
  return (URL.canParse(url) && new URL(url).host) || undefined;
}

/** Removes this worker if the service no longer has one. */
async function unregisterIfRemoved({ ok }: Response): Promise<void> {
  if (!ok) return;
  const { status } = await fetch(`${pageUrl}service-worker.js`, { method: 'HEAD', cache: 'no-store' });
  if (status !== 404 && status !== 410) return;
  await deleteVersionCachesExcept('');
  await self.registration.unregister(); // last: a worker without registration and page is terminated at once
}

/** Names contain content hashes, so any cached file is current. */
const respondWithFile = async (request: Request): Promise<Response> => (await caches.match(request)) ?? fetch(request);

/** The used part of the service worker scope, whose standard types clash with those of a page. */
interface ServiceWorkerScope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: { claim(): Promise<void> };
  addEventListener(kind: 'install', listen: (event: InstallWorkerEvent) => void): void;
  addEventListener(kind: 'activate', listen: (event: ExtendableWorkerEvent) => void): void;
  addEventListener(kind: 'fetch', listen: (event: FetchWorkerEvent) => void): void;
}
type ExtendableWorkerEvent = { waitUntil(done: Promise<unknown>): void };

/** Requests that bypass the worker; not supported by all browsers. */
interface InstallWorkerEvent extends ExtendableWorkerEvent {
  addRoutes?(rules: {
    readonly condition: { readonly urlPattern: { readonly pathname: string } };
    readonly source: 'network';
  }): Promise<void>;
}

interface FetchWorkerEvent extends ExtendableWorkerEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

export {}; // names of a module are its own
