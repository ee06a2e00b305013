import type { Database } from 'bun:sqlite';
import { NoteError } from '../../core/error.ts';
import type { Labels } from '../../core/group-labels.ts';
import type { Note, NoteFilter, NoteHead, PortableNote } from '../../core/note.ts';
import type { CreatedNote, EngineStats, Found, MergeResult, NoteOrigin, SearchOptions } from '../../core/store.ts';
import type { Write, WriteOutcome } from '../decide-write.ts';
import { createNoteChange, type NoteChange } from '../note-change.ts';
import type {
  ChangeCursor,
  ChangesSince,
  ListSnapshot,
  MergeOptions,
  NoteStorage,
  VersionsRange,
} from '../note-storage.ts';
import { retryWhileBusy } from '../retry-while-busy.ts';
import { filesOf, identityOf, sizeOf } from './database-files.ts';
import { DurableTransactions } from './durable-transactions.ts';
import { checkSchema } from './migrate-sqlite.ts';
import type { OpenDatabase } from './open-database.ts';
import { UncertainState } from './sqlite-errors.ts';
import { mergeNotes } from './sqlite-merge.ts';
import {
  countNotes,
  insertEndedSession,
  isSessionEnded,
  readLabels,
  readLastId,
  readNewest,
  readNewestHeads,
  readNote,
  readNotesCreatedAt,
  readOrigins,
  updateLabels,
} from './sqlite-reads.ts';
import { readShortList, SnapshotReader } from './sqlite-snapshots.ts';
import { Background } from './sqlite-worker-client.ts';
import { prepareVersionStatements, readVersions, type VersionStatements } from './version-statements.ts';
import { WriteAheadLog } from './write-ahead-log.ts';
import { type ExecuteWrite, prepareNoteStatements, tryWrites } from './write-executor.ts';

export interface SqliteContext {
  /** Clock in ms since 1970. */
  readonly now: () => number;
  /** Maximum number of versions stored per note; 0 stores none. */
  readonly maxVersions: number;
  /** Called once when the state on disk has become uncertain; the process should stop. */
  readonly onLost: (reason: unknown) => void;
}

/** How long a merge, or a write of anything but notes, waits for another program, in ms. */
const busyWaitMs = 5_000;
/** How long a trial waits for another program, in ms. */
const trialWaitMs = 1_000;
/** Commits of other programs are looked for at most this often, in ms: a look costs 2.5 µs. */
const lookIntervalMs = 1;
/** How often the files and waiting reads are checked, in ms. */
const checkIntervalMs = 1_000;

/**
 * Notes in an SQLite file, on one connection. Its log is synced off the event loop after each transaction. Nothing leaves
 * before all that it shows is on disk.
 */
export class SqliteStorage implements NoteStorage {
  readonly location: string;
  readonly hasChangeLog = true;
  readonly timeouts = { waitMs: 5_000, graceMs: 0, checkIntervalMs };
  readonly #opened: OpenDatabase;
  readonly #context: SqliteContext;
  readonly #isService: boolean;
  readonly #db: Database;
  readonly #transactions: DurableTransactions;
  readonly #versions: VersionStatements;
  readonly #executeWrite: ExecuteWrite;
  readonly #snapshots: SnapshotReader;
  /** Undefined if SQLite itself shortens the log. */
  readonly #log: WriteAheadLog | undefined;
  readonly #background = new Background();
  readonly #checkTimer: Timer;
  /** Device and inode of each file of a service; a journal is missing, and stays so. */
  readonly #files: readonly { readonly file: string; readonly identity: string | undefined }[];
  #checkpoint: Promise<void> | undefined;
  /** Resolves when the log is not being begun anew. */
  #logBegun: Promise<void> = Promise.resolve();

