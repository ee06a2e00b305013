import type { Database } from 'bun:sqlite';
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { Semaphore } from '../../core/concurrency.ts';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import { syncLog } from '../fsync.ts';
import type { NoteChange } from '../note-change.ts';
import * as storeMessage from '../store-messages.ts';
import { ChangeLog } from './change-log.ts';
import type { OpenDatabase } from './open-database.ts';
import { recoverLog } from './recover-log.ts';
import { type During, failureOf, noteErrorOf, storeLostError } from './sqlite-errors.ts';
import { readDataVersion } from './sqlite-reads.ts';

/** How long a transaction waits for its turn, in ms. */
const turnWaitMs = 5_000;

/** Reads wait this long for a disk that hangs, in ms. */
const syncWaitMs = 5_000;

/** What a transaction did. */
export interface TransactionResult<Result> {
  readonly result: Result;
  /** Whether it has stored anything; else it is rolled back. */
  readonly shouldCommit: boolean;
  readonly changes?: readonly NoteChange[];
}

interface TransactionEvents {
  /** Called when a transaction is on disk, and in the log of changes. */
  readonly onCommitted: () => void;
  /** Called once when the state on disk has become uncertain; the process should stop. */
  readonly onLost: (reason: unknown) => void;
}

/**
 * Transactions on the only connection that writes, one at a time, and reads beside them. Nothing that is read leaves
 * before it is on disk.
 *
 * Example: a transaction commits note 1, and the sync of the log begins. A read of note 2 that comes now waits, because
 * what it sees depends on the commit. When the log is on disk, the change of note 1 is added to the log of changes, and
 * then the read goes on: no later list can miss what it has seen.
 */
