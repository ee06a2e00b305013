import { isBusyError, NoteError } from '../core/error.ts';
import * as message from '../core/error-messages.ts';
import type { StorageTimeouts } from './note-storage.ts';
import * as storeMessage from './store-messages.ts';

/** Maximum number of writes in one transaction, and of waiting ones. Further writes are rejected with `busy`. */
const maxBatchWrites = 512;
const maxWaitingWrites = 16_384;

/**
 * Writes that arrive within this number of turns of the event loop share one transaction. To wait that long takes
 * microseconds when the service is idle; under a mixed load, the fewer and larger transactions save a fifth of the
 * processor time per request.
 */
const turnsToGather = 4;

/** The pause between tries while another program holds the database or a note, in ms. */
const retryPauseMs = 10;

interface WaitingWrite<Write, Result> {
  readonly write: Write;
  /** By `performance.now()`. */
  readonly submittedAt: number;
  /** Why its last try failed, if it is tried again. */
  lastError?: NoteError;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** See `NoteStorage.dequeueAndCommitBatch`. A rejection with `busy` means that none of the writes took effect. */
type CommitBatch<Write, Result> = (dequeueWrites: () => readonly Write[]) => Promise<readonly (Result | NoteError)[]>;

type CommitTimeouts = Pick<StorageTimeouts, 'waitMs' | 'graceMs' | 'checkIntervalMs'>;

/**
 * Gathers writes into batches (group commit), so that many writes share one sync of the disk. One batch is committed at
 * a time, and the promise of each write is resolved when it is durable.
 *
 * Example:
 * 1. Writes 1, 2 and 3 are submitted within four turns of the event loop. They are committed as one batch.
 * 2. While the disk syncs it, writes 4 and 5 are submitted. They wait.
 * 3. The storage returns a note for write 1, `conflict` for write 2 and `busy` for write 3, whose note another program has
 *    locked. Write 1 is resolved and write 2 rejected; write 3 waits again after a pause of 10 ms.
 * 4. Writes 4 and 5 are committed as the next batch, and write 3 in a later one.
 */
export class Committer<Write, Result> {
  readonly #dequeueAndCommitBatch: CommitBatch<Write, Result>;
  readonly #timeouts: CommitTimeouts;
  #waiting: WaitingWrite<Write, Result>[] = [];
  /** The writes that the storage has dequeued: the batch that is being committed. */
  #committing: readonly WaitingWrite<Write, Result>[] = [];
  /** The number of writes that were busy and are not yet back in `#waiting`. */
  #pausedCount = 0;
  #isRunning = false;
  #turnsWaited = 0;
  #closing: PromiseWithResolvers<void> | undefined;
  readonly #lateWritesTimer: Timer;

  constructor(dequeueAndCommitBatch: CommitBatch<Write, Result>, timeouts: CommitTimeouts) {
    this.#dequeueAndCommitBatch = dequeueAndCommitBatch;
    this.#timeouts = timeouts;
    this.#lateWritesTimer = setInterval(() => this.rejectOverdueWrites(), timeouts.checkIntervalMs).unref();
  }

  /** Resolves with the result of the write when it is durable. */
  submit(write: Write): Promise<Result> {
    if (this.#closing) return Promise.reject(new NoteError('busy', message.storeClosed));
    if (this.#waiting.length + this.#pausedCount >= maxWaitingWrites)
      return Promise.reject(new NoteError('busy', message.busy));
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ write, submittedAt: performance.now(), resolve, reject });
    this.#scheduleCommit();
    return promise;
  }

