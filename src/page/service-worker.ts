/**
 * Opens the page while the service is unreachable, and stores what other apps share. Handles only the document, the
 * files under `assets/`, and shares: responses of the API are never cached.
 *
 * Each version of the page has its own cache, complete before it is used. The worker of the next version waits until
 * all pages of the former one are closed, so that every page finds all of its parts.
 */

/** The files of the page below `assets/`, inserted by the build as one string. */
declare const PAGE_FILES: string;

declare const self: Scope & typeof globalThis;

/** The timeout of the document, in ms; after it, that of the last visit is shown. */
const timeoutMs = 1_500;

const files = PAGE_FILES.split(' ');
const page = self.registration.scope;
const prefix = `notes ${page} `;
/** One per set of files, whose names contain content hashes. */
const cacheName = `${prefix}${files.join(' ')}`;

self.addEventListener('install', (event) => event.waitUntil(Promise.all([install(), passOver(event)])));
self.addEventListener('activate', (event) => event.waitUntil(removeOthers().then(() => self.clients.claim())));
self.addEventListener('fetch', (event) => {
  const { destination, method, mode, url } = event.request;
  const path = url.replace(/[?#].*/, '');
  const isShare = method === 'POST' && path === `${page}share` && destination === 'document'; // in no frame
  if (isShare) event.respondWith(respondToShare(event.request));
  if (method !== 'GET' || !path.startsWith(page)) return;
  if (mode === 'navigate' && path === page) event.respondWith(answerPage(event));
  else if (path.startsWith(`${page}assets/`)) event.respondWith(answerFile(event.request));
});

/** Rejects unless the document refers only to files of this version; the next visit retries. */
async function install(): Promise<void> {
  const cache = await caches.open(cacheName);
  const document = await fetch(page, { cache: 'no-cache' });
  const named = [...(await document.clone().text()).matchAll(/"(assets\/[^"]+\.(?:js|css))"/g)].map(
    ([, path = '']) => path,
  );
  if (!document.ok || named.length === 0 || named.some((path) => !files.includes(path))) {
    throw new Error('The document is of another version');
  }
  await cache.addAll(files);
  await cache.put(page, document);
}

/** Lets API requests bypass this worker, so that they do not wait for its start. */
async function passOver(event: Installing): Promise<void> {
  const pathname = `${new URL(page).pathname.replace(/[^\w/.-]/g, '\\$&')}api/*`;
  await event.addRoutes?.({ condition: { urlPattern: { pathname } }, source: 'network' }).catch(() => {});
}

async function removeOthers(keep = cacheName): Promise<void> {
  const own = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== keep);
  await Promise.all(own.map((name) => caches.delete(name)));
}

/**
 * The document of the service, else that of the last visit, which may be of an older version. It is requested by the
 * worker itself, as a changed request is: passed on, the request of somebody who follows a foreign link would look like
 * one that a foreign page sends by itself, which the service rejects.
 */
async function answerPage(event: Fetching): Promise<Response> {
  const asked = fetch(new Request(event.request, { mode: 'same-origin' }));
  event.waitUntil(asked.then(leaveIfUnknown).catch(() => {}));
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, timeoutMs));
  const answer = await Promise.race([asked, late]).catch(() => undefined);
  if (answer !== undefined && answer.status < 500) return answer;
  return (await (await caches.open(cacheName)).match(page)) ?? asked;
}

/** Shares that wait at most, and their size in bytes: a foreign page may send any number. Others are not stored. */
const maxShares = 20;
const maxShareBytes = 64 * 2 ** 20;

/** Stores texts and files, and opens the page, which asks the person what to do with them. */
async function respondToShare(request: Request): Promise<Response> {
  await storeShare(request).catch(() => {}); // it is no form, or there is no room
  return Response.redirect(page, 303);
}

async function storeShare(request: Request): Promise<void> {
  const fields = await request.formData();
  const cache = await caches.open(`shared with ${page}`);
  const { size } = await new Response(fields).blob();
  if (size > maxShareBytes || (await cache.keys()).length >= maxShares) return;
  const response = new Response(fields);
  const sender = parseHost(request.referrer);
  if (sender !== undefined) response.headers.set('sender-host', sender);
  await cache.put(`${page}share?${crypto.randomUUID()}`, response);
}

/** The host of a URL; undefined without one, as for `about:client`. */
function parseHost(url: string): string | undefined {
  return (URL.canParse(url) && new URL(url).host) || undefined;
}

/** Removes this worker if the service no longer has one. */
async function leaveIfUnknown({ ok }: Response): Promise<void> {
  if (!ok) return;
  const { status } = await fetch(`${page}service-worker.js`, { method: 'HEAD', cache: 'no-store' });
  if (status !== 404 && status !== 410) return;
  await removeOthers('');
  await self.registration.unregister(); // last: a worker without registration and page is terminated at once
}

/** Names contain content hashes, so any cached file is current. */
const answerFile = async (request: Request): Promise<Response> => (await caches.match(request)) ?? fetch(request);

/** The used part of the service worker scope, whose standard types clash with those of a page. */
interface Scope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: { claim(): Promise<void> };
  addEventListener(kind: 'install', listen: (event: Installing) => void): void;
  addEventListener(kind: 'activate', listen: (event: Extendable) => void): void;
  addEventListener(kind: 'fetch', listen: (event: Fetching) => void): void;
}
type Extendable = { waitUntil(done: Promise<unknown>): void };

/** Requests that bypass the worker; not supported by all browsers. */
interface Installing extends Extendable {
  addRoutes?(rules: {
    readonly condition: { readonly urlPattern: { readonly pathname: string } };
    readonly source: 'network';
  }): Promise<void>;
}

interface Fetching extends Extendable {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

export {}; // names of a module are its own
