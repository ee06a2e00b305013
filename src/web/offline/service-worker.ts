/**
 * Opens the page while the service is away. It answers for the document and the files under `assets/`, for nothing else:
 * what the interface says is never kept here.
 *
 * Each version of the page has a cache of its own, which is complete before it counts. The worker of the next version
 * waits until no page of the former one is open, so that each page finds all of its parts.
 */

import type { Fetching, Installing, Scope } from './scope.ts';

/** The files of the page below `assets/`, of which the build makes one text. */
declare const PAGE_FILES: string;

declare const self: Scope & typeof globalThis;

/** How long the service may take to send the document before that of the last visit is shown, in ms. */
const patienceMs = 1_500;

const files = PAGE_FILES.split(' ');
const page = self.registration.scope;
const prefix = `notes ${page} `;
/** Another one for each set of files, whose names change with their bytes. */
const cacheName = `${prefix}${files.join(' ')}`;

self.addEventListener('install', (event) => event.waitUntil(Promise.all([install(), passOver(event)])));
self.addEventListener('activate', (event) => event.waitUntil(removeOthers().then(() => self.clients.claim())));
self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  const path = url.replace(/[?#].*/, '');
  if (method !== 'GET' || !path.startsWith(page)) return;
  if (mode === 'navigate' && path === page) event.respondWith(answerPage(event));
  else if (path.startsWith(`${page}assets/`)) event.respondWith(answerFile(event.request));
});

/** Fails, to be tried again at the next visit, unless the document names files of this version alone. */
async function install(): Promise<void> {
  const cache = await caches.open(cacheName);
  const document = await fetch(page, { cache: 'no-cache' });
  const named = [...(await document.clone().text()).matchAll(/"(assets\/[^"]+)"/g)].map(([, path = '']) => path);
  if (!document.ok || named.length === 0 || named.some((path) => !files.includes(path))) {
    throw new Error('The document is of another version');
  }
  await cache.addAll(files);
  await cache.put(page, document);
}

/** Spares what the page asks the service the way through this worker, and its start. */
async function passOver(event: Installing): Promise<void> {
  const pathname = `${new URL(page).pathname.replace(/[^\w/.-]/g, '\\$&')}api/*`;
  await event.addRoutes?.({ condition: { urlPattern: { pathname } }, source: 'network' }).catch(() => {});
}

async function removeOthers(keep = cacheName): Promise<void> {
  const own = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== keep);
  await Promise.all(own.map((name) => caches.delete(name)));
}

/** The document of the service, else that of the last visit: they differ at most in version. */
async function answerPage(event: Fetching): Promise<Response> {
  const asked = fetch(event.request);
  event.waitUntil(asked.then(leaveIfUnknown).catch(() => {}));
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, patienceMs));
  const answer = await Promise.race([asked, late]).catch(() => undefined);
  if (answer !== undefined && answer.status < 500) return answer;
  return (await (await caches.open(cacheName)).match(page)) ?? asked;
}

/** Where the service has no service worker any more, there is none. */
async function leaveIfUnknown({ ok }: Response): Promise<void> {
  if (!ok) return;
  const { status } = await fetch(`${page}service-worker.js`, { method: 'HEAD', cache: 'no-store' });
  if (status !== 404 && status !== 410) return;
  await removeOthers('');
  await self.registration.unregister(); // last: a worker without registration and page is ended at once
}

/** Their names change with their bytes: what is in any cache is right. */
const answerFile = async (request: Request): Promise<Response> => (await caches.match(request)) ?? fetch(request);