export class DurableTransactions implements Disposable {
  /** What was committed by this process, and is on disk. */
  readonly changeLog = new ChangeLog();
  readonly #events: TransactionEvents;
  readonly #db: Database;
  /** Of the write-ahead log, if commits do not sync it (`synchronous = NORMAL`). */
  readonly #logFd: number | undefined;
  readonly #turns = new Semaphore({
    max: 1,
    waitMs: turnWaitMs,
    createTimeoutError: () => new NoteError('busy', storeMessage.storeSlow),
  });
  /** The transaction that is not on disk as yet, since when, and what waits for it. */
  #open: (PromiseWithResolvers<void> & { readonly since: number }) | undefined;
  /** Why requests are rejected: the store is closed, or its state on disk is uncertain. */
  #closedError: NoteError | undefined;
  readonly #path: string;
  readonly #isCommand: boolean;
  /** See `OpenDatabase`. */
  #needsRecovery: boolean;
  #dataVersion: number;
  /** The data version of the newest snapshot that a command has synced. */
  #syncedVersion: number | undefined;
  #lookedAt = 0;
  /** While the second thread commits: resolved when it is known whether it did so alone. */
  #overlooking: PromiseWithResolvers<void> | undefined;

  constructor(opened: OpenDatabase, events: TransactionEvents) {
    const { db, path, user, isSyncedByCommit, needsRecovery } = opened;
    this.#events = events;
    this.#db = db;
    this.#path = path;
    this.#isCommand = user === 'command';
    this.#needsRecovery = needsRecovery;
    this.#dataVersion = readDataVersion(db);
    if (isSyncedByCommit) return;
    this.#logFd = openSync(`${path}-wal`, 'r+');
    fdatasyncSync(this.#logFd); // a killed service may have left commits that are not on disk
  }

  /** Runs work while no transaction runs, in the order of the calls. */
  async runExclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = await this.#turns.acquire();
    try {
      return await work();
    } finally {
      turn.release();
    }
  }

  /** Runs work in one transaction. Resolves once it is on disk, and in the log of changes. Throws `NoteError`. */
  run<Result>(
    work: () => TransactionResult<Result> | Promise<TransactionResult<Result>>,
    during: During = 'write',
  ): Promise<Result> {
    return this.runExclusive(() => this.#runTransaction(work, during));
  }

  async #runTransaction<Result>(
    work: () => TransactionResult<Result> | Promise<TransactionResult<Result>>,
    during: During,
  ): Promise<Result> {
    const open = this.guard(() => this.#begin(during), during);
    try {
      this.noticeOtherCommits(); // before anything is read
      const { result, shouldCommit, changes = [] } = await work();
      if (!this.#db.inTransaction)
        throw new NoteError('unavailable', storeMessage.rolledBackByTrigger, { outcome: 'none' });
      if (!shouldCommit) {
        this.#db.query('ROLLBACK').run(); // no other program waits for the sync
        this.#syncSnapshot();
        return result;
      }
      this.#db.query('COMMIT').run();
      await this.sync();
      this.changeLog.add(changes);
      this.#events.onCommitted();
      return result;
    } catch (error) {
      throw this.toNoteError(error, during);
    } finally {
      if (this.#db.inTransaction) this.#db.run('ROLLBACK');
      this.#open = undefined;
      open.resolve();
    }
  }

  #begin(during: During) {
    if (this.#needsRecovery && during === 'write') {
      recoverLog(this.#db, this.#path, this.#logFd);
      this.#needsRecovery = false;
    }
    this.#db.query('BEGIN IMMEDIATE').run();
    return this.#holdReads();
  }

  /** Reads wait until the returned promise is resolved. */
  #holdReads() {
    const open = { ...Promise.withResolvers<void>(), since: performance.now() };
    open.promise.catch(() => {}); // there may be no reader
    this.#open = open;
    return open;
  }

  /**
   * Waits for a commit of the second thread that changes no note, and that the next look would take for one of another
   * program. `isAlone` tells whether there was none of those since the transaction began. Meanwhile reads wait, as for a
   * commit of ours. Cached lists are shown as they were until a commit is seen: see `undecided`.
   */
  async overlookCommit(commit: () => Promise<unknown>, isAlone: () => Promise<boolean>): Promise<void> {
    const open = this.#holdReads();
    try {
      try {
        this.guard(() => this.noticeOtherCommits()); // while that transaction keeps others from committing
        this.#overlooking = Promise.withResolvers();
      } finally {
        await commit(); // or it would keep us, too
      }
      const version = this.guard(() => readDataVersion(this.#db));
      if (await isAlone()) this.#dataVersion = version;
    } finally {
      this.#overlooking?.resolve();
      this.#overlooking = undefined;
      this.#lookedAt = 0; // the next look is due
      this.#open = undefined;
      open.resolve();
    }
  }

  /**
   * Resolves once the next look tells whether a commit that is seen now was made by another program: while the second
   * thread commits, it may be that thread's, or both. Undefined if no commit is seen, or the next look tells it.
   */
  get undecided(): Promise<void> | undefined {
    if (this.#overlooking === undefined || readDataVersion(this.#db) === this.#dataVersion) return undefined;
    return this.#overlooking.promise;
  }

  /** Resolves once all commits before the call are on disk: off the event loop, unless each commit waits for it. */
  async sync(): Promise<void> {
    if (this.#logFd === undefined) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    fdatasync(this.#logFd, (error) => (error ? reject(error) : resolve()));
    return promise;
  }

  /** Reads from the database once all that it shows is on disk. */
  async read<Result>(work: () => Result): Promise<Result> {
    while (this.#open) await this.#open.promise;
    return this.guard(() => {
      const result = this.#readSnapshot(work);
      this.#syncSnapshot();
      return result;
    });
  }

  /** What the snapshot has of other programs is noticed first, so that no later list misses what is seen now. */
  #readSnapshot<Result>(work: () => Result): Result {
    this.#db.query('BEGIN').run();
    try {
      this.noticeOtherCommits();
      return work();
    } finally {
      if (this.#db.inTransaction) this.#db.query('COMMIT').run(); // some errors end the transaction
    }
  }

  /**
   * A command sees the commits of a service before they are on disk, because a service syncs the log after each commit.
   * This is called after a snapshot was taken, and before anything that was read from it leaves. It syncs the log,
   * unless no other connection has committed since the last sync. Throws errors of the file system.
   */
  #syncSnapshot(): void {
    if (!this.#isCommand) return;
    this.noticeOtherCommits();
    if (this.#syncedVersion === this.#dataVersion) return;
    syncLog(this.#path);
    this.#syncedVersion = this.#dataVersion;
  }

  /**
   * Commits of other programs may have changed any note: they invalidate the log of changes. Looks for them, unless it did
   * less than `sinceMs` ago, or the second thread commits (see `undecided`).
   */
  noticeOtherCommits(sinceMs = 0): void {
    const now = performance.now();
    if (this.#overlooking !== undefined || now - this.#lookedAt < sinceMs) return;
    this.#lookedAt = now;
    const version = readDataVersion(this.#db);
    if (version === this.#dataVersion) return;
    this.#dataVersion = version;
    this.changeLog.invalidate();
  }

  /** Throws `NoteError` if the store is closed or lost, or if the work fails. */
  guard<Result>(work: () => Result, during: During = 'read'): Result {
    if (this.#closedError) throw this.#closedError;
    try {
      return work();
    } catch (error) {
      throw this.toNoteError(error, during);
    }
  }

  /** Converts an error, and fails the store if its state on disk is uncertain. */
  toNoteError(error: unknown, during: During): unknown {
    if (failureOf(error) === 'stop') this.failStore(error);
    return noteErrorOf(error, during);
  }

  /** Rejects everything from now on, because the state on disk is uncertain. */
  failStore(reason: unknown): void {
    if (this.#closedError) return;
    this.#closedError = storeLostError(reason);
    this.#events.onLost(reason);
  }

  /** Rejects further requests. */
  [Symbol.dispose](): void {
    this.#closedError ??= new NoteError('busy', message.storeClosed);
    if (this.#logFd !== undefined) closeSync(this.#logFd);
  }

  /** Ends the wait of reads for a disk that hangs. Call it about once a second. */
  rejectLateReads(): void {
    if (this.#open === undefined || performance.now() - this.#open.since < syncWaitMs) return;
    this.#open.reject(new NoteError('unavailable', message.storeNotRead, { outcome: 'none', retry: true }));
  }
}
