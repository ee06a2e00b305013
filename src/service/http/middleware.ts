import type { Context } from 'hono';
import { invalid } from '../../core/error.ts';
import type { AuditLog } from '../audit-log.ts';
import type { Log } from '../log.ts';
import { type Access, getTokenName } from './access/access.ts';
import type { GetClientAddress } from './access/client-address.ts';
import { createHostCheck, createOriginCheck, type HostRules } from './access/origin-checks.ts';
import { respondRejected } from './access/sign-in-routes.ts';
import { createErrorHandler, createRejectionResponse } from './error-responses.ts';
import * as message from './http-messages.ts';
import type { Metrics } from './metrics.ts';
import { collectLogIds, type RouteHandler } from './request.ts';
import { getWriteRecord } from './write-record.ts';

interface MiddlewareDeps {
  readonly settings: HostRules & { readonly corsOrigins: readonly string[] };
  /** Undefined: full access for everyone. */
  readonly access: Access | undefined;
  readonly getClientAddress: GetClientAddress;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Undefined: writes are not recorded. */
  readonly audit: Pick<AuditLog, 'append'> | undefined;
}

/** Operations without a token: health, sign-in, and the code of the page, which contains no notes. */
const tokenFreeOperations: readonly string[] = [
  'GET /healthz',
  'GET /readyz',
  'GET /sign-in',
  'POST /sign-in',
  'POST /sign-out',
  'GET /assets/:name',
  'GET /service-worker.js',
];

/** Whether an operation writes notes or labels. Over MCP, the tools do: `routes/mcp-routes.ts` records them. */
const isWriteOperation = (operation: string): boolean =>
  /^(POST|PUT|PATCH) /.test(operation) && operation !== 'POST /mcp' && !tokenFreeOperations.includes(operation);

/** What must be known of a request before it is handled. */
interface Arrival {
  /** In ms, as of `performance.now()`. */
  readonly started: number;
  /** The address of the client; undefined if the request is not recorded. */
  readonly address: string | undefined;
}

/**
 * Checks host, origin and token before a handler; turns errors into responses, counts and logs after it. A wrapper
 * instead of Hono middleware: a route with a single handler skips composing a chain (1.5 µs of 8).
 */
export function createMiddleware({ settings, access, getClientAddress, log, metrics, audit }: MiddlewareDeps) {
  const isHostAllowed = createHostCheck(settings);
  const isOriginAllowed = createOriginCheck(settings.corsOrigins);
  const answerFor = createErrorHandler(log);
  /** Requests of foreign pages. They are not recorded, since any site could make the audit log grow. */
  const foreign = new WeakSet<Context>();
  /** The number of requests without a response as yet. */
  let unanswered = 0;

  /** Wraps a handler in what all requests share; `operation` is its method and route, for the metrics. */
  function wrapHandler(operation: string, handler: RouteHandler): RouteHandler {
    const counted = metrics.addOperation(operation);
    const guard = tokenFreeOperations.includes(operation) ? undefined : access;
    const [method = '', route = ''] = operation.split(' ', 2);
    const writeAudit = isWriteOperation(operation) ? audit : undefined;

    const recordWrite = (c: Context, address: string, { status }: Response): void => {
      const token = getTokenName(c);
      const isStranger = access !== undefined && token === undefined; // the log has wrong tokens
      if (!isStranger) writeAudit?.append({ token, address, method, route, status, ...getWriteRecord(c) });
    };

    const reject = (c: Context): Response | undefined | Promise<Response | undefined> => {
      const { raw: request } = c.req;
      if (!isHostAllowed(request.headers.get('host'))) {
        foreign.add(c);
        return answerFor(invalid(message.hostNotAllowed), c);
      }
      if (!isOriginAllowed(request)) {
        foreign.add(c);
        return createRejectionResponse(c, 403, 'Origin is not allowed. Add it to CORS_ORIGINS to serve it');
      }
      const rejection = guard?.authorizeRequest(c, operation);
      if (rejection instanceof Promise) return rejection.then((later) => later && respondRejected(c, later));
      return rejection && respondRejected(c, rejection);
    };

    const finish = (c: Context, { started, address }: Arrival, response: Response): Response => {
      unanswered--;
      if (address !== undefined && !foreign.has(c)) recordWrite(c, address, response);
      const seconds = (performance.now() - started) / 1000;
      counted.observe(response.status, seconds);
      if (c.req.raw.method === 'HEAD') avoidZeroContentLength(response);
      if (log.level === 'debug') {
        const { method, path } = c.req;
        const sender = { address: getClientAddress(c.req.raw), token: getTokenName(c) };
        log.debug({ ...collectLogIds(c), method, path, ...sender, status: response.status, seconds }, 'Request');
      }
      return response;
    };

    return (c) => {
      unanswered++;
      const address = writeAudit && getClientAddress(c.req.raw); // not known any more when the client has left
      const arrival = { started: performance.now(), address };
      try {
        const rejected = reject(c);
        const response =
          rejected instanceof Promise ? rejected.then((later) => later ?? handler(c)) : (rejected ?? handler(c));
        if (!(response instanceof Promise)) return finish(c, arrival, response);
        return response.then(
          (later) => finish(c, arrival, later),
          (error) => finish(c, arrival, answerFor(error, c)),
        );
      } catch (error) {
        return finish(c, arrival, answerFor(error, c));
      }
    };
  }

  return { wrap: wrapHandler, unanswered: () => unanswered };
}

/** A response without a body would get `Content-Length: 0`, which is not the length of the response to GET. */
function avoidZeroContentLength({ status, headers }: Response): void {
  if (status !== 304 && !headers.has('Content-Length')) headers.set('Transfer-Encoding', 'chunked');
}
