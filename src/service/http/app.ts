import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { NoteError } from '../../core/error.ts';
import { cursorHeader, foundHeader, outcomeHeader } from '../../core/protocol.ts';
import type { NoteEngine } from '../../core/store.ts';
import type { AuditLog } from '../audit-log.ts';
import type { Log } from '../log.ts';
import type { SearchQueue } from '../search/search-queue.ts';
import type { Access } from './access/access.ts';
import type { GetClientAddress } from './access/client-address.ts';
import { createHostPredicate, type HostRules } from './access/origin-checks.ts';
import { addSignInRoutes } from './access/sign-in-routes.ts';
import { addDocsRoutes } from './docs/docs-routes.ts';
import { acceptsHtml, createHtmlResponse } from './html-response.ts';
import * as httpMessage from './http-messages.ts';
import { JsonBodyReader } from './json-body-reader.ts';
import { LargeResponses } from './large-responses.ts';
import type { Metrics } from './metrics.ts';
import { Middleware } from './middleware.ts';
import { type AddRoute, type RouteHandler, splitPathAndQuery } from './request.ts';
import { addCreationTimeSearchRoute } from './routes/creation-time-routes.ts';
import { addEventsRoutesAndGetCounter, type EventStreams } from './routes/events-routes.ts';
import { addHealthAndMetricsRoutes } from './routes/health-routes.ts';
import { addHistoryRoutes } from './routes/history-routes.ts';
import { addLabelsRoutes } from './routes/labels-routes.ts';
import { addNoteListRoute } from './routes/list-routes.ts';
import { addMcpRoutes, type RespondMcp } from './routes/mcp-routes.ts';
import { addMergeRoutes } from './routes/merge-routes.ts';
import { addNotesRoutes } from './routes/notes-routes.ts';
import { addOriginPagesRoute } from './routes/origins-routes.ts';
import { addPageRoutes, type LoadPage } from './routes/page-routes.ts';
import { addPinsRoutes } from './routes/pins-routes.ts';
import { addSearchRoutes } from './routes/search-routes.ts';

export interface AppSettings extends HostRules {
  readonly maxBodyBytes: number;
  /** Pages of these origins may use the service. If it is empty, there are no CORS headers. */
  readonly corsOrigins: readonly string[];
}

interface AppDeps {
  readonly store: NoteEngine;
  readonly searches: Pick<SearchQueue, 'search'>;
  readonly settings: AppSettings;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly loadPage: LoadPage;
  /** Returns the server's count of requests whose responses are not fully sent. */
  readonly pendingRequests: () => number;
  readonly getClientAddress: GetClientAddress;
  readonly streams?: EventStreams | undefined;
  /** Identifies the database in `/readyz`. It is undefined for a database without identity. */
  readonly databaseId?: string | undefined;
  /** By default, writes are not recorded. */
  readonly audit?: Pick<AuditLog, 'append'> | undefined;
  /** By default, everybody has full access. */
  readonly access?: Access | undefined;
  /** By default, `/mcp` is off. */
  readonly respondMcp?: RespondMcp | undefined;
}

/** A note to merge has up to this many bytes besides its draft: mostly its origin, and the enclosing braces. */
const mergeSlackBytes = 4096;

export function createApp(deps: AppDeps): Hono {
  const { store, searches, settings, log, metrics, access, audit, streams, getClientAddress, respondMcp } = deps;
  const app = new Hono({ getPath: (request) => splitPathAndQuery(request.url).path });
  const middleware = new Middleware(deps);
  if (settings.corsOrigins.length > 0) addCorsMiddleware(app, settings, respondMcp !== undefined);
  app.notFound(middleware.registerOperationAndWrapHandler('other other', handleNotFound));
  const on: AddRoute = (method, path, handler) => {
    app.on(method, path, middleware.registerOperationAndWrapHandler(`${method} ${path}`, handler));
  };

  const onError = (err: unknown) => log.error({ err }, 'Events wait until the store can be read again');
  const countListeners = addEventsRoutesAndGetCounter(on, store, { streams, access, onError });
  const countUnsent = () => {
    const pending = deps.pendingRequests() - countListeners();
    // Handlers also run for clients that have left, whose requests are not pending: then this would subtract too many.
    return Math.max(pending - middleware.pendingCount, pending / 8);
  };
  const onBreak = (err: unknown) => log.error({ err }, 'A list was cut off');
  const large = new LargeResponses({ countUnsent, onBreak });
  const bodies = new JsonBodyReader(settings.maxBodyBytes);
  const mergeBodies = new JsonBodyReader(settings.maxBodyBytes, mergeSlackBytes);

  addNoteListRoute(on, store, large);
  addNotesRoutes(on, store, bodies, large);
  addHistoryRoutes(on, store, large);
  addSearchRoutes(on, store, searches, large);
  addLabelsRoutes(on, store, bodies);
  addPinsRoutes(on, store, bodies);
  addMergeRoutes(on, store, mergeBodies);
  addOriginPagesRoute(on, store);
  addCreationTimeSearchRoute(on, store, mergeBodies);
  addHealthAndMetricsRoutes(on, {
    store,
    databaseId: deps.databaseId,
    metrics,
    log,
    countListeners,
    needsToken: access !== undefined,
  });
  addDocsRoutes(on);
  addPageRoutes(on, deps.loadPage);
  if (access) addSignInRoutes(on, access);
  addMcpRoutes(on, respondMcp, { bodies, audit, getClientAddress });
  return app;
}

/**
 * Shows a page with a way back to a browser that was sent to a wrong address. Everybody else gets the error as JSON.
 */
const handleNotFound: RouteHandler = (c) => {
  const { method, path } = c.req;
  if (method === 'GET' && acceptsHtml(c) && !/^\/api(?:\/|$)/.test(path)) return createUnknownAddressPage(path);
  throw new NoteError('not_found', httpMessage.formatNoSuchEndpoint(method, path));
};

/** The link is relative, as a proxy may serve the service below a path: `/a/b` is one level below the page at `/`. */
function createUnknownAddressPage(path: string): Response {
  const levels = path.split('/').length - 2;
  const main = `<section>
<h1>Not found</h1>
<p>There is nothing at ${Bun.escapeHTML(path)}.</p>
<a href="${'../'.repeat(levels) || './'}">To the notes</a>
</section>`;
  return createHtmlResponse('Not found', main, { status: 404 });
}

/** Grants pages of the configured origins the use of the interface, under the names that the service has. */
function addCorsMiddleware(app: Hono, settings: AppSettings, hasMcp: boolean): void {
  const isHostAllowed = createHostPredicate(settings);
  const grantAt = (path: string, allowHeaders: string[]) => {
    const grant = createCorsMiddleware(settings.corsOrigins, allowHeaders);
    app.use(path, (c, next) => (isHostAllowed(c.req.raw.headers.get('host')) ? grant(c, next) : next()));
  };
  grantAt('/api/*', ['Authorization', 'Content-Type', 'If-Match', 'If-None-Match', 'Last-Event-ID']);
  if (hasMcp) grantAt('/mcp', []); // allows all requested headers, as the protocol may add some
}

function createCorsMiddleware(origins: readonly string[], allowHeaders: string[]) {
  return cors({
    origin: origins.includes('*') ? '*' : [...origins],
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH'],
    allowHeaders,
    exposeHeaders: ['ETag', cursorHeader, foundHeader, outcomeHeader, 'Retry-After'],
    maxAge: 600,
  });
}
