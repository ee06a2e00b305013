import type { Context } from 'hono';
import { createInvalidError } from '../../core/error.ts';
import type { AuditLog } from '../audit-log.ts';
import type { Log } from '../log.ts';
import { type Access, findContextTokenName } from './access/access.ts';
import type { GetClientAddress } from './access/client-address.ts';
import { createHostPredicate, createRequestOriginPredicate, type HostRules } from './access/origin-checks.ts';
import { createRejectionOrSignInForm } from './access/sign-in-routes.ts';
import { createErrorHandler, createNoEffectErrorResponse } from './error-responses.ts';
import * as httpMessage from './http-messages.ts';
import type { Metrics } from './metrics.ts';
import { getOrCreateRequestAndTraceIds, type RouteHandler } from './request.ts';
import { findWriteRecord } from './write-record.ts';

interface MiddlewareDeps {
  readonly settings: HostRules & { readonly corsOrigins: readonly string[] };
  /** By default, everybody has full access. */
  readonly access?: Access | undefined;
  readonly getClientAddress: GetClientAddress;
  readonly log: Log;
  readonly metrics: Metrics;
  /** By default, writes are not recorded. */
  readonly audit?: Pick<AuditLog, 'append'> | undefined;
}

/** These operations need no token: health, sign-in, and the code of the page, which contains no notes. */
const tokenFreeOperations: readonly string[] = [
  'GET /healthz',
  'GET /readyz',
  'GET /sign-in',
  'POST /sign-in',
  'POST /sign-out',
  'GET /assets/:name',
  'GET /service-worker.js',
];

/**
 * Says whether an operation writes notes, labels or pins. `POST /mcp` is none, as its tools write:
 * `routes/mcp-routes.ts` records them.
 */
const isWriteOperation = (operation: string): boolean =>
  /^(POST|PUT|PATCH) /.test(operation) && operation !== 'POST /mcp' && !tokenFreeOperations.includes(operation);

/** The rules that all requests of one operation share. */
interface OperationRules {
  readonly operation: string;
  readonly method: string;
  readonly route: string;
  readonly counted: ReturnType<Metrics['addOperation']>;
  /** Undefined if the operation needs no token. */
  readonly access: Access | undefined;
  /** Undefined if the operation is not recorded. */
  readonly audit: MiddlewareDeps['audit'];
}

/** Read before a request is handled, as its client may have left afterwards. */
interface Arrival {
  /** The unit is ms, as of `performance.now()`. */
  readonly startedMs: number;
  /** The address of the client; undefined if the request is not recorded. */
  readonly address: string | undefined;
}

/**
 * Checks host, origin and token before a handler; turns errors into responses, counts and logs after it. A wrapper
 * instead of Hono middleware: a route with a single handler skips composing a chain (1.5 µs of 8).
 */
export class Middleware {
  readonly #deps: MiddlewareDeps;
  readonly #isHostAllowed: (host: string | null) => boolean;
  readonly #isOriginAllowed: (request: Request) => boolean;
  readonly #toErrorResponse: (error: unknown, c: Context) => Response;
  /** Requests of foreign pages are not recorded, since any site could make the audit log grow. */
  readonly #foreignRequests = new WeakSet<Context>();
  #pendingCount = 0;

  constructor(deps: MiddlewareDeps) {
    this.#deps = deps;
    this.#isHostAllowed = createHostPredicate(deps.settings);
    this.#isOriginAllowed = createRequestOriginPredicate(deps.settings.corsOrigins);
    this.#toErrorResponse = createErrorHandler(deps.log);
  }

  /** Counts the requests that have no response as yet. */
  get pendingCount(): number {
    return this.#pendingCount;
  }

