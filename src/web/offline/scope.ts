/** What is used of the scope of a service worker: its types clash with those of a page. */
export interface Scope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: { claim(): Promise<void> };
  addEventListener(kind: 'install', listen: (event: Installing) => void): void;
  addEventListener(kind: 'activate', listen: (event: Extendable) => void): void;
  addEventListener(kind: 'fetch', listen: (event: Fetching) => void): void;
}
interface Extendable {
  waitUntil(done: Promise<unknown>): void;
}

/** Requests that never come to the worker; only some browsers know it. */
export interface Installing extends Extendable {
  addRoutes?(rules: {
    readonly condition: { readonly urlPattern: { readonly pathname: string } };
    readonly source: 'network';
  }): Promise<void>;
}

export interface Fetching extends Extendable {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
