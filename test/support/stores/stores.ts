/** Every kind of `PortableStore`, for suites that run on all of them. */
import { join } from 'node:path';
import { createPortableClient } from '../../../src/client/portable-client.ts';
import { NoteError } from '../../../src/core/error.ts';
import type { Note, NoteFilter } from '../../../src/core/note.ts';
import type { AccessToken } from '../../../src/core/setting-values.ts';
import type { NoteEngine, NoteStore, PortableStore } from '../../../src/core/store.ts';
import { Access } from '../../../src/service/http/access/access.ts';
import { type AppSettings, createApp } from '../../../src/service/http/app.ts';
import { Metrics } from '../../../src/service/http/metrics.ts';
import type { EventStreams } from '../../../src/service/http/routes/events-routes.ts';
import { loadPage } from '../../../src/service/load-page.ts';
import type { Log } from '../../../src/service/log.ts';
import { createMcpResponder } from '../../../src/service/mcp/mcp-server.ts';
import { SearchQueue } from '../../../src/service/search/search-queue.ts';
import { openSqlite } from '../../../src/store/open-sqlite.ts';
import { openEmptyPostgres } from '../postgres/databases.ts';
import { createTemporaryFolder } from '../service.ts';
import { parseNotesOfList } from './json-list.ts';

/** Opens an empty store; `now` is its clock, in ms since 1970. */
export type Open = (now?: () => number) => PortableStore | Promise<PortableStore>;

export const stores: readonly (readonly [name: string, open: Open])[] = [
  ['the SQLite engine', async (now) => createStoreListingAsService(await openOnDisk({ now }))],
  [
    'the SQLite engine in memory',
    async (now = Date.now) => createStoreListingAsService(await openSqlite({ path: ':memory:', now })),
  ],
  [
    'the SQLite engine without cached lists',
    async (now) => createStoreListingAsService(await openOnDisk({ now, cacheBytes: 0 })),
  ],
  ['the SQLite engine, open for one command', (now) => openOnDisk({ now, openedBy: 'command' })],
  ['the PostgreSQL engine', (now) => openEmptyPostgres({ now })],
  ['the PostgreSQL engine without cached lists', (now) => openEmptyPostgres({ now, cacheBytes: 0 })],
  [
    'the client over HTTP',
    async (now = Date.now) => createStoreBehindHttp(await openSqlite({ path: ':memory:', now })),
  ],
  ['the client over HTTP, on PostgreSQL', async (now) => createStoreBehindHttp(await openEmptyPostgres({ now }))],
];

/** The earlier versions of a note, newest first. */
export async function collectEarlierVersions(store: NoteStore, id: number, limit?: number): Promise<Note[]> {
  const versions: Note[] = [];
  for await (const some of store.history(id, limit)) versions.push(...some);
  return versions;
}

/** The outcomes of a merge, without ids. */
export const listOutcomes = <Outcome>(results: readonly { readonly outcome: Outcome }[]): readonly Outcome[] =>
  results.map(({ outcome }) => outcome);

/** The code of the error that a promise is rejected with. */
export const getErrorCodeOrNoError = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error) => (error instanceof NoteError ? error.code : error),
  );

/** An application served in the test's own process, so that the test can access its parts. */
export interface ServedApp extends AsyncDisposable {
  readonly url: string;
  /** Stops serving; disposal closes the store too. */
  stop(): Promise<void>;
}

const silent: Log = { level: 'silent', debug() {}, info() {}, warn() {}, error() {} };

/** An application that is called without a server. Disposal closes the store too. */
export interface CalledApp extends AsyncDisposable {
  /** Answers a request for `path`, with a `Host` that is allowed unless it names one. */
  request(path: string, init?: RequestInit): Promise<Response>;
}

export function callApp(store: NoteEngine, changes?: Partial<AppSettings>, mcp?: 'read' | 'write'): CalledApp {
  const { app, dispose } = createAppWithDisposer({ store, changes, mcp, pendingRequests: () => 0 });
  return {
    async request(path, init) {
      const request = new Request(`http://127.0.0.1${path}`, init);
      if (!request.headers.has('Host')) request.headers.set('Host', '127.0.0.1');
      return app.fetch(request);
    },
    [Symbol.asyncDispose]: dispose,
  };
}

/** What of an application is not as usual. */
interface ServedParts {
  readonly streams?: EventStreams;
  /** Default: full access for everyone. */
  readonly access?: Access;
}

/** Access with these tokens alone. */
export async function createAccess(store: NoteEngine, tokens: readonly AccessToken[]): Promise<Access> {
  const access = new Access({ store, getClientAddress: () => '127.0.0.1', log: silent });
  await access.replaceTokens(tokens);
  return access;
}

export function serveApp(store: NoteEngine, changes?: Partial<AppSettings>, parts: ServedParts = {}): ServedApp {
  const { app, dispose } = createAppWithDisposer({
    store,
    changes,
    ...parts,
    pendingRequests: () => server.pendingRequests,
  });
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    development: false,
    fetch: (request) => app.fetch(request),
  });
  return {
    url: server.url.origin,
    stop: () => server.stop(true),
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      await dispose();
    },
  };
}

interface AppParts {
  readonly store: NoteEngine;
  readonly changes: Partial<AppSettings> | undefined;
  readonly streams?: EventStreams | undefined;
  readonly access?: Access | undefined;
  /** Default: no `/mcp`. */
  readonly mcp?: 'read' | 'write' | undefined;
  readonly pendingRequests: () => number;
}

function createAppWithDisposer({ store, changes, streams, access, mcp, pendingRequests }: AppParts) {
  const settings = { allowedHosts: [], corsOrigins: [], maxBodyBytes: 1024 * 1024, ...changes };
  const searches = new SearchQueue(store);
  const metrics = new Metrics();
  const mcpDeps = { store, searches, writes: mcp === 'write', allowsSecrets: false, report() {} };
  const respondMcp = mcp && createMcpResponder(mcpDeps, () => {});
  const deps = {
    store,
    searches,
    settings,
    log: silent,
    metrics,
    loadPage,
    pendingRequests,
    streams,
    access,
    respondMcp,
  };
  const app = createApp({ ...deps, getClientAddress: () => '127.0.0.1' });
  const dispose = async () => {
    searches[Symbol.dispose]();
    await store[Symbol.asyncDispose]();
  };
  return { app, dispose };
}

async function openOnDisk({
  now = Date.now,
  ...options
}: {
  now: (() => number) | undefined;
  cacheBytes?: number;
  openedBy?: 'service' | 'command';
}): Promise<NoteEngine> {
  const folder = createTemporaryFolder();
  const store = await openSqlite({ path: join(folder.path, 'notes.db'), now, ...options });
  const closeStore = store[Symbol.asyncDispose].bind(store);
  return Object.assign(store, {
    async [Symbol.asyncDispose]() {
      await closeStore();
      folder[Symbol.dispose]();
    },
  });
}

/** Returns lists as the service does instead of as commands do. */
const createStoreListingAsService = (engine: NoteEngine): PortableStore =>
  Object.assign(engine, { list: async (filter: NoteFilter = {}) => parseNotesOfList(await engine.listJson(filter)) });

function createStoreBehindHttp(engine: NoteEngine): PortableStore {
  const app = serveApp(engine);
  return { ...createPortableClient(app.url), [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}
