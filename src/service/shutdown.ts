import type { Server } from 'bun';
import type { Log } from './log.ts';

/** The first request to stop counts. If it has a `failure`, the exit code is 1. */
export interface StopRequest {
  readonly reason: string;
  readonly failure?: unknown;
}

export type FetchHandler = (request: Request) => Response | Promise<Response>;

const noRequestsMs = 100;
const maxCloseMs = 1_000;

/**
 * This is the first step of a graceful shutdown: once `addCloseHeadersUntilQuiet` is called, each response closes its
 * connection. Without it requests would be lost, because the server, when it stops, also closes idle connections, and a
 * request may be on its way on one of them.
 */
export class ConnectionCloser {
  readonly #fetch: FetchHandler;
  #lateRequests = 0;
  #isClosing = false;

  constructor(fetch: FetchHandler) {
    this.#fetch = fetch;
  }

  respond(request: Request): Response | Promise<Response> {
    if (this.#isClosing) this.#lateRequests++;
    const response = this.#fetch(request);
    return response instanceof Promise
      ? response.then((later) => this.#addCloseHeaderIfClosing(later))
      : this.#addCloseHeaderIfClosing(response);
  }

  /** Resolves once no request has arrived for `noRequestsMs`, and at the latest after `maxCloseMs`. */
  async addCloseHeadersUntilQuiet(): Promise<void> {
    this.#isClosing = true;
    const end = performance.now() + maxCloseMs;
    for (let before = -1; before !== this.#lateRequests && performance.now() < end; ) {
      before = this.#lateRequests;
      await Bun.sleep(noRequestsMs);
    }
  }

  #addCloseHeaderIfClosing(response: Response): Response {
    if (this.#isClosing) response.headers.set('Connection', 'close');
    return response;
  }
}

/** Requests with stuck readers are abandoned after this many ms. */
const stuckAfterMs = 1_000;
const pollMs = 50;

/**
 * Stops listening and waits for the accepted requests. Closes their connections after `timeoutMs`, or earlier if all
 * pending requests have stuck readers, which `countStuckReaders` counts.
 */
export async function drainAndStopServer(
  server: Server<undefined>,
  timeoutMs: number,
  log: Log,
  countStuckReaders: () => number = () => 0,
): Promise<void> {
  const deadline = Promise.withResolvers<'late' | 'stuck'>();
  const timer = setTimeout(() => deadline.resolve('late'), timeoutMs);
  const began = performance.now();
  const polling = setInterval(() => {
    const isOver =
      performance.now() - began > stuckAfterMs &&
      countStuckReaders() > 0 &&
      server.pendingRequests <= countStuckReaders();
    if (isOver) deadline.resolve('stuck');
  }, pollMs);
  const outcome = await Promise.race([server.stop(), deadline.promise]);
  clearTimeout(timer);
  clearInterval(polling);
  if (outcome === undefined) return;
  if (outcome === 'late') log.warn({ pending: server.pendingRequests }, 'Closed connections that did not end in time');
  await server.stop(true);
}
