import { readFileSync } from 'node:fs';
import type { Server } from 'bun';
import type { Config } from '../config.ts';
import { NoteError } from '../domain/error.ts';
import { createApp } from '../http/app.ts';
import { answerError } from '../http/errors.ts';
import type { Log } from '../http/log.ts';
import { Metrics } from '../http/metrics.ts';
import { openSqlite } from '../store/sqlite/open.ts';

/** How long accepted requests may take after the service was told to stop. */
const drainMs = 10_000;
/** Clients that keep their connection are told first that it ends; then no request is on its way when it does. */
const quietMs = 100;
const farewellMs = 1_000;
const lagProbeMs = 500;

/** Asks the service to stop. The first reason counts; `failure` makes the exit code 1. */
export interface Stop {
  readonly reason: string;
  readonly failure?: unknown;
}

/**
 * Runs the service until `stopping` is resolved, and returns the exit code. Stopping: no new connections, what was
 * accepted is answered, then the store is closed. Throws `NoteError` when it cannot start.
 */
export async function serve(config: Config, log: Log, stopping: PromiseWithResolvers<Stop>): Promise<number> {
  const metrics = new Metrics();
  await using store = openSqlite({
    path: config.database.path,
    onCommit: (writes, seconds) => metrics.observeCommit(writes, seconds),
    onCopied: (copy) => log.info({ copy }, `The database is being migrated. A copy of it is at ${copy}`),
    onLost: (failure) => stopping.resolve({ reason: 'the store failed', failure }),
  });
  const settings = { ...config, hostname: config.host };
  const app = createApp({ store, settings, log, metrics });
  const farewell = new Farewell((request) => app.fetch(request));
  const server = listen(config, (request) => farewell.answer(request));
  using _probe = probeLoop(metrics);
  warnOfFewDescriptors(log);
  const { origin: url } = server.url;
  log.info({ url, store: store.location }, `Notes listens at ${url} and keeps notes in ${store.location}`);

  const { reason, failure } = await stopping.promise;
  if (failure === undefined) log.info({ reason }, `Stopping: ${reason}`);
  else log.error({ reason, err: failure }, `Stopping: ${reason}`);
  await farewell.say();
  await drain(server, log);
  return failure === undefined ? 0 : 1;
}

type Fetch = (request: Request) => Response | Promise<Response>;

function listen(config: Config, fetch: Fetch): Server<undefined> {
  try {
    return Bun.serve({
      hostname: config.host,
      port: config.port,
      development: false,
      reusePort: false,
      idleTimeout: 120,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER, // bodies are counted where they are read, and refused with an answer
      fetch,
      error: () => answerError(500, 'Unexpected server error'),
    });
  } catch (error) {
    throw new NoteError('unavailable', cannotListen(error, config), { cause: error });
  }
}

function cannotListen(error: unknown, { host, port }: Config): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'EADDRINUSE') return `Port ${port} of ${host} is in use. Choose another one with PORT or --port`;
  if (code === 'EACCES') return `Port ${port} of ${host} needs more rights. Choose one above 1023 with PORT or --port`;
  return `Cannot listen at port ${port} of ${host}: ${error instanceof Error ? error.message : error}`;
}

/** Ends connections kindly: from `say` on, each answer is the last one of its connection. */
class Farewell {
  readonly #fetch: Fetch;
  #answers = 0;
  #said = false;

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  answer(request: Request): Response | Promise<Response> {
    return this.#said ? this.#answerLast(request) : this.#fetch(request);
  }

  /** Resolves once nobody has asked for a while, or it has taken long enough. */
  async say(): Promise<void> {
    this.#said = true;
    const end = performance.now() + farewellMs;
    for (let before = -1; before !== this.#answers && performance.now() < end; ) {
      before = this.#answers;
      await Bun.sleep(quietMs);
    }
  }

  async #answerLast(request: Request): Promise<Response> {
    this.#answers++;
    const response = await this.#fetch(request);
    response.headers.set('Connection', 'close');
    return response;
  }
}

async function drain(server: Server<undefined>, log: Log): Promise<void> {
  const deadline = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => deadline.resolve('late'), drainMs);
  const outcome = await Promise.race([server.stop(), deadline.promise]);
  clearTimeout(timer);
  if (outcome !== 'late') return;
  log.warn({ pending: server.pendingRequests }, 'Some connections did not end in time and are closed');
  await server.stop(true);
}

/** Measures how late timers fire: the longest pause of the event loop. */
function probeLoop(metrics: Metrics): Disposable {
  let expected = performance.now() + lagProbeMs;
  const timer = setInterval(() => {
    metrics.observeLoopLag(Math.max(0, performance.now() - expected) / 1000);
    expected = performance.now() + lagProbeMs;
  }, lagProbeMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Out of descriptors, the runtime accepts no connection and spins. Only Linux tells the limit as a file. */
function warnOfFewDescriptors(log: Log): void {
  let limits = '';
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return;
  }
  const soft = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  if (soft < 4096)
    log.warn({ limit: soft }, `Only ${soft} files may be open. Raise it with "ulimit -n" or LimitNOFILE`);
}
