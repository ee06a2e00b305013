import type { Database } from 'bun:sqlite';
import { NoteError } from '../../core/error.ts';
import type { Note, NoteFilter, NoteHead, PortableNote } from '../../core/note.ts';
import type { CreatedNote, EngineStats, Found, MergeResult, NoteOrigin, SearchOptions } from '../../core/store.ts';
import type { StoredLabels } from '../../core/value-labels.ts';
import type { Write, WriteResult } from '../decide-write.ts';
import { createNoteChange, type NoteChange } from '../note-change.ts';
import type {
  ChangeCursor,
  ChangesSince,
  ListSnapshot,
  MergeOptions,
  NoteStorage,
  VersionsRange,
} from '../note-storage.ts';
import { retryWhileDatabaseBusy } from '../retry-while-database-busy.ts';
import { CheckpointScheduler } from './checkpoint-scheduler.ts';
import { findFileIdentity, listDatabaseFiles, readFileSizeOrZero } from './database-files.ts';
import { DurableTransactions } from './durable-transactions.ts';
import type { OpenSqliteDatabase } from './open-sqlite-database.ts';
import { assertCurrentSchema } from './schema-checks.ts';
import { DatabaseFileReplacedError } from './sqlite-errors.ts';
import { mergeNotesInOpenTransaction } from './sqlite-merge.ts';
import { createWriteExecutor, type ExecuteWrite, insertAndUpdateTrialNote } from './sqlite-note-writes.ts';
import {
  countAllNotes,
  isSignInSessionEnded,
  readCreatedNotesPage,
  readExistingIds,
  readHighestAssignedId,
  readLabels,
  readLastChangedHeadsAndTotal,
  readLastChangedNotesAndTotal,
  readNote,
  readOriginsPage,
  readPinnedIds,
} from './sqlite-reads.ts';
import {
  insertEndedSessionAndDeleteExpired,
  replacePinnedIdsIfExpected,
  upsertLabels,
} from './sqlite-settings-writes.ts';
import { readListIfWithinChars, SqliteListReader } from './sqlite-snapshots.ts';
import { createVersionOperations, readVersionsPage, type VersionOperations } from './sqlite-versions.ts';
import type { SqliteWorkerMethods } from './sqlite-worker.ts';
import { SqliteWorkerClient } from './sqlite-worker-client.ts';

export interface SqliteContext {
  /** Clock in ms since 1970. */
  readonly now: () => number;
  /** Maximum number of versions stored per note; 0 stores none. */
  readonly maxVersions: number;
  /** Called once when the state on disk has become uncertain; the process should stop. */
  readonly onLost: (reason: unknown) => void;
}

type WorkerMethod = keyof SqliteWorkerMethods;
type WorkerArgs<Name extends WorkerMethod> = Parameters<SqliteWorkerMethods[Name]>;

/** How long a merge, or a write of anything but notes, is retried while another program holds the database, in ms. */
const busyWaitMs = 5_000;
/** How long a trial write is retried while another program holds the database, in ms. */
const trialWaitMs = 1_000;
/** Lists look for commits of other programs at most this often, in ms: it costs 2.5 µs. */
const minLookIntervalMs = 1;
/** How often the files and waiting reads are checked, in ms. */
const checkIntervalMs = 1_000;

/**
 * Notes in an SQLite file. One connection writes and reads; scans and checkpoints run on connections of a worker, and
 * long lists are read on connections of their own. After each transaction the write-ahead log is synced without
 * blocking the event loop, and no result is returned before everything that it shows is on disk.
 */
export class SqliteStorage implements NoteStorage {
  readonly location: string;
  readonly hasChangeLog = true;
  readonly timeouts = { waitMs: 5_000, graceMs: 0, checkIntervalMs };
  readonly #opened: OpenSqliteDatabase;
  readonly #context: SqliteContext;
  readonly #isService: boolean;
  readonly #db: Database;
  readonly #transactions: DurableTransactions;
  readonly #versions: VersionOperations;
  readonly #executeWrite: ExecuteWrite;
  readonly #snapshots: SqliteListReader;
  /** Undefined if SQLite itself runs checkpoints. */
  readonly #checkpoints: CheckpointScheduler | undefined;
  readonly #worker = new SqliteWorkerClient();
  readonly #checkTimer: Timer;
  /** Device and inode of each file of a service. A journal has none, as it is missing while the log is used. */
  readonly #files: readonly { readonly file: string; readonly identity: string | undefined }[];
  /** Resolves when the newest checkpoint has ended. */
  #checkpointEnd: Promise<void> | undefined;
  /** Resolves when no restart of the log is under way. */
  #restartEnd: Promise<void> = Promise.resolve();

