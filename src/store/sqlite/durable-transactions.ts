import type { Database } from 'bun:sqlite';
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { Semaphore } from '../../core/concurrency.ts';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import { syncWriteAheadLog } from '../fsync.ts';
import type { NoteChange } from '../note-change.ts';
import type { ChangeCursor } from '../note-storage.ts';
import * as storeMessage from '../store-messages.ts';
import { ChangeLog } from './change-log.ts';
import type { OpenDatabase } from './open-database.ts';
import { recoverLog } from './recover-log.ts';
import { classifyError, createStoreLostError, type Operation, toNoteError } from './sqlite-errors.ts';
import { readDataVersion } from './sqlite-reads.ts';

/** How long a transaction waits until those requested before it have ended, in ms. */
const maxTurnWaitMs = 5_000;

/** How long reads wait for a commit that is not on disk, in ms. A disk may hang. */
const maxSyncWaitMs = 5_000;

/** What a transaction did. */
export interface TransactionResult<Result> {
  readonly result: Result;
  /** False if it changed nothing, or nothing that shall stay: then it is rolled back. */
  readonly shouldCommit: boolean;
  /** The notes that it changed, the oldest change first. */
  readonly changes?: readonly NoteChange[];
}

type TransactionWork<Result> = () => TransactionResult<Result> | Promise<TransactionResult<Result>>;

interface TransactionEvents {
  /** Called when a transaction is on disk and in the change log. */
  readonly onCommitted: () => void;
  /** Called once when the state on disk has become uncertain; the process should stop. */
  readonly onLost: (reason: unknown) => void;
}

/** Reads wait for `promise` before they begin. `since` is a time of `performance.now()`. */
interface ReadBarrier extends PromiseWithResolvers<void> {
  readonly since: number;
}

/**
 * Transactions on the only connection that writes, one at a time, and reads on the same connection between them. No
 * result of a read is returned before all commits that it shows are on disk.
 *
 * Example: a transaction commits note 1, and the sync of the log begins. A read of note 2 that is requested now waits,
 * because its snapshot would show note 1, too. When the log is on disk, the change of note 1 is added to the change
 * log, and then the read runs: a list that is requested after it will know the change.
 */
