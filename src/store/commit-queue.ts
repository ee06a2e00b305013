import { isBusy, NoteError } from '../core/error.ts';
import * as message from '../core/message.ts';
import * as storeMessage from './message.ts';

/** Maximum number of writes in one transaction, and of waiting ones. Further writes are refused with `busy`. */
const maxBatch = 512;
const maxWaiting = 16_384;

/**
 * A transaction gathers the writes of so many turns of the event loop. On an idle loop they take microseconds; under a
 * mixed load, fewer and larger transactions save a fifth of the processor time per request.
 */
const turnsToGather = 4;

/** The pause between tries while another program holds the database or a note, in ms. */
const pauseMs = 10;

interface Patience {
  /** How long a write may wait, also for another program that holds the database, in ms. */
  readonly waitMs: number;
  /** How much longer one may take that is being committed, in ms: it may still fail with `busy`. */
  readonly graceMs: number;
}

interface Waiting<Write, Result> {
  readonly write: Write;
  /** When it was submitted, by `performance.now()`. */
  readonly since: number;
  /** Why its last try failed, if it is tried again. */
  lastError?: NoteError;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface Alone {
  /** When it was submitted, by `performance.now()`. */
  readonly since: number;
  /** Why its last try failed, if it is tried again. */
  lastError?: NoteError;
  readonly attempt: () => Promise<void>;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits writes in order and resolves with the results, once they are on disk. A rejection with `busy`: none took
 * effect. A result that is `busy`: that write did not, and is committed again beside later ones.
 */
type Commit<Write, Result> = (writes: readonly Write[]) => Promise<readonly (Result | NoteError)[]>;

/**
 * Group commit: the writes that arrive in a few turns of the event loop, or while the former transaction is being
 * synced, share the next transaction. One runs at a time; each write is answered when its transaction is on disk.
 */
export class CommitQueue<Write, Result> {
  readonly #commit: Commit<Write, Result>;
  readonly #patience: Patience;
  #waiting: Waiting<Write, Result>[] = [];
  #committing: readonly Waiting<Write, Result>[] = [];
  #alone: Alone[] = [];
  #working: Alone | undefined;
  #paused = 0;
  #isRunning = false;
  #turns = 0;
  #closing: PromiseWithResolvers<void> | undefined;

  constructor(commit: Commit<Write, Result>, { waitMs = 5_000, graceMs = 0 }: Partial<Patience> = {}) {
    this.#commit = commit;
    this.#patience = { waitMs, graceMs };
  }

  submit(write: Write): Promise<Result> {
    if (this.#closing) return Promise.reject(new NoteError('busy', message.storeClosed));
    if (this.#waiting.length + this.#paused >= maxWaiting) return Promise.reject(new NoteError('busy', message.busy));
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ write, since: performance.now(), resolve, reject });
    this.#run();
    return promise;
  }

  /** Runs work between two transactions; while it fails with `busy`, again, for up to `patienceMs`. */
  alone<Found>(work: () => Promise<Found>, patienceMs = this.#patience.waitMs): Promise<Found> {
    if (this.#closing) return Promise.reject(new NoteError('busy', message.storeClosed));
    const until = performance.now() + patienceMs;
    const { promise, resolve, reject } = Promise.withResolvers<Found>();
    const attempt = async () => {
      try {
        resolve(await work());
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) return reject(error);
        this.#working = undefined;
        alone.lastError = error;
        this.#alone.unshift(alone);
        await Bun.sleep(pauseMs);
      }
    };
    const alone: Alone = { since: performance.now(), attempt, reject };
    this.#alone.push(alone);
    this.#run();
    return promise;
  }

  /** Refuses further writes. Resolves when all accepted ones are answered. */
  close(): Promise<void> {
    this.#closing ??= Promise.withResolvers();
    this.#run();
    return this.#closing.promise;
  }

  /** Rejects what has waited too long, as a disk may hang, with the reason of its last try. Call it about once a second. */
  expire(): void {
    const unknown = new NoteError('unavailable', message.storeFailed);
    const begun = this.#working ? [this.#working] : this.#committing;
    for (const entry of begun) if (this.#isLate(entry, this.#patience.graceMs)) entry.reject(unknown);
    const late = new Set([...this.#waiting, ...this.#alone].filter((entry) => this.#isLate(entry)));
    for (const { reject, lastError } of late) reject(lastError ?? new NoteError('busy', storeMessage.storeSlow));
    if (late.size === 0) return;
    this.#waiting = this.#waiting.filter((entry) => !late.has(entry));
    this.#alone = this.#alone.filter((work) => !late.has(work));
  }

  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(this.#next);
  }

  readonly #next = async (): Promise<void> => {
    if (++this.#turns < turnsToGather) return void setImmediate(this.#next);
    this.#turns = 0;
    this.#working = this.#alone.shift();
    if (this.#working) await this.#working.attempt();
    else if (this.#waiting.length > 0) await this.#commitNext();
    this.#working = undefined;
    if (this.#alone.length + this.#waiting.length > 0) return void setImmediate(this.#next);
    this.#isRunning = false;
    if (this.#paused === 0) this.#closing?.resolve();
  };

  async #commitNext(): Promise<void> {
    const batch = this.#waiting.splice(0, maxBatch);
    this.#committing = batch;
    try {
      const results = await this.#commit(batch.map(({ write }) => write));
      for (const [index, entry] of batch.entries()) {
        const result = results[index];
        if (isBusy(result)) this.#pause(entry, result);
        else if (result === undefined || result instanceof NoteError) entry.reject(result);
        else entry.resolve(result);
      }
    } catch (error) {
      await this.#retryOrReject(batch, error);
    } finally {
      this.#committing = [];
    }
  }

  async #retryOrReject(batch: readonly Waiting<Write, Result>[], error: unknown): Promise<void> {
    const again = isBusy(error) ? batch.filter((entry) => !this.#isLate(entry)) : [];
    for (const entry of batch) if (!again.includes(entry)) entry.reject(error);
    if (!isBusy(error) || again.length === 0) return;
    for (const entry of again) entry.lastError = error;
    this.#waiting = [...again, ...this.#waiting];
    this.#committing = [];
    await Bun.sleep(pauseMs);
  }

  /** Tries a write again without delaying others, or rejects it if it has waited too long. */
  #pause(entry: Waiting<Write, Result>, error: NoteError): void {
    if (this.#isLate(entry)) return void entry.reject(error);
    entry.lastError = error;
    this.#paused++;
    setTimeout(() => {
      this.#paused--;
      this.#waiting.push(entry);
      this.#run();
    }, pauseMs);
  }

  #isLate({ since }: { readonly since: number }, graceMs = 0): boolean {
    return since < performance.now() - this.#patience.waitMs - graceMs;
  }
}

/** Retries work that another program prevents (`busy`, with a cause), for up to `waitMs`. */
export async function whileBusy<Result>(waitMs: number, work: () => Promise<Result>): Promise<Result> {
  for (const until = performance.now() + waitMs; ; ) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || error.cause === undefined || performance.now() > until) throw error;
      await Bun.sleep(2 * pauseMs);
    }
  }
}
