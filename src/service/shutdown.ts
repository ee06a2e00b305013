import type { Server } from 'bun';
import type { Log } from './log.ts';

/** A request to stop. The first one wins; `failure` makes the exit code 1. */
export interface Stop {
  readonly reason: string;
  readonly failure?: unknown;
}

export type Fetch = (request: Request) => Response | Promise<Response>;

const quietMs = 100;
const maxMs = 1_000;

/**
 * The first step of a graceful shutdown: from `begin` on, each response closes its connection. Needed because the
 * runtime, when it stops, also closes idle connections on which a request is in transit.
 */
export class ConnectionShutdown {
  readonly #fetch: Fetch;
  #requests = 0;
  #hasBegun = false;

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  answer(request: Request): Response | Promise<Response> {
    if (this.#hasBegun) this.#requests++;
    const response = this.#fetch(request);
    return response instanceof Promise ? response.then((later) => this.#last(later)) : this.#last(response);
  }

  /** Resolves once no requests arrive for `quietMs`, or after `maxMs`. */
  async begin(): Promise<void> {
    this.#hasBegun = true;
    const end = performance.now() + maxMs;
    for (let before = -1; before !== this.#requests && performance.now() < end; ) {
      before = this.#requests;
      await Bun.sleep(quietMs);
    }
  }

  #last(response: Response): Response {
    if (this.#hasBegun) response.headers.set('Connection', 'close');
    return response;
  }
}

/** After this many ms, requests with stuck readers are abandoned. */
const stuckMs = 1_000;
const pollMs = 50;

/**
 * Stops listening and waits for accepted requests. Closes their connections after `timeoutMs`, or once only requests
 * with `stuck` readers remain.
 */
export async function drain(
  server: Server<undefined>,
  timeoutMs: number,
  log: Log,
  stuck: () => number = () => 0,
): Promise<void> {
  const deadline = Promise.withResolvers<'late' | 'stuck'>();
  const timer = setTimeout(() => deadline.resolve('late'), timeoutMs);
  const began = performance.now();
  const polling = setInterval(() => {
    const isOver = performance.now() - began > stuckMs && stuck() > 0 && server.pendingRequests <= stuck();
    if (isOver) deadline.resolve('stuck');
  }, pollMs);
  const outcome = await Promise.race([server.stop(), deadline.promise]);
  clearTimeout(timer);
  clearInterval(polling);
  if (outcome === undefined) return;
  if (outcome === 'late') log.warn({ pending: server.pendingRequests }, 'Closed connections that did not end in time');
  await server.stop(true);
}