  /** Wraps a handler in what all requests share; `operation` is its method and route, for the metrics. */
  registerOperationAndWrapHandler(operation: string, handler: RouteHandler): RouteHandler {
    const rules = this.#registerOperationAndGetRules(operation);
    return (c) => {
      this.#pendingCount++;
      const address = rules.audit && this.#deps.getClientAddress(c.req.raw); // unknown once the client has left
      const arrival = { startedMs: performance.now(), address };
      const finish = (response: Response) => this.#recordAndReturnResponse(c, rules, arrival, response);
      const fail = (error: unknown) => finish(this.#toErrorResponse(error, c));
      try {
        const rejection = this.#rejectUnlessAllowed(c, rules);
        const response =
          rejection instanceof Promise ? rejection.then((later) => later ?? handler(c)) : (rejection ?? handler(c));
        return response instanceof Promise ? response.then(finish, fail) : finish(response);
      } catch (error) {
        return fail(error);
      }
    };
  }

  #registerOperationAndGetRules(operation: string): OperationRules {
    const { metrics, access, audit } = this.#deps;
    const [method = '', route = ''] = operation.split(' ', 2);
    return {
      operation,
      method,
      route,
      counted: metrics.addOperation(operation),
      access: tokenFreeOperations.includes(operation) ? undefined : access,
      audit: isWriteOperation(operation) ? audit : undefined,
    };
  }

  /**
   * Returns the response to a request that may not be made, and undefined for one that may. Adds a request of a foreign
   * page to `#foreignRequests`.
   */
  #rejectUnlessAllowed(c: Context, rules: OperationRules): Response | undefined | Promise<Response | undefined> {
    const foreignRejection = this.#createForeignRejection(c);
    if (foreignRejection !== undefined) {
      this.#foreignRequests.add(c);
      return foreignRejection;
    }
    const rejection = rules.access?.findRejectionOrRememberToken(c, rules.operation);
    if (rejection instanceof Promise) return rejection.then((later) => later && createRejectionOrSignInForm(c, later));
    return rejection && createRejectionOrSignInForm(c, rejection);
  }

  /** Creates the response to a request with a foreign host or origin; undefined if both are allowed. */
  #createForeignRejection(c: Context): Response | undefined {
    const { raw: request } = c.req;
    if (!this.#isHostAllowed(request.headers.get('host')))
      return this.#toErrorResponse(createInvalidError(httpMessage.hostNotAllowed), c);
    if (!this.#isOriginAllowed(request))
      return createNoEffectErrorResponse(c, 403, 'Origin is not allowed. Add it to CORS_ORIGINS to serve it');
    return undefined;
  }

  /** Records, counts and logs a response before it is sent. */
  #recordAndReturnResponse(c: Context, rules: OperationRules, arrival: Arrival, response: Response): Response {
    const { log, getClientAddress } = this.#deps;
    this.#pendingCount--;
    this.#appendToAuditLogIfAudited(c, rules, arrival, response);
    const seconds = (performance.now() - arrival.startedMs) / 1000;
    rules.counted.observe(response.status, seconds);
    if (c.req.raw.method === 'HEAD') setChunkedUnlessLengthKnown(response);
    if (log.level === 'debug') {
      const { method, path } = c.req;
      const sender = { address: getClientAddress(c.req.raw), token: findContextTokenName(c) };
      log.debug(
        { ...getOrCreateRequestAndTraceIds(c), method, path, ...sender, status: response.status, seconds },
        'Request',
      );
    }
    return response;
  }

  #appendToAuditLogIfAudited(
    c: Context,
    { audit, method, route }: OperationRules,
    { address }: Arrival,
    response: Response,
  ): void {
    if (address === undefined || this.#foreignRequests.has(c)) return;
    const token = findContextTokenName(c);
    // Whoever has no token wrote nothing. The service log, not the audit log, reports wrong tokens.
    const isStranger = this.#deps.access !== undefined && token === undefined;
    if (!isStranger) audit?.append({ token, address, method, route, status: response.status, ...findWriteRecord(c) });
  }
}

/**
 * The runtime adds `Content-Length: 0` to a response without a body, but HEAD must not state another length than GET.
 * It adds none to a chunked response.
 */
function setChunkedUnlessLengthKnown({ status, headers }: Response): void {
  if (status !== 304 && !headers.has('Content-Length')) headers.set('Transfer-Encoding', 'chunked');
}