  /** Rejects further writes. Resolves when all accepted ones are resolved or rejected. */
  async close(): Promise<void> {
    this.#closing ??= Promise.withResolvers();
    this.#scheduleCommit();
    await this.#closing.promise;
    clearInterval(this.#lateWritesTimer);
  }

  /**
   * Rejects the writes that have waited too long, with the reason of their last try. Those that are being committed are
   * rejected later than the others, and with an unknown outcome: the disk may hang.
   */
  rejectOverdueWrites(): void {
    const unknown = new NoteError('unavailable', message.storeFailed);
    for (const entry of this.#committing)
      if (this.#hasWaitedTooLong(entry, this.#timeouts.graceMs)) entry.reject(unknown);
    const late = new Set(this.#waiting.filter((entry) => this.#hasWaitedTooLong(entry)));
    for (const { reject, lastError } of late) reject(lastError ?? new NoteError('busy', storeMessage.storeSlow));
    if (late.size > 0) this.#waiting = this.#waiting.filter((entry) => !late.has(entry));
  }

  /** Begins to run turns, unless they run already. */
  #scheduleCommit(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(this.#commitAfterTurns);
  }

  /** Lets `turnsToGather` turns pass, commits a batch, and goes on until no write waits. */
  readonly #commitAfterTurns = async (): Promise<void> => {
    if (++this.#turnsWaited < turnsToGather) return void setImmediate(this.#commitAfterTurns);
    this.#turnsWaited = 0;
    if (this.#waiting.length > 0) await this.#commitNextBatchOrRequeue();
    if (this.#waiting.length > 0) return void setImmediate(this.#commitAfterTurns);
    this.#isRunning = false;
    if (this.#pausedCount === 0) this.#closing?.resolve();
  };

  async #commitNextBatchOrRequeue(): Promise<void> {
    let hasBegun = false;
    const dequeueWrites = () => {
      hasBegun = true;
      this.#committing = this.#waiting.splice(0, maxBatchWrites);
      return this.#committing.map(({ write }) => write);
    };
    try {
      const results = await this.#dequeueAndCommitBatch(dequeueWrites);
      for (const [index, entry] of this.#committing.entries()) this.#settleOrRequeue(entry, results[index]);
    } catch (error) {
      if (!hasBegun) dequeueWrites();
      await this.#requeueOrRejectBatch(this.#committing, error);
    } finally {
      this.#committing = [];
    }
  }

  #settleOrRequeue(entry: WaitingWrite<Write, Result>, result: Result | NoteError | undefined): void {
    if (isBusyError(result)) this.#requeueOrTimeOutWrite(entry, result);
    else if (result === undefined || result instanceof NoteError) entry.reject(result);
    else entry.resolve(result);
  }

  /**
   * Returns the writes of a batch that was busy to `#waiting`, but for those that have waited too long, and pauses.
   * Rejects all writes of the batch after any other error.
   */
  async #requeueOrRejectBatch(batch: readonly WaitingWrite<Write, Result>[], error: unknown): Promise<void> {
    const retried = isBusyError(error) ? batch.filter((entry) => !this.#hasWaitedTooLong(entry)) : [];
    for (const entry of batch) if (!retried.includes(entry)) entry.reject(error);
    if (!isBusyError(error) || retried.length === 0) return;
    for (const entry of retried) entry.lastError = error;
    this.#waiting = [...retried, ...this.#waiting];
    this.#committing = [];
    await Bun.sleep(retryPauseMs);
  }

  /**
   * Returns a busy write to `#waiting` after a pause that delays no other write. Rejects it if it has waited too long.
   */
  #requeueOrTimeOutWrite(entry: WaitingWrite<Write, Result>, error: NoteError): void {
    if (this.#hasWaitedTooLong(entry)) return void entry.reject(error);
    entry.lastError = error;
    this.#pausedCount++;
    setTimeout(() => {
      this.#pausedCount--;
      this.#waiting.push(entry);
      this.#scheduleCommit();
    }, retryPauseMs);
  }

  #hasWaitedTooLong({ submittedAt }: { readonly submittedAt: number }, graceMs = 0): boolean {
    return submittedAt < performance.now() - this.#timeouts.waitMs - graceMs;
  }
}
