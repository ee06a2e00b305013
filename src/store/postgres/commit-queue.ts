import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import type { Note } from '../../domain/note.ts';
import type { CommitObserver, Outcome, Write } from '../engine.ts';

/** The part of an engine that the commit queue uses. */
export interface WriteEngine {
  /**
   * Applies the writes in order in one durable transaction and resolves with their outcomes. May return those of a
   * non-empty prefix only; the rest is submitted again. A promise as outcome means that the write had no effect here
   * and another transaction will commit it. A rejection fails all writes; a `NoteError` with the code `busy` promises
   * that none took effect.
   * @param since When each write was submitted, by `performance.now()`.
   */
  commit(writes: readonly Write[], since: readonly number[]): Promise<readonly (Outcome | Promise<Note>)[]>;
}

export interface QueueLimits {
  /** Maximum number of writes per commit. */
  readonly batch: number;
  /** Maximum number of waiting writes. Further ones are refused with `busy`. */
  readonly queued: number;
  /** How long a write may take while the engine is `busy` or a commit hangs, in ms. */
  readonly waitMs: number;
  /** Extra time for a write whose commit is in progress, in ms, as it may still end with `busy`. */
  readonly graceMs: number;
  /** Maximum number of concurrent commits. The next batch collects meanwhile. */
  readonly concurrent: number;
}

const defaultLimits: QueueLimits = { batch: 512, queued: 16_384, waitMs: 5_000, graceMs: 0, concurrent: 1 };
const retryMs = 20;
const pollMs = 100;

interface Entry {
  readonly write: Write;
  readonly since: number;
  readonly resolve: (note: Note | Promise<Note>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: writes that arrive within a turn of the event loop, or during a commit, share the next durable
 * transaction. Each is answered after that transaction, by its own outcome.
 */
export class CommitQueue {
  readonly #engine: WriteEngine;
  readonly #limits: QueueLimits;
  readonly #observe: CommitObserver;
  readonly #waiting: Entry[] = [];
  readonly #drained = Promise.withResolvers<void>();
  #isScheduled = false;
  #underWay = 0;
  /** Number of writes that will be retried. */
  #setAside = 0;
  #closing = false;

  constructor(engine: WriteEngine, observe: CommitObserver = () => {}, limits: Partial<QueueLimits> = {}) {
    this.#engine = engine;
    this.#observe = observe;
    this.#limits = { ...defaultLimits, ...limits };
  }

  /**
   * Resolves with the note once the write is durable.
   * @param since When it was submitted. Earlier waits count against its time limit.
   */
  submit(write: Write, since = performance.now()): Promise<Note> {
    if (this.#closing) return Promise.reject(new NoteError('busy', message.storeClosed));
    if (this.#waiting.length + this.#setAside >= this.#limits.queued)
      return Promise.reject(new NoteError('busy', message.busy));
    const { promise, resolve, reject } = Promise.withResolvers<Note>();
    this.#waiting.push({ write, since, resolve, reject });
    this.#goOn();
    return promise;
  }

  /** Refuses further writes. Resolves when all accepted writes are answered. */
  close(): Promise<void> {
    this.#closing = true;
    this.#goOn();
    return this.#drained.promise;
  }

  get isCommitting(): boolean {
    return this.#underWay > 0;
  }

  #goOn(): void {
    if (this.#waiting.length > 0) {
      if (!this.#isScheduled && this.#mayCommit()) this.#runSoon();
    } else if (this.#closing && this.#underWay + this.#setAside === 0) this.#drained.resolve();
  }

  #mayCommit(): boolean {
    return this.#underWay < this.#limits.concurrent;
  }

  /** Runs after a turn of the event loop: the requests that have arrived share a commit. */
  #runSoon(): void {
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#waiting.length > 0 && this.#mayCommit()) void this.#run();
      else this.#goOn();
    });
  }

  async #run(): Promise<void> {
    this.#underWay++;
    const commit = this.#commitNext();
    this.#goOn(); // the next batch does not wait for this one
    await commit;
    this.#underWay--;
    this.#goOn();
  }

  async #commitNext(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#limits.batch);
    const started = performance.now();
    try {
      const [writes, since] = [batch.map((entry) => entry.write), batch.map((entry) => entry.since)];
      const outcomes = await this.#watched(this.#engine.commit(writes, since), batch);
      this.#waiting.unshift(...batch.splice(outcomes.length));
      this.#observe(batch.length, (performance.now() - started) / 1000);
      for (const [index, entry] of batch.entries()) settle(entry, outcomes[index]);
      const held = batch.filter((_, index) => isBusy(outcomes[index]));
      this.#retryLater(held, new NoteError('busy', message.noteLocked));
    } catch (error) {
      if (isBusy(error)) this.#retryLater(batch, error);
      else for (const entry of batch) entry.reject(error);
    }
  }

  /** Retries writes without delaying others, and rejects those that have waited too long. */
  #retryLater(batch: readonly Entry[], error: NoteError): void {
    if (batch.length === 0) return;
    this.#setAside += batch.length;
    setTimeout(() => {
      this.#setAside -= batch.length;
      this.#waiting.push(...batch); // at the front, they would delay the others
      this.#dismiss(error);
      this.#goOn();
    }, retryMs);
  }

  /** During a commit, rejects writes that have waited too long, both queued and in the commit. */
  async #watched<Result>(commit: Promise<Result>, batch: readonly Entry[]): Promise<Result> {
    const timer = setInterval(() => {
      this.#dismiss(new NoteError('busy', message.storeSlow));
      const tooOld = batch.filter((entry) => this.#isTooOld(entry, this.#limits.graceMs));
      for (const entry of tooOld) entry.reject(new NoteError('unavailable', message.storeFailed));
    }, pollMs);
    try {
      return await commit;
    } finally {
      clearInterval(timer);
    }
  }

  /** Rejects queued writes that have waited too long. */
  #dismiss(error: NoteError): void {
    for (const entry of this.#waiting.splice(0)) {
      if (this.#isTooOld(entry)) entry.reject(error);
      else this.#waiting.push(entry);
    }
  }

  #isTooOld({ since }: Entry, graceMs = 0): boolean {
    return since < performance.now() - this.#limits.waitMs - graceMs;
  }
}

const isBusy = (outcome: unknown): outcome is NoteError => outcome instanceof NoteError && outcome.code === 'busy';

function settle(entry: Entry, outcome: Outcome | Promise<Note> | undefined): void {
  if (outcome === undefined || isBusy(outcome)) return;
  if (outcome instanceof NoteError) entry.reject(outcome);
  else entry.resolve(outcome);
  if (outcome instanceof Promise) outcome.catch(() => {}); // a write that has timed out ignores the rejection
}
