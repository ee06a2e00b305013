import type { Database } from 'bun:sqlite';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/message.ts';
import * as storeMessage from '../message.ts';
import { type During, failureOf, lost, noteErrorOf } from './failure.ts';
import type { Written } from './sqlite-writes.ts';

/** Long work gives way to other requests after this time, in ms. */
const sliceMs = 10;
/** Reads wait this long for a disk that hangs, in ms. */
const syncWaitMs = 5_000;

/** What a transaction did. Nothing is committed unless it stored something. */
export interface Work<Result> {
  readonly result: Result;
  readonly isStored: boolean;
  readonly written?: readonly Written[];
}

interface TransactionsContext {
  readonly db: Database;
  /** Resolves once all commits are on disk; undefined if each commit syncs. */
  readonly sync: (() => Promise<void>) | undefined;
  /** Notices commits of other programs: called within a transaction, before anything is read. */
  readonly look: () => void;
  /** Makes notes visible that are on disk. */
  readonly show: (written: readonly Written[]) => void;
  /** Called once when the state on disk has become uncertain. */
  readonly onLost: (reason: unknown) => void;
}

/**
 * Transactions on the only connection that writes, one at a time, and reads beside them. Nothing that is read or shown
 * leaves before it is on disk.
 */
export class Transactions {
  readonly #context: TransactionsContext;
  readonly #db: Database;
  /** The transaction that is not on disk as yet, since when, and what waits for it. */
  #open: (PromiseWithResolvers<void> & { readonly since: number }) | undefined;
  /** Why requests are refused: the store is closed, or its state on disk is uncertain. */
  #refusal: NoteError | undefined;

  constructor(context: TransactionsContext) {
    this.#context = context;
    this.#db = context.db;
  }

  /** Resolves when the open transaction has ended; undefined if there is none. */
  get unsynced(): Promise<void> | undefined {
    return this.#open?.promise;
  }

  /** Runs work in one transaction, in slices if it yields. Resolves once it is on disk. Throws `NoteError`. */
  async run<Result>(work: Generator<void, Work<Result>, void>, during: During = 'write'): Promise<Result> {
    const open = this.guarded(() => this.#begin(), during);
    try {
      this.#context.look();
      const { result, isStored, written = [] } = await inSlices(work);
      if (!this.#db.inTransaction)
        throw new NoteError('unavailable', storeMessage.rolledBackByTrigger, { outcome: 'none' });
      if (!isStored) return result;
      this.#db.query('COMMIT').run();
      await this.#context.sync?.();
      this.#context.show(written);
      return result;
    } catch (error) {
      throw this.failed(error, during);
    } finally {
      if (this.#db.inTransaction) this.#db.run('ROLLBACK');
      this.#open = undefined;
      open.resolve();
    }
  }

  /** Reads from the database once all that it shows is on disk. */
  async read<Result>(work: () => Result): Promise<Result> {
    while (this.#open) await this.#open.promise;
    return this.readNow(work);
  }

  /**
   * Reads from the database while all commits are on disk. What the snapshot has of other programs is noticed first, so
   * that no later list misses what is seen now.
   */
  readNow<Result>(work: () => Result): Result {
    return this.guarded(() => {
      this.#db.query('BEGIN').run();
      try {
        this.#context.look();
        return work();
      } finally {
        if (this.#db.inTransaction) this.#db.query('COMMIT').run(); // some errors end the transaction
      }
    });
  }

  /** Throws `NoteError` if the store is closed or lost, or if the work fails. */
  guarded<Result>(work: () => Result, during: During = 'read'): Result {
    if (this.#refusal) throw this.#refusal;
    try {
      return work();
    } catch (error) {
      throw this.failed(error, during);
    }
  }

  /** Converts an error, and gives up the store if its state on disk is uncertain. */
  failed(error: unknown, during: During): unknown {
    if (failureOf(error) === 'stop') this.lose(error);
    return noteErrorOf(error, during);
  }

  lose(reason: unknown): void {
    if (this.#refusal) return;
    this.#refusal = lost(reason);
    this.#context.onLost(reason);
  }

  /** Refuses further requests. */
  close(): void {
    this.#refusal ??= new NoteError('busy', message.storeClosed);
  }

  /** Ends the wait of reads for a disk that hangs. Call it about once a second. */
  expire(): void {
    if (this.#open === undefined || performance.now() - this.#open.since < syncWaitMs) return;
    this.#open.reject(new NoteError('unavailable', message.storeNotRead, { outcome: 'none', retry: true }));
  }

  #begin() {
    this.#db.query('BEGIN IMMEDIATE').run();
    const open = { ...Promise.withResolvers<void>(), since: performance.now() };
    open.promise.catch(() => {}); // there may be no reader
    this.#open = open;
    return open;
  }
}

/** Runs work to its end. Other requests run after each slice. */
async function inSlices<Result>(work: Generator<void, Result, void>): Promise<Result> {
  let step = work.next();
  for (let since = performance.now(); !step.done; step = work.next()) {
    if (performance.now() - since < sliceMs) continue;
    await new Promise(setImmediate);
    since = performance.now();
  }
  return step.value;
}

/** Short work as one slice; each call begins it anew. */
export const inOneSlice = <Result>(work: () => Work<Result>) =>
  function* (): Generator<void, Work<Result>, void> {
    yield;
    return work();
  };
