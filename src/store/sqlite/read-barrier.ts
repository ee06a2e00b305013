import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';

/** How long reads wait for a commit that is not on disk, in ms. A disk may hang. */
const maxSyncWaitMs = 5_000;

/**
 * Makes reads wait while a commit is not on disk, because they would show notes that a power cut can still take away.
 * Only one commit blocks reads at a time.
 */
export class ReadBarrier {
  #blocked: PromiseWithResolvers<void> | undefined;
  /** A time of `performance.now()`. */
  #blockedAt = 0;

  block(): void {
    this.#blocked = Promise.withResolvers();
    this.#blocked.promise.catch(() => {}); // there may be no reader
    this.#blockedAt = performance.now();
  }

  unblock(): void {
    this.#blocked?.resolve();
    this.#blocked = undefined;
  }

  /**
   * Resolves when the commit that blocks reads now is on disk; undefined if none does. Rejects with `unavailable` if
   * that takes too long. Another commit may block reads by the time that a caller goes on, so look again: `while
   * (barrier.pendingUnblock) await barrier.pendingUnblock`.
   */
  get pendingUnblock(): Promise<void> | undefined {
    return this.#blocked?.promise;
  }

  /** Rejects the reads that wait for a disk that hangs. Call it about once a second. */
  rejectReadsIfCommitOverdue(): void {
    if (this.#blocked === undefined || performance.now() - this.#blockedAt < maxSyncWaitMs) return;
    this.#blocked.reject(new NoteError('unavailable', message.storeNotRead, { outcome: 'none', retry: true }));
  }
}
