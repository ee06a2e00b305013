/**
 * Opens the page while the service is unreachable, and keeps what other apps share. Handles only the document, the
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
  const { method, mode, url } = event.request;
  const path = url.replace(/[?#].*/, '');
  if (method === 'POST' && path === `${page}share`) event.respondWith(keepShared(event.request));
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

/** The document of the service, else that of the last visit, which may be of an older version. */
async function answerPage(event: Fetching): Promise<Response> {
  const asked = fetch(event.request);
  event.waitUntil(asked.then(leaveIfUnknown).catch(() => {}));
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, timeoutMs));
  const answer = await Promise.race([asked, late]).catch(() => undefined);
  if (answer !== undefined && answer.status < 500) return answer;
  return (await (await caches.open(cacheName)).match(page)) ?? asked;
}

/** Keeps texts and files until the page, which this opens, takes them. */
async function keepShared(request: Request): Promise<Response> {
  const shared = await caches.open(`shared with ${page}`);
  await shared.put(`${page}share?${Date.now()}`, new Response(await request.formData()));
  return Response.redirect(page, 303);
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