  constructor(opened: OpenSqliteDatabase, location: string, context: SqliteContext) {
    const { db, path, openedBy, isSyncedByCommit } = opened;
    this.location = location;
    this.#opened = opened;
    this.#context = context;
    this.#isService = openedBy === 'service';
    this.#db = db;
    this.#transactions = new DurableTransactions(opened, {
      onCommitted: () => this.#startCheckpointIfDue(),
      onLost: context.onLost,
    });
    this.#versions = createVersionOperations(db, context.maxVersions);
    this.#executeWrite = createWriteExecutor(db, this.#versions);
    this.#snapshots = new SqliteListReader(path, this.#transactions);
    this.#checkpoints = isSyncedByCommit ? undefined : new CheckpointScheduler(db);
    this.#files = this.#isService
      ? listDatabaseFiles(path).map((file) => ({ file, identity: findFileIdentity(file) }))
      : [];
    this.#checkTimer = setInterval(() => {
      this.#failStoreIfFilesReplaced();
      this.#transactions.readBarrier.rejectReadsIfCommitOverdue();
    }, checkIntervalMs).unref();
  }

  dequeueAndCommitBatch(dequeueWrites: () => readonly Write[]): Promise<readonly WriteResult[]> {
    return this.#transactions.runTransaction(() => {
      const now = this.#context.now();
      const changes: NoteChange[] = [];
      const result = dequeueWrites().map((write) => {
        const outcome = this.#executeWrite(write, now);
        if (outcome instanceof NoteError) return outcome;
        changes.push(createNoteChange(outcome.note, outcome.before));
        return outcome.note;
      });
      return { result, changes, shouldCommit: changes.length > 0 };
    });
  }

  merge(notes: readonly PortableNote[], options: MergeOptions): Promise<readonly MergeResult[]> {
    const { maxVersions } = this.#context;
    return retryWhileDatabaseBusy(busyWaitMs, () =>
      this.#transactions.runTransaction(() =>
        mergeNotesInOpenTransaction(this.#db, this.#versions, notes, { ...options, maxVersions }),
      ),
    );
  }

  updateLabels(change: (stored: StoredLabels) => StoredLabels): Promise<StoredLabels> {
    return this.#runWriteWithRetries(() => {
      const labels = change(readLabels(this.#db));
      upsertLabels(this.#db, labels);
      return labels;
    });
  }

  replacePinnedIdsIfExpected(ids: readonly number[], expectedIds?: readonly number[]): Promise<boolean> {
    return this.#runWriteWithRetries(() => replacePinnedIdsIfExpected(this.#db, ids, expectedIds));
  }

  insertEndedSessionAndDeleteExpired(id: string, endsAt: number, deleteBefore: number): Promise<void> {
    return this.#runWriteWithRetries(() => insertEndedSessionAndDeleteExpired(this.#db, id, endsAt, deleteBefore));
  }

  #runWriteWithRetries<Result>(execute: () => Result): Promise<Result> {
    const work = () => ({ result: execute(), shouldCommit: true });
    return retryWhileDatabaseBusy(busyWaitMs, () => this.#transactions.runTransaction(work));
  }

  readListIfWithinChars(filter: NoteFilter, maxLength: number): Promise<readonly Note[] | undefined> {
    return this.#transactions.readWhenDurable(() => readListIfWithinChars(this.#db, filter, maxLength));
  }

  openListSnapshot(filter: NoteFilter): Promise<ListSnapshot> {
    return this.#snapshots.openListSnapshot(filter);
  }

  readNotesFingerprintIfLogged(): Promise<string> {
    return this.#transactions.readWhenDurable(() => this.#transactions.changeLog.cursor);
  }

  readChangeCursor(): ChangeCursor {
    return this.#transactions.changeLog.cursor;
  }

  /** Returns at once, unless the log is being restarted. */
  readChangesAndCursorSince(since: ChangeCursor | undefined): ChangesSince | Promise<ChangesSince> {
    return this.#transactions.runUnlessClosed(() => {
      this.#transactions.forgetChangesIfOthersCommitted(minLookIntervalMs);
      const { pendingCommitCheck, changeLog } = this.#transactions;
      if (pendingCommitCheck !== undefined) return pendingCommitCheck.then(() => this.readChangesAndCursorSince(since));
      return changeLog.getChangesSince(since);
    });
  }

  waitForPossibleChanges(since: ChangeCursor): Promise<void> {
    return this.#transactions.changeLog.waitForPossibleChanges(since);
  }

  readNote(id: number): Promise<Note | undefined> {
    return this.#transactions.readWhenDurable(() => readNote(this.#db, id));
  }

  readVersionsPage(range: VersionsRange): Promise<readonly Note[]> {
    return this.#transactions.readWhenDurable(() => readVersionsPage(this.#db, this.#context.maxVersions, range));
  }

  /** Scans the table on the worker. It may see commits that are not on disk yet, so the result waits for them. */
  async readLastChangedNotesAndTotal(filter: NoteFilter, limit: number): Promise<Found> {
    if (!this.#isService)
      return this.#transactions.readWhenDurable(() => readLastChangedNotesAndTotal(this.#db, filter, limit));
    const found = await this.#scanOnWorker('readLastChangedNotesAndTotal', [this.#opened.path, filter, limit]);
    return this.#transactions.readWhenDurable(() => found);
  }

  readLastChangedHeadsAndTotal(options: SearchOptions): Promise<Found<NoteHead>> {
    return this.#transactions.readWhenDurable(() => readLastChangedHeadsAndTotal(this.#db, options));
  }

  /** Scans the table on the worker, as `readLastChangedNotesAndTotal` does. */
  async readCreatedNotesPage(times: readonly string[], after: number): Promise<readonly CreatedNote[]> {
    if (!this.#isService) return this.#transactions.readWhenDurable(() => readCreatedNotesPage(this.#db, times, after));
    const found = await this.#scanOnWorker('readCreatedNotesPage', [this.#opened.path, times, after]);
    return this.#transactions.readWhenDurable(() => found);
  }

  readOriginsPage(after: number): Promise<readonly NoteOrigin[]> {
    return this.#transactions.readWhenDurable(() => readOriginsPage(this.#db, after));
  }

  readLabels(): Promise<StoredLabels> {
    return this.#transactions.readWhenDurable(() => readLabels(this.#db));
  }

  readPinnedIds(): Promise<readonly number[]> {
    return this.#transactions.readWhenDurable(() => readPinnedIds(this.#db));
  }

  readExistingIds(ids: readonly number[]): Promise<readonly number[]> {
    return this.#transactions.readWhenDurable(() => readExistingIds(this.#db, ids));
  }

  readHighestAssignedId(): Promise<number> {
    return this.#transactions.readWhenDurable(() => readHighestAssignedId(this.#db));
  }

  isSignInSessionEnded(id: string): Promise<boolean> {
    return this.#transactions.readWhenDurable(() => isSignInSessionEnded(this.#db, id));
  }

  async assertReadableAndWritable(): Promise<void> {
    this.#failStoreIfFilesReplaced();
    await this.#transactions.readWhenDurable(() => assertCurrentSchema(this.#db));
    const work = () => ({ result: insertAndUpdateTrialNote(this.#executeWrite), shouldCommit: false });
    await retryWhileDatabaseBusy(trialWaitMs, () => this.#transactions.runTransaction(work, 'trial'));
  }

  async readStats(): Promise<EngineStats> {
    const { path } = this.#opened;
    const notes = await (this.#isService
      ? this.#scanOnWorker('countNotes', [path])
      : this.#transactions.readWhenDurable(() => countAllNotes(this.#db)));
    return { notes, databaseBytes: readFileSizeOrZero(path), walBytes: readFileSizeOrZero(`${path}-wal`) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#checkpointEnd;
    await this.#transactions.waitUntilIdle();
    clearInterval(this.#checkTimer);
    this.#transactions[Symbol.dispose]();
    this.#snapshots[Symbol.dispose]();
    await this.#worker[Symbol.asyncDispose]();
    this.#opened.resources[Symbol.dispose]();
  }

  #startCheckpointIfDue(): void {
    if (!this.#checkpoints?.countPagesAndDecideIfDue()) return;
    const { path } = this.#opened;
    this.#failStoreIfFilesReplaced(); // the worker must not copy the log into another file
    const copyPages = () => this.#requestOfWorker('copyLogAndPreventRestart', [path]);
    const syncCopiedPages = () => this.#transactions.syncDatabaseFile();
    const restart = () => {
      const restarted = this.#transactions.runInTurn(() => this.#restartLog());
      this.#restartEnd = restarted.catch(() => {});
      return restarted;
    };
    // it fails on a full disk, and is tried again after a later commit; a worse error has failed the store
    this.#checkpointEnd = this.#checkpoints.runCheckpointSteps({ copyPages, syncCopiedPages, restart }).catch(() => {});
  }

  /** Runs while no transaction does: the next one would restart the log else, and sync its header on the event loop. */
  async #restartLog(): Promise<void> {
    const { path } = this.#opened;
    const versionBefore = await this.#requestOfWorker('prepareLogRestart', [path]);
    const commit = () => this.#requestOfWorker('commitLogRestart', [path]);
    const isOnlyCommit = async () => versionBefore === (await this.#requestOfWorker('readDataVersion', [path]));
    await this.#transactions.runWorkerCommitWithoutForgettingChanges(commit, isOnlyCommit);
  }

  /**
   * Requests a scan once no restart of the log is under way: writes, and lists for a cursor, wait for the requests of a
   * restart, and would wait for a scan between these, too.
   */
  async #scanOnWorker<Name extends WorkerMethod>(method: Name, args: WorkerArgs<Name>) {
    await this.#restartEnd;
    return this.#requestOfWorker(method, args);
  }

  /** Requests a method of the worker. Throws `NoteError`, and fails the store if its state on disk is uncertain. */
  #requestOfWorker<Name extends WorkerMethod>(method: Name, args: WorkerArgs<Name>) {
    return this.#worker
      .request(method, args)
      .catch((error) => Promise.reject(this.#transactions.failStoreIfUncertainAndConvert(error, 'read')));
  }

  /** SQLite itself goes on writing to files that were deleted. */
  #failStoreIfFilesReplaced(): void {
    const replaced = this.#files.find(({ file, identity }) => findFileIdentity(file) !== identity);
    if (replaced === undefined) return;
    const reason = `${replaced.file} was deleted or replaced while the service ran`;
    this.#transactions.failStore(new DatabaseFileReplacedError(reason));
  }
}
