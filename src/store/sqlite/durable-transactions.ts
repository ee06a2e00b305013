import type { Database } from 'bun:sqlite';
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { Semaphore } from '../../core/concurrency.ts';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import { syncWriteAheadLog } from '../fsync.ts';
import type { NoteChange } from '../note-change.ts';
import type { ChangeCursor } from '../note-storage.ts';
import * as storeMessage from '../store-messages.ts';
import type { OpenSqliteDatabase } from './open-sqlite-database.ts';
import { ReadBarrier } from './read-barrier.ts';
import { recoverLog } from './recover-log.ts';
import { ChangeLog } from './sqlite-change-log.ts';
import { classifyError, createStoreFailedError, type Operation, toNoteErrorIfDatabaseError } from './sqlite-errors.ts';
import { readDataVersion } from './sqlite-reads.ts';

/** How long a transaction waits until those requested before it have ended, in ms. */
const maxPermitWaitMs = 5_000;

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
  readonly #databaseFd: number | undefined;
  /** A transaction waits for its turn: until all that were requested before it have ended. */
  readonly #permits = new Semaphore({
    max: 1,
    waitMs: maxPermitWaitMs,
    createTimeoutError: () => new NoteError('busy', storeMessage.storeSlow),
  });
  /** Blocks reads from the beginning of a transaction until it is on disk. */
  readonly readBarrier = new ReadBarrier();
  /** Why requests are rejected: the store is closed, or its state on disk is uncertain. */
  #closedError: NoteError | undefined;
  readonly #path: string;
  readonly #isCommand: boolean;
  /** Whether the log has to be recovered before the next write, as the disk was full at the start. */
  #needsRecovery: boolean;
  /** As of the last look at it: SQLite raises it when another connection has committed. */
  #dataVersion: number;
  /** When the data version was last read, as a time of `performance.now()`. */
  #dataVersionReadAt = 0;
  /** Resolves when the exclusive work that runs has ended. */
  #workEnd: Promise<void> = Promise.resolve();
  /** The data version of the newest snapshot that a command has synced. */
  #syncedVersion: number | undefined;
  /** Set while the worker commits a transaction; resolved when it is known whether others have committed as well. */
  #workerCommit: PromiseWithResolvers<void> | undefined;

  constructor(opened: OpenSqliteDatabase, events: TransactionEvents) {
    const { db, path, openedBy, isSyncedByCommit, needsRecovery, databaseFd } = opened;
    this.#events = events;
    this.#db = db;
    this.#path = path;
    this.#databaseFd = databaseFd;
    this.#isCommand = openedBy === 'command';
    this.#needsRecovery = needsRecovery;
    this.#dataVersion = readDataVersion(db);
    if (isSyncedByCommit) return;
    this.#logFd = openSync(`${path}-wal`, 'r+');
    fdatasyncSync(this.#logFd); // a killed service may have left commits that are not on disk
  }

  /** Runs work when all work and transactions that were requested before it have ended. */
  async runInTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const permit = await this.#permits.acquirePermitOrTimeOut();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#workEnd = ended;
    try {
      return await work();
    } finally {
      permit.release();
      end();
    }
  }

  /** Resolves when no transaction runs or waits for its turn. */
  async waitUntilIdle(): Promise<void> {
    while (this.#permits.acquired > 0) await this.#workEnd;
  }

  /** Runs work in a transaction. Resolves once it is on disk and in the change log. Throws `NoteError`. */
  runTransaction<Result>(work: TransactionWork<Result>, operation: Operation = 'write'): Promise<Result> {
    return this.runInTurn(() => this.#runTransactionNow(work, operation));
  }

  async #runTransactionNow<Result>(work: TransactionWork<Result>, operation: Operation): Promise<Result> {
    this.runUnlessClosed(() => {
      if (operation === 'write') this.#recoverLogIfNeeded();
      this.#db.query('BEGIN IMMEDIATE').run();
      this.readBarrier.block();
    }, operation);
    try {
      this.forgetChangesIfOthersCommitted(); // before anything is read
      const { result, shouldCommit, changes = [] } = await work();
      if (!this.#db.inTransaction)
        throw new NoteError('unavailable', storeMessage.rolledBackByTrigger, { outcome: 'none' });
      if (!shouldCommit) {
        this.#db.query('ROLLBACK').run(); // before the sync, for which no other program has to wait
        this.#syncLogIfCommand();
        return result;
      }
      this.#db.query('COMMIT').run();
      const cursorAtCommit = this.changeLog.cursor;
      await this.syncCommitsIfDeferred();
      this.#logChangesAndNotify(changes, cursorAtCommit);
      return result;
    } catch (error) {
      throw this.failStoreIfUncertainAndConvert(error, operation);
    } finally {
      if (this.#db.inTransaction) this.#db.run('ROLLBACK');
      this.readBarrier.unblock();
    }
  }

  /** A failure of what follows a commit must not be taken for a failure of the commit. */
  #logChangesAndNotify(changes: readonly NoteChange[], cursorAtCommit: ChangeCursor): void {
    try {
      this.#appendOrForgetChanges(changes, cursorAtCommit);
      this.#events.onCommitted();
    } catch (error) {
      this.changeLog.invalidateAllCursors();
      this.failStoreIfUncertainAndConvert(error, 'read');
    }
  }

  /**
   * Logs the changes of a commit that is on disk now. If another program has committed since then, the notes may have
   * newer states already: logged after these, the changes would bring the older ones back into lists.
   */
  #appendOrForgetChanges(changes: readonly NoteChange[], cursorAtCommit: ChangeCursor): void {
    this.forgetChangesIfOthersCommitted();
    if (this.changeLog.cursor === cursorAtCommit) this.changeLog.appendChanges(changes);
    else this.changeLog.invalidateAllCursors();
  }

  /** Recovers the log of a killed program if there was no room for that when the database was opened. */
  #recoverLogIfNeeded(): void {
    if (!this.#needsRecovery) return;
    recoverLog(this.#db, this.#path, this.#logFd);
    this.#needsRecovery = false;
  }

  /**
   * Runs a commit of the worker that changes no note, without forgetting the changes as after a commit of another
   * program. `isOnlyCommit` tells whether no other program has committed since the transaction of the worker began;
   * else the changes are forgotten at the next look. Meanwhile reads wait as for a commit of this thread, and lists in
   * memory wait for `pendingCommitCheck` once they see a commit.
   *
   * Example: the data version is 7 here, and 3 for the worker. After the worker's commit it is 8 here. If the worker
   * still reads 3, as its own commits do not raise its number, nobody else has committed, and 8 is remembered. If it
   * reads 4, another program has committed as well: 7 stays remembered, and the next look forgets the changes.
   */
  async runWorkerCommitWithoutForgettingChanges(
    commit: () => Promise<unknown>,
    isOnlyCommit: () => Promise<boolean>,
  ): Promise<void> {
    this.readBarrier.block();
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
      this.readBarrier.unblock();
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
  async syncCommitsIfDeferred(): Promise<void> {
    if (this.#logFd !== undefined) await syncOnOtherThread(this.#logFd);
  }

  /**
   * Resolves once all pages that checkpoints have copied are on disk in the database file; transactions run meanwhile.
   * Throws `NoteError`, and fails the store: after a failed sync nobody knows which pages are on disk.
   */
  async syncDatabaseFile(): Promise<void> {
    if (this.#databaseFd === undefined) return;
    try {
      await syncOnOtherThread(this.#databaseFd);
    } catch (error) {
      throw this.failStoreIfUncertainAndConvert(error, 'read');
    }
  }

  /** Runs a read once everything that its snapshot will show is on disk. Throws `NoteError`. */
  async readWhenDurable<Result>(work: () => Result): Promise<Result> {
    while (this.readBarrier.pendingUnblock) await this.readBarrier.pendingUnblock;
    return this.runUnlessClosed(() => {
      const result = this.#readSnapshot(work);
      this.#syncLogIfCommand();
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
  #syncLogIfCommand(): void {
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
    this.changeLog.invalidateAllCursors();
  }

  /** Runs work at once. Throws `NoteError` if the store is closed or has failed, or if the work throws. */
  runUnlessClosed<Result>(work: () => Result, operation: Operation = 'read'): Result {
    if (this.#closedError) throw this.#closedError;
    try {
      return work();
    } catch (error) {
      throw this.failStoreIfUncertainAndConvert(error, operation);
    }
  }

  /** Fails the store if the error leaves its state on disk uncertain. Returns the error to throw. */
  failStoreIfUncertainAndConvert(error: unknown, operation: Operation): unknown {
    if (classifyError(error) === 'uncertain') this.failStore(error);
    return toNoteErrorIfDatabaseError(error, operation);
  }

  /** Rejects everything from now on, because the state on disk is uncertain. */
  failStore(reason: unknown): void {
    if (this.#closedError) return;
    this.#closedError = createStoreFailedError(reason);
    this.#events.onLost(reason);
  }

  /** Rejects further requests. */
  [Symbol.dispose](): void {
    this.#closedError ??= new NoteError('busy', message.storeClosed);
    if (this.#logFd !== undefined) closeSync(this.#logFd);
  }
}

/** Resolves once the content of a file is on disk. It waits on a thread of the runtime. */
function syncOnOtherThread(fd: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  fdatasync(fd, (error) => (error ? reject(error) : resolve()));
  return promise;
}
