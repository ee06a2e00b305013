export interface Permit {
  /** Idempotent. */
  release(): void;
}

interface Limits {
  readonly max: number;
  /** How long `acquirePermitOrTimeOut` waits, in ms. */
  readonly waitMs: number;
  /** Creates the error that `acquirePermitOrTimeOut` throws after `waitMs`. */
  readonly createTimeoutError: () => Error;
}

/** A first-in, first-out semaphore. */
export class Semaphore {
  readonly #limits: Limits;
  readonly #waiting: (() => void)[] = [];
  #acquired = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get acquired(): number {
    return this.#acquired;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  async acquirePermitOrTimeOut(): Promise<Permit> {
    if (this.#acquired < this.#limits.max) this.#acquired++;
    else await this.#waitForPermitOrTimeOut();
    let isReleased = false;
    return {
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#passPermit();
      },
    };
  }

  /** Passes the permit to the longest waiter, without releasing it. */
  #passPermit(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#acquired--;
  }

  #waitForPermitOrTimeOut(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const admit = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(admit), 1);
      reject(this.#limits.createTimeoutError());
    }, this.#limits.waitMs);
    this.#waiting.push(admit);
    return promise;
  }
}

/** Calls made while one is under way share its promise. */
export function singleFlight<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let pending: Promise<Result> | undefined;
  return () => {
    pending ??= work().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}

/**
 * Runs `work` once at a time. Calls made during a run share the next one, which begins after all of them: it sees what
 * was so when they were made.
 */
export function shareNextRun<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | undefined;
  return () => {
    if (next !== undefined) return next;
    const run = last.then(() => {
      next = undefined;
      return work();
    });
    last = run.catch(() => {});
    next = run;
    return run;
  };
}

/** Calls in flight at once. */
const batchSize = 50;

/**
 * Calls `work` with each value, in concurrent groups, and yields the results in order. On an error, waits for the rest
 * of the group, then throws the first one.
 */
export async function* streamResultsInBatches<Value, Result>(
  values: readonly Value[],
  work: (value: Value) => Promise<Result>,
): AsyncGenerator<Result, void, void> {
  for (let at = 0; at < values.length; at += batchSize) {
    for (const settled of await Promise.allSettled(values.slice(at, at + batchSize).map(work))) {
      if (settled.status === 'rejected') throw settled.reason;
      yield settled.value;
    }
  }
}

/** Awaits a promise. Throws the reason of the signal when that aborts first. Leaves no listener on the signal. */
export async function awaitOrAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