  constructor(opened: OpenDatabase, location: string, context: SqliteContext) {
    const { db, path, user, isSyncedByCommit } = opened;
    this.location = location;
    this.#opened = opened;
    this.#context = context;
    this.#isService = user === 'service';
    this.#db = db;
    this.#transactions = new DurableTransactions(opened, {
      onCommitted: () => this.#shortenLog(),
      onLost: context.onLost,
    });
    this.#versions = prepareVersionStatements(db, context.maxVersions);
    this.#executeWrite = prepareNoteStatements(db, this.#versions);
    this.#snapshots = new SnapshotReader(path, this.#transactions);
    this.#log = isSyncedByCommit ? undefined : new WriteAheadLog(db);
    this.#files = this.#isService ? filesOf(path).map((file) => ({ file, identity: identityOf(file) })) : [];
    this.#checkTimer = setInterval(() => {
      this.#checkFiles();
      this.#transactions.rejectLateReads();
    }, checkIntervalMs).unref();
  }

  commitBatch(dequeueWrites: () => readonly Write[]): Promise<readonly WriteOutcome[]> {
    return this.#transactions.run(() => {
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
    return retryWhileBusy(busyWaitMs, () =>
      this.#transactions.run(() => mergeNotes(this.#db, this.#versions, notes, { ...options, maxVersions })),
    );
  }

  updateLabels(labels: Labels): Promise<void> {
    return this.#runStatements(() => updateLabels(this.#db, labels));
  }

  insertEndedSessionAndDeleteExpired(id: string, endsAt: number, deleteBefore: number): Promise<void> {
    return this.#runStatements(() => insertEndedSession(this.#db, id, endsAt, deleteBefore));
  }

  #runStatements(execute: () => void): Promise<void> {
    const work = () => ({ result: execute(), shouldCommit: true });
    return retryWhileBusy(busyWaitMs, () => this.#transactions.run(work));
  }

  readListIfShort(filter: NoteFilter, maxLength: number): Promise<readonly Note[] | undefined> {
    return this.#transactions.read(() => readShortList(this.#db, filter, maxLength));
  }

  openListSnapshot(filter: NoteFilter): Promise<ListSnapshot> {
    return this.#snapshots.open(filter);
  }

  readNotesFingerprint(): Promise<string> {
    return this.#transactions.read(() => this.#transactions.changeLog.cursor);
  }

  readChangeCursor(): ChangeCursor {
    return this.#transactions.changeLog.cursor;
  }

  /** At once, but for the moment in which the log is begun anew. */
  readChangesSince(since: ChangeCursor | undefined): ChangesSince | Promise<ChangesSince> {
    return this.#transactions.guard(() => {
      this.#transactions.noticeOtherCommits(lookIntervalMs);
      const { undecided } = this.#transactions;
      if (undecided !== undefined) return undecided.then(() => this.readChangesSince(since));
      return this.#transactions.changeLog.readChanges(since);
    });
  }

  waitForPossibleChanges(since: ChangeCursor): Promise<void> {
    return this.#transactions.changeLog.waitForChanges(since);
  }

  readNote(id: number): Promise<Note | undefined> {
    return this.#transactions.read(() => readNote(this.#db, id));
  }

  readVersionsInRange(range: VersionsRange): Promise<readonly Note[]> {
    return this.#transactions.read(() => readVersions(this.#db, this.#context.maxVersions, range));
  }

  /** Scans the table: on the second thread, which may see commits that are not on disk as yet. */
  async readLastChanged(filter: NoteFilter, limit: number): Promise<Found> {
    if (!this.#isService) return this.#transactions.read(() => readNewest(this.#db, filter, limit));
    const found = await this.#scanInBackground((background, path) => background.ask('newest', path, filter, limit));
    return this.#transactions.read(() => found);
  }

  readLastChangedHeads(options: SearchOptions): Promise<Found<NoteHead>> {
    return this.#transactions.read(() => readNewestHeads(this.#db, options));
  }

  /** On the second thread, as `readLastChanged`. */
  async readCreatedNotesPage(times: readonly string[], after: number): Promise<readonly CreatedNote[]> {
    if (!this.#isService) return this.#transactions.read(() => readNotesCreatedAt(this.#db, times, after));
    const found = await this.#scanInBackground((background, path) => background.ask('createdAt', path, times, after));
    return this.#transactions.read(() => found);
  }

  readOriginsPage(after: number): Promise<readonly NoteOrigin[]> {
    return this.#transactions.read(() => readOrigins(this.#db, after));
  }

  readLabels(): Promise<Labels> {
    return this.#transactions.read(() => readLabels(this.#db));
  }

  readHighestAssignedId(): Promise<number> {
    return this.#transactions.read(() => readLastId(this.#db));
  }

  isSessionEnded(id: string): Promise<boolean> {
    return this.#transactions.read(() => isSessionEnded(this.#db, id));
  }

  async tryReadsAndWrites(): Promise<void> {
    this.#checkFiles();
    await this.#transactions.read(() => checkSchema(this.#db));
    const work = () => ({ result: tryWrites(this.#executeWrite), shouldCommit: false });
    await retryWhileBusy(trialWaitMs, () => this.#transactions.run(work, 'trial'));
  }

  async readStats(): Promise<EngineStats> {
    const { path } = this.#opened;
    const notes = await (this.#isService
      ? this.#scanInBackground((background, path) => background.ask('count', path))
      : this.#transactions.read(() => countNotes(this.#db)));
    return { notes, databaseBytes: sizeOf(path), walBytes: sizeOf(`${path}-wal`) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transactions.runExclusive(async () => {}).catch(() => {}); // after the last transaction
    await this.#checkpoint;
    clearInterval(this.#checkTimer);
    this.#transactions[Symbol.dispose]();
    this.#snapshots[Symbol.dispose]();
    await this.#background[Symbol.asyncDispose]();
    this.#opened.resources[Symbol.dispose]();
  }

  /** Begins a checkpoint if the log is long. */
  #shortenLog(): void {
    if (!this.#log?.isLong()) return;
    this.#checkFiles(); // the second thread must not copy the log into another file
    const copy = () => this.#inBackground((background, path) => background.ask('copyLog', path));
    const beginAnew = () => {
      const begun = this.#transactions.runExclusive(() => this.#beginLogAnew());
      this.#logBegun = begun.catch(() => {});
      return begun;
    };
    // a full disk fails it: it is tried again later. What is worse has stopped the store
    this.#checkpoint = this.#log.checkpoint({ copy, beginAnew }).catch(() => {});
  }

  /** Between two transactions. In the next one of ours, SQLite would sync the header of the log on the event loop. */
  async #beginLogAnew(): Promise<void> {
    const before = await this.#inBackground((background, path) => background.ask('beginLog', path));
    const commit = () => this.#inBackground((background, path) => background.ask('commitLog', path));
    const isAlone = async () =>
      before === (await this.#inBackground((background, path) => background.ask('dataVersion', path)));
    await this.#transactions.overlookCommit(commit, isAlone);
  }

  /**
   * Scans on the second thread, not while the log is begun anew: writes, and lists for a moment, wait for the jobs of
   * that, and would wait for a scan between them, too.
   */
  async #scanInBackground<Result>(ask: (background: Background, path: string) => Promise<Result>): Promise<Result> {
    await this.#logBegun;
    return this.#inBackground(ask);
  }

  /** Runs a job on the second thread. */
  #inBackground<Result>(ask: (background: Background, path: string) => Promise<Result>): Promise<Result> {
    return ask(this.#background, this.#opened.path).catch((error) =>
      Promise.reject(this.#transactions.toNoteError(error, 'read')),
    );
  }

  /** Fails the store if its files are gone: SQLite itself keeps writing to deleted ones. */
  #checkFiles(): void {
    const moved = this.#files.find(({ file, identity }) => identityOf(file) !== identity);
    if (moved)
      this.#transactions.failStore(new UncertainState(`${moved.file} was deleted or replaced while the service ran`));
  }
}
