import type { MovedResult, WorkerMethods, WorkerReply, WorkerRequest } from './serve-worker.ts';
import { decodeError, type ErrorCodec } from './worker-errors.ts';

/** The part of a `Worker` that is used. */
export interface WorkerPort {
  postMessage(message: WorkerRequest, transferred: ArrayBuffer[]): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<WorkerReply>) => void): void;
  addEventListener(type: 'error', listener: (event: ErrorEvent) => void): void;
  addEventListener(type: 'close', listener: () => void): void;
  terminate(): void;
}

/**
 * Why a request has no result although its method did not throw. `crashed`: the worker ended by itself, or could not be
 * loaded; `timed-out`: the worker was ended, as the request took too long; `stopped`: the client ended it;
 * `busy`: too many requests wait.
 */
type WorkerErrorReason = 'crashed' | 'timed-out' | 'stopped' | 'busy';

export class WorkerError extends Error {
  override readonly name = 'WorkerError';
  readonly reason: WorkerErrorReason;

  constructor(reason: WorkerErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

interface WorkerClientOptions {
  /** Starts a worker whose module calls `serveWorkerMethods`. */
  readonly startWorker: () => WorkerPort;
  /** For errors of other classes than `NoteError` and those of the language. */
  readonly codecs?: readonly ErrorCodec[];
  /** Limit of requests that wait. */
  readonly maxWaiting?: number;
  /** Called when the worker has ended by itself, also between requests: what it knew is lost. */
  readonly onCrash?: (error: WorkerError) => void;
}

interface RequestOptions {
  /** Buffers of arguments that move to the worker instead of being copied: the caller cannot use them any more. */
  readonly moved?: readonly ArrayBuffer[];
  /** The worker is ended when it has no result by then. Counted from when it has been loaded and began the request. */
  readonly timeoutMs?: number;
  /** When it aborts, the request rejects with its reason at once. */
  readonly signal?: AbortSignal;
}

interface Request extends WorkerRequest, RequestOptions {
  readonly settled: PromiseWithResolvers<unknown>;
  readonly abort: () => void;
}

type Args<Methods extends WorkerMethods, Name extends keyof Methods> = Parameters<Methods[Name]>;
type Unmoved<Result> = Result extends MovedResult<infer Inner> ? Inner : Result;
type Result<Methods extends WorkerMethods, Name extends keyof Methods> = Unmoved<Awaited<ReturnType<Methods[Name]>>>;

const defaultMaxWaiting = 1_000;

/** An aborted request may go on for this long, in ms: starting another worker takes longer. */
const abortGraceMs = 100;

/**
 * Asks a worker to call its methods, one request at a time in the order of the calls, so that a request that crashes or
 * is too slow costs no other one. The worker starts with the first request, and another one with the next request after
 * it has ended. An error of a method is thrown here with its class; `WorkerError` says what went wrong otherwise.
 *
 * Example: a, b and c are requested, and b crashes the worker. Then a resolves, b rejects with `crashed`, and a new
 * worker runs c. Had the worker crashed before it was loaded, b and c would both reject: another one would fail too.
 */
export class WorkerClient<Methods extends WorkerMethods> implements Disposable {
  readonly #options: WorkerClientOptions;
  #waiting: Request[] = [];
  /** What the worker runs. */
  #current: Request | undefined;
  #worker: WorkerPort | undefined;
  /** Whether the module of the worker has been loaded. */
  #isReady = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Set once the client is closed. */
  #closed: Error | undefined;

  constructor(options: WorkerClientOptions) {
    this.#options = options;
  }

  /** Starts the worker unless it runs, so that the first request need not wait for that. */
  start(): void {
    if (this.#worker !== undefined || this.#closed !== undefined) return;
    const worker = this.#options.startWorker();
    this.#worker = worker;
    this.#isReady = false;
    const handleCrash = (reason: string) => {
      if (worker === this.#worker) this.#handleCrash(new WorkerError('crashed', `The worker ended: ${reason}`));
    };
    worker.addEventListener('message', ({ data }) => {
      if (worker === this.#worker) this.#handleReply(data);
    });
    worker.addEventListener('error', ({ message }) => handleCrash(message));
    worker.addEventListener('close', () => handleCrash('it exited'));
  }

  /** Throws what the method threw, the reason of the signal, or `WorkerError`. */
  request<Name extends keyof Methods & string>(
    method: Name,
    args: Args<Methods, Name>,
    options: RequestOptions = {},
  ): Promise<Result<Methods, Name>> {
    const { maxWaiting = defaultMaxWaiting } = this.#options;
    const { signal } = options;
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#waiting.length >= maxWaiting)
      return Promise.reject(new WorkerError('busy', 'Too many requests wait for the worker'));
    const settled = Promise.withResolvers<unknown>();
    const request: Request = { method, args, ...options, settled, abort: () => this.#abortRequest(request) };
    signal?.addEventListener('abort', request.abort);
    this.#waiting.push(request);
    this.#sendNext();
    return settled.promise as Promise<Result<Methods, Name>>;
  }

  /** Ends the worker, and rejects all requests. The next one starts another worker. */
  stopAndRejectAll(reason: Error = new WorkerError('stopped', 'The worker was ended')): void {
    const waiting = this.#waiting.splice(0);
    this.#endWorkerAndRejectCurrent(reason);
    for (const request of waiting) detachSignalAndRejectRequest(request, reason);
  }

  /** Ends the worker for good: this and later requests reject with the reason. */
  close(reason: Error = new WorkerError('stopped', 'The worker was ended')): void {
    this.#closed = reason;
    this.stopAndRejectAll(reason);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #sendNext(): void {
    while (this.#current === undefined) {
      const request = this.#waiting.shift();
      if (request === undefined) return;
      try {
        this.start();
        this.#worker?.postMessage({ method: request.method, args: request.args }, [...(request.moved ?? [])]);
        this.#current = request;
        this.#restartRequestTimer();
      } catch (error) {
        detachSignalAndRejectRequest(request, error); // an argument cannot be copied, or no worker can start
      }
    }
  }

  #handleReply(reply: WorkerReply): void {
    const request = this.#current;
    if (reply.kind === 'ready') {
      this.#isReady = true;
      this.#restartRequestTimer();
      return;
    }
    this.#current = undefined;
    clearTimeout(this.#timer);
    if (request !== undefined) {
      if (reply.kind === 'result') detachSignalAndResolveRequest(request, reply.result);
      else detachSignalAndRejectRequest(request, decodeError(reply.error, this.#options.codecs ?? []));
    }
    this.#sendNext();
  }

  /** Limits the time of the request that runs; not before the worker has been loaded, which may take long. */
  #restartRequestTimer(): void {
    clearTimeout(this.#timer);
    if (this.#current === undefined || !this.#isReady) return;
    const { signal, timeoutMs } = this.#current;
    const limitMs = signal?.aborted ? abortGraceMs : timeoutMs;
    if (limitMs === undefined) return;
    this.#timer = setTimeout(() => {
      this.#endWorkerAndRejectCurrent(new WorkerError('timed-out', `The worker took longer than ${limitMs} ms`));
      this.#sendNext();
    }, limitMs);
  }

  #abortRequest(request: Request): void {
    detachSignalAndRejectRequest(request, request.signal?.reason);
    if (request === this.#current) this.#restartRequestTimer();
    else this.#waiting = this.#waiting.filter((other) => other !== request);
  }

  #handleCrash(error: WorkerError): void {
    if (this.#isReady) this.#endWorkerAndRejectCurrent(error);
    else this.stopAndRejectAll(error);
    this.#options.onCrash?.(error);
    this.#sendNext();
  }

  /** Ends the worker, and rejects what it runs. */
  #endWorkerAndRejectCurrent(reason: Error): void {
    const request = this.#current;
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#current = undefined;
    if (request !== undefined) detachSignalAndRejectRequest(request, reason);
  }
}

function detachSignalAndResolveRequest({ signal, abort, settled }: Request, result: unknown): void {
  signal?.removeEventListener('abort', abort);
  settled.resolve(result);
}

function detachSignalAndRejectRequest({ signal, abort, settled }: Request, error: unknown): void {
  signal?.removeEventListener('abort', abort);
  settled.reject(error);
}
