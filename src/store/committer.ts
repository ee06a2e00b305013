import { isBusy, NoteError } from '../core/error.ts';
import * as message from '../core/message.ts';
import type { StorageTimeouts } from './note-storage.ts';
import * as storeMessage from './store-messages.ts';

/** Maximum number of writes in one transaction, and of waiting ones. Further writes are rejected with `busy`. */
const maxBatchWrites = 512;
const maxWaitingWrites = 16_384;

/**
 * Writes that arrive within so many turns of the event loop share one transaction. Waiting that long costs microseconds
 * when idle; under a mixed load, fewer and larger transactions save a fifth of the processor time per request.
 */
const turnsToGather = 4;

/** The pause between tries while another program holds the database or a note, in ms. */
const retryPauseMs = 10;

interface WaitingWrite<Write, Result> {
  readonly write: Write;
  /** When it was submitted, by `performance.now()`. */
  readonly since: number;
  /** Why its last try failed, if it is tried again. */
  lastError?: NoteError;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** See `NoteStorage.commitBatch`. A rejection with `busy` means that none of the writes took effect. */
type CommitBatch<Write, Result> = (dequeueWrites: () => readonly Write[]) => Promise<readonly (Result | NoteError)[]>;

type CommitTimeouts = Pick<StorageTimeouts, 'waitMs' | 'graceMs' | 'checkIntervalMs'>;

/**
 * Group commit: the writes that arrive in a few turns of the event loop, or during the former transaction, share the next
 * one. One batch is committed at a time, and each write is resolved when it is durable.
 *
 * Example: writes 1, 2 and 3 arrive at once and are committed together. While the disk syncs them, 4 and 5 arrive: they
 * wait, and are committed together when 1, 2 and 3 have been resolved.
 */
export class Committer<Write, Result> {
  readonly #commitBatch: CommitBatch<Write, Result>;
  readonly #timeouts: CommitTimeouts;
  #waiting: WaitingWrite<Write, Result>[] = [];
  /** The batch that the storage has begun to commit. */
  #committing: readonly WaitingWrite<Write, Result>[] = [];
  /** The number of writes that were busy and wait for their next try. */
  #paused = 0;
  #isRunning = false;
  #turns = 0;
  #closing: PromiseWithResolvers<void> | undefined;
  readonly #expiryTimer: Timer;

  constructor(commitBatch: CommitBatch<Write, Result>, timeouts: CommitTimeouts) {
    this.#commitBatch = commitBatch;
    this.#timeouts = timeouts;
    this.#expiryTimer = setInterval(() => this.rejectLateWrites(), timeouts.checkIntervalMs).unref();
  }

  submit(write: Write): Promise<Result> {
    if (this.#closing) return Promise.reject(new NoteError('busy', message.storeClosed));
    if (this.#waiting.length + this.#paused >= maxWaitingWrites)
      return Promise.reject(new NoteError('busy', message.busy));
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ write, since: performance.now(), resolve, reject });
    this.#run();
    return promise;
  }

  /** Rejects further writes. Resolves when all accepted ones are resolved or rejected. */
  async close(): Promise<void> {
    this.#closing ??= Promise.withResolvers();
    this.#run();
    await this.#closing.promise;
    clearInterval(this.#expiryTimer);
  }

  /** Rejects writes that have waited too long, as a disk may hang, with the reason of their last try. */
  rejectLateWrites(): void {
    const unknown = new NoteError('unavailable', message.storeFailed);
    for (const one of this.#committing) if (this.#isLate(one, this.#timeouts.graceMs)) one.reject(unknown);
    const late = new Set(this.#waiting.filter((one) => this.#isLate(one)));
    for (const { reject, lastError } of late) reject(lastError ?? new NoteError('busy', storeMessage.storeSlow));
    if (late.size > 0) this.#waiting = this.#waiting.filter((one) => !late.has(one));
  }

  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(this.#runTurn);
  }

  readonly #runTurn = async (): Promise<void> => {
    if (++this.#turns < turnsToGather) return void setImmediate(this.#runTurn);
    this.#turns = 0;
    if (this.#waiting.length > 0) await this.#commitNextBatch();
    if (this.#waiting.length > 0) return void setImmediate(this.#runTurn);
    this.#isRunning = false;
    if (this.#paused === 0) this.#closing?.resolve();
  };

  async #commitNextBatch(): Promise<void> {
    const dequeueWrites = () => {
      this.#committing = this.#waiting.splice(0, maxBatchWrites);
      return this.#committing.map(({ write }) => write);
    };
    try {
      const results = await this.#commitBatch(dequeueWrites);
      for (const [index, one] of this.#committing.entries()) this.#settle(one, results[index]);
    } catch (error) {
      if (this.#committing.length === 0) dequeueWrites(); // the storage could not even begin
      await this.#retryOrReject(this.#committing, error);
    } finally {
      this.#committing = [];
    }
  }

  #settle(one: WaitingWrite<Write, Result>, result: Result | NoteError | undefined): void {
    if (isBusy(result)) this.#retryLater(one, result);
    else if (result === undefined || result instanceof NoteError) one.reject(result);
    else one.resolve(result);
  }

  /** Tries a batch that was busy again after a pause, without the writes that have waited too long. */
  async #retryOrReject(batch: readonly WaitingWrite<Write, Result>[], error: unknown): Promise<void> {
    const retried = isBusy(error) ? batch.filter((one) => !this.#isLate(one)) : [];
    for (const one of batch) if (!retried.includes(one)) one.reject(error);
    if (!isBusy(error) || retried.length === 0) return;
    for (const one of retried) one.lastError = error;
    this.#waiting = [...retried, ...this.#waiting];
    this.#committing = [];
    await Bun.sleep(retryPauseMs);
  }

  /** Tries a single write again without delaying others, or rejects it if it has waited too long. */
  #retryLater(one: WaitingWrite<Write, Result>, error: NoteError): void {
    if (this.#isLate(one)) return void one.reject(error);
    one.lastError = error;
    this.#paused++;
    setTimeout(() => {
      this.#paused--;
      this.#waiting.push(one);
      this.#run();
    }, retryPauseMs);
  }

  #isLate({ since }: { readonly since: number }, graceMs = 0): boolean {
    return since < performance.now() - this.#timeouts.waitMs - graceMs;
  }
}
