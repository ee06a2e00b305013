import type { Context } from 'hono';
import { invalid } from '../domain/error.ts';
import * as message from '../domain/message.ts';
import type { Access } from './access/access.ts';
import { createHostCheck, type HostRules } from './access/host.ts';
import { createOriginCheck } from './access/origin.ts';
import { answerRefusal } from './access/sign-in-page.ts';
import { answerRefused, createErrorHandler } from './errors.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { idsOf } from './request-id.ts';

export type Handler = (c: Context) => Response | Promise<Response>;

/** Adds a route. */
export type AddRoute = (method: string, path: string, handler: Handler) => void;

/** Wraps a handler in what all requests have in common; `operation` is its method and route, for the metrics. */
export type Middleware = (operation: string, handler: Handler) => Handler;

export interface MiddlewareDeps {
  readonly settings: HostRules & { readonly corsOrigins: readonly string[] };
  /** Left out, whoever reaches the service may do everything. */
  readonly access: Access | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** What those who have no token may ask: is the service there, how to sign in, and the program of the page, without a note. */
const open: readonly string[] = [
  'GET /healthz',
  'GET /readyz',
  'GET /sign-in',
  'POST /sign-in',
  'POST /sign-out',
  'GET /assets/:name',
  'GET /service-worker.js',
];

/**
 * The checks of host, origin and token before a handler, errors turned into answers, a count and a line in the log after it. A wrapper and
 * not a middleware: a route with one handler spares each request the composition of a chain (1.5 µs of 8).
 */
export function createMiddleware({ settings, access, log, metrics }: MiddlewareDeps): Middleware {
  const isHostAllowed = createHostCheck(settings);
  const isOriginAllowed = createOriginCheck(settings.corsOrigins);
  const answerFor = createErrorHandler(log);

  return (operation, handler) => {
    const counted = metrics.operation(operation);
    const guard = open.includes(operation) ? undefined : access;

    const refuse = (c: Context): Response | undefined => {
      const { raw: request } = c.req;
      if (!isHostAllowed(request.headers.get('host'))) return answerFor(invalid(message.hostNotAllowed), c);
      if (!isOriginAllowed(request)) return answerRefused(c, 403, message.originNotAllowed);
      const refusal = guard?.refusalOf(c, operation);
      return refusal && answerRefusal(c, refusal);
    };

    const finish = (c: Context, started: number, response: Response): Response => {
      metrics.unanswered--;
      const seconds = (performance.now() - started) / 1000;
      counted.observe(response.status, seconds);
      if (log.level === 'debug') {
        const { method, path } = c.req;
        log.debug({ ...idsOf(c), method, path, status: response.status, seconds }, 'Request');
      }
      return response;
    };

    return (c) => {
      metrics.unanswered++;
      const started = performance.now();
      try {
        const refused = refuse(c);
        if (refused !== undefined) return finish(c, started, refused);
        const response = handler(c);
        if (!(response instanceof Promise)) return finish(c, started, response);
        return response.then(
          (later) => finish(c, started, later),
          (error) => finish(c, started, answerFor(error, c)),
        );
      } catch (error) {
        return finish(c, started, answerFor(error, c));
      }
    };
  };
}
