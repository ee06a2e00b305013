/** The used part of the service worker scope, whose standard types clash with those of a page. */
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

/** Requests that bypass the worker; not supported by all browsers. */
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