export class DurableTransactions implements Disposable {
  /** What this process has committed, and is on disk. */
  readonly changeLog = new ChangeLog();
  readonly #events: TransactionEvents;
  readonly #db: Database;
  /** Of the write-ahead log, if a commit does not sync it (`synchronous = NORMAL`). */
  readonly #logFd: number | undefined;
  /** A transaction waits for its turn: until all that were requested before it have ended. */
  readonly #turns = new Semaphore({
    max: 1,
    waitMs: maxTurnWaitMs,
    createTimeoutError: () => new NoteError('busy', storeMessage.storeSlow),
  });
  /** Set from the beginning of a transaction until it is on disk. */
  #readBarrier: ReadBarrier | undefined;
  /** Why requests are rejected: the store is closed, or its state on disk is uncertain. */
  #closedError: NoteError | undefined;
  readonly #path: string;
  readonly #isCommand: boolean;
  /** See `OpenDatabase`. */
  #needsRecovery: boolean;
  /** As of the last look at it: SQLite raises it when another connection has committed. */
  #dataVersion: number;
  /** Resolves when the exclusive work that runs has ended. */
  #workEnd: Promise<void> = Promise.resolve();
  /** When the data version was last read, as a time of `performance.now()`. */
  #dataVersionReadAt = 0;
  /** The data version of the newest snapshot that a command has synced. */
  #syncedVersion: number | undefined;
  /** Set while the worker commits a transaction; resolved when it is known whether others have committed as well. */
  #workerCommit: PromiseWithResolvers<void> | undefined;

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
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#workEnd = ended;
    try {
      return await work();
    } finally {
      turn.release();
      end();
    }
  }

  /** Resolves when no transaction runs or waits for its turn. */
  async waitUntilIdle(): Promise<void> {
    while (this.#turns.acquired > 0) await this.#workEnd;
  }

  /** Runs work in a transaction. Resolves once it is on disk and in the change log. Throws `NoteError`. */
  runTransaction<Result>(work: TransactionWork<Result>, operation: Operation = 'write'): Promise<Result> {
    return this.runExclusive(() => this.#runTransactionNow(work, operation));
  }

  async #runTransactionNow<Result>(work: TransactionWork<Result>, operation: Operation): Promise<Result> {
    const barrier = this.runUnlessClosed(() => {
      if (operation === 'write') this.#recoverLogOnce();
      this.#db.query('BEGIN IMMEDIATE').run();
      return this.#blockReads();
    }, operation);
    try {
      this.forgetChangesIfOthersCommitted(); // before anything is read
      const { result, shouldCommit, changes = [] } = await work();
      if (!this.#db.inTransaction)
        throw new NoteError('unavailable', storeMessage.rolledBackByTrigger, { outcome: 'none' });
      if (!shouldCommit) {
        this.#db.query('ROLLBACK').run(); // before the sync, for which no other program has to wait
        this.#syncSnapshotOfCommand();
        return result;
      }
      this.#db.query('COMMIT').run();
      const cursorAtCommit = this.changeLog.cursor;
      await this.syncCommits();
      this.#reportCommit(changes, cursorAtCommit);
      return result;
    } catch (error) {
      throw this.handleError(error, operation);
    } finally {
      if (this.#db.inTransaction) this.#db.run('ROLLBACK');
      this.#unblockReads(barrier);
    }
  }

  /**
   * Logs the changes of a commit that is on disk now. If another program has committed since then, the notes may have
   * newer states already: logged after these, the changes would bring the older ones back into lists.
   */
  #logChanges(changes: readonly NoteChange[], cursorAtCommit: ChangeCursor): void {
    this.forgetChangesIfOthersCommitted();
    if (this.changeLog.cursor === cursorAtCommit) this.changeLog.appendChanges(changes);
    else this.changeLog.forgetAllChanges();
  }

  /** A failure of what follows a commit must not be taken for a failure of the commit. */
  #reportCommit(changes: readonly NoteChange[], cursorAtCommit: ChangeCursor): void {
    try {
      this.#logChanges(changes, cursorAtCommit);
      this.#events.onCommitted();
    } catch (error) {
      this.changeLog.forgetAllChanges();
      this.handleError(error, 'read');
    }
  }

  /** Recovers the log of a killed program if there was no room for that when the database was opened. */
  #recoverLogOnce(): void {
    if (!this.#needsRecovery) return;
    recoverLog(this.#db, this.#path, this.#logFd);
    this.#needsRecovery = false;
  }

  #blockReads(): ReadBarrier {
    const barrier = { ...Promise.withResolvers<void>(), since: performance.now() };
    barrier.promise.catch(() => {}); // there may be no reader
    this.#readBarrier = barrier;
    return barrier;
  }

  #unblockReads(barrier: ReadBarrier): void {
    this.#readBarrier = undefined;
    barrier.resolve();
  }

  /**
   * Runs a commit of the worker that changes no note, without forgetting the changes as after a commit of another
   * program. `isOnlyCommit` tells whether no other program has committed since the transaction of the worker began;
   * else the changes are forgotten at the next look. Meanwhile reads wait as for a commit of this thread, and lists in
   * memory wait for `pendingCommitCheck` once they see a commit.
   */
  async ignoreWorkerCommit(commit: () => Promise<unknown>, isOnlyCommit: () => Promise<boolean>): Promise<void> {
    const barrier = this.#blockReads();
    try {
      try {
        // the transaction of the worker is open, so that nobody else can commit now
        this.runUnlessClosed(() => this.forgetChangesIfOthersCommitted());
        this.#workerCommit = Promise.withResolvers();
      } finally {
        await commit(); // in any case: an open transaction would block this connection, too
      }
      const version = this.runUnlessClosed(() => readDataVersion(this.#db));
      if (await isOnlyCommit()) this.#dataVersion = version;
    } finally {
      this.#workerCommit?.resolve();
      this.#workerCommit = undefined;
      this.#dataVersionReadAt = 0; // the next look is due
      this.#unblockReads(barrier);
    }
  }

  /**
   * While the worker commits, a commit that is seen may be the worker's, another program's, or both. Then this resolves
   * once `forgetChangesIfOthersCommitted` can tell. Undefined if it can tell now.
   */
  get pendingCommitCheck(): Promise<void> | undefined {
    if (this.#workerCommit === undefined || readDataVersion(this.#db) === this.#dataVersion) return undefined;
    return this.#workerCommit.promise;
  }

  /** Resolves once all earlier commits are on disk. Does nothing if each commit syncs the log. */
  async syncCommits(): Promise<void> {
    if (this.#logFd === undefined) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    fdatasync(this.#logFd, (error) => (error ? reject(error) : resolve()));
    return promise;
  }

  /** Runs a read once everything that its snapshot will show is on disk. Throws `NoteError`. */
  async readWhenDurable<Result>(work: () => Result): Promise<Result> {
    while (this.#readBarrier) await this.#readBarrier.promise;
    return this.runUnlessClosed(() => {
      const result = this.#readSnapshot(work);
      this.#syncSnapshotOfCommand();
      return result;
    });
  }

  /** Looks for commits of others within the snapshot, so that no later list misses what this read shows of them. */
  #readSnapshot<Result>(work: () => Result): Result {
    this.#db.query('BEGIN').run();
    try {
      this.forgetChangesIfOthersCommitted();
      return work();
    } finally {
      if (this.#db.inTransaction) this.#db.query('COMMIT').run(); // some errors end the transaction
    }
  }

  /**
   * A service syncs the log after each commit, so a command beside it may read commits that are not on disk yet. A
   * command therefore calls this after it has read and before it returns the result: it syncs the log, unless nobody
   * has committed since its last sync. Throws errors of the file system.
   */
  #syncSnapshotOfCommand(): void {
    if (!this.#isCommand) return;
    this.forgetChangesIfOthersCommitted();
    if (this.#syncedVersion === this.#dataVersion) return;
    syncWriteAheadLog(this.#path);
    this.#syncedVersion = this.#dataVersion;
  }

  /**
   * Looks whether another program has committed since the last look: it may have changed any note, so the change log
   * forgets all changes. Does not look if the last look was less than `minIntervalMs` ago, or while the worker commits.
   */
  forgetChangesIfOthersCommitted(minIntervalMs = 0): void {
    const now = performance.now();
    if (this.#workerCommit !== undefined || now - this.#dataVersionReadAt < minIntervalMs) return;
    this.#dataVersionReadAt = now;
    const version = readDataVersion(this.#db);
    if (version === this.#dataVersion) return;
    this.#dataVersion = version;
    this.changeLog.forgetAllChanges();
  }

  /** Runs work at once. Throws `NoteError` if the store is closed or has failed, or if the work throws. */
  runUnlessClosed<Result>(work: () => Result, operation: Operation = 'read'): Result {
    if (this.#closedError) throw this.#closedError;
    try {
      return work();
    } catch (error) {
      throw this.handleError(error, operation);
    }
  }

  /** Fails the store if the error leaves its state on disk uncertain. Returns the error to throw. */
  handleError(error: unknown, operation: Operation): unknown {
    if (classifyError(error) === 'uncertain') this.failStore(error);
    return toNoteError(error, operation);
  }

  /** Rejects everything from now on, because the state on disk is uncertain. */
  failStore(reason: unknown): void {
    if (this.#closedError) return;
    this.#closedError = createStoreLostError(reason);
    this.#events.onLost(reason);
  }

  /** Rejects further requests. */
  [Symbol.dispose](): void {
    this.#closedError ??= new NoteError('busy', message.storeClosed);
    if (this.#logFd !== undefined) closeSync(this.#logFd);
  }

  /** Rejects the reads that wait for a disk that hangs. Call it about once a second. */
  rejectOverdueReads(): void {
    if (this.#readBarrier === undefined || performance.now() - this.#readBarrier.since < maxSyncWaitMs) return;
    this.#readBarrier.reject(new NoteError('unavailable', message.storeNotRead, { outcome: 'none', retry: true }));
  }
}
