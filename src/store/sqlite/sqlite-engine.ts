import type { Database } from 'bun:sqlite';
import { NoteError } from '../../core/error.ts';
import type { Labels } from '../../core/labels.ts';
import * as message from '../../core/message.ts';
import type { Note, NoteDraft, NoteFilter, NoteHead, NotePatch, PortableNote } from '../../core/note.ts';
import type {
  CreatedNote,
  EngineStats,
  Found,
  IfMatch,
  JsonList,
  MergeResult,
  NoteEngine,
  NoteOrigin,
  SearchOptions,
} from '../../core/store.ts';
import { CommitQueue } from '../commit-queue.ts';
import type { Write } from '../decide-write.ts';
import { endedSessionGraceMs } from '../engine.ts';
import { type VersionsRange, versionsInBatches } from '../history.ts';
import type { RecentChanges } from '../recent-changes.ts';
import { Background } from './background.ts';
import type { OpenDatabase } from './database.ts';
import { filesOf, identityOf, sizeOf } from './database-files.ts';
import { UncertainState } from './failure.ts';
import { checkSchema } from './migrate.ts';
import { SqliteLists } from './sqlite-lists.ts';
import { WriteAheadLog } from './sqlite-log.ts';
import { merge } from './sqlite-merge.ts';
import {
  continueAfter,
  countNotes,
  insertEndedSession,
  isSessionEnded,
  lastIdOf,
  putLabels,
  readCreatedAt,
  readLabels,
  readNewest,
  readNewestHeads,
  readNote,
  readOrigins,
} from './sqlite-reads.ts';
import { type SqliteContext, Transactions } from './sqlite-transactions.ts';
import { readVersions } from './sqlite-versions.ts';

/** Commits of other programs are looked for at most this often, in ms: a look costs 2.5 µs. */
const lookMs = 1;
/** How long a trial waits for another program, in ms. */
const trialMs = 1_000;
/** How often the files and waiting requests are checked, in ms. */
const tickMs = 1_000;

/**
 * Notes in an SQLite file, on one connection. The writes that have arrived make one transaction; its log is synced off
 * the event loop; then they become visible and are answered, and the next transaction begins. Nothing leaves before
 * all that it shows is on disk.
 */
export class SqliteEngine implements NoteEngine {
  readonly location: string;
  readonly feed: RecentChanges;
  readonly #opened: OpenDatabase;
  readonly #isService: boolean;
  readonly #db: Database;
  readonly #queue: CommitQueue<Write, Note>;
  readonly #transactions: Transactions;
  readonly #lists: SqliteLists;
  /** Undefined if SQLite itself shortens the log. */
  readonly #log: WriteAheadLog | undefined;
  readonly #background = new Background();
  readonly #tick: Timer;
  /** Device and inode of each file of a service; a journal is missing, and stays so. */
  readonly #files: readonly { readonly file: string; readonly identity: string | undefined }[];
  #checkpoint: Promise<void> | undefined;
  /** Resolves when the log is not being begun anew. */
  #logBegun: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(opened: OpenDatabase, location: string, context: SqliteContext) {
    const { db, path, user, isSyncedByCommit } = opened;
    this.location = location;
    this.#opened = opened;
    this.#isService = user === 'service';
    this.#db = db;
    this.#transactions = new Transactions(opened, { ...context, onShown: () => this.#shortenLog() });
    this.#queue = new CommitQueue((writes) => this.#transactions.commit(writes));
    this.#log = isSyncedByCommit ? undefined : new WriteAheadLog(db);
    this.#lists = new SqliteLists(opened, this.#transactions);
    this.feed = this.#transactions.feed;
    this.#files = this.#isService ? filesOf(path).map((file) => ({ file, identity: identityOf(file) })) : [];
    this.#tick = setInterval(() => {
      this.#checkFiles();
      this.#queue.expire();
      this.#transactions.expire();
    }, tickMs).unref();
  }

  create(draft: NoteDraft): Promise<Note> {
    return this.#queue.submit({ kind: 'create', draft });
  }

  update(id: number, change: NotePatch, ifMatch?: IfMatch): Promise<Note> {
    return this.#queue.submit({ kind: 'change', id, change, ...(ifMatch && { ifMatch }) });
  }

  setArchived(id: number, archived: boolean, ifMatch?: IfMatch): Promise<Note> {
    return this.#queue.submit({ kind: 'change', id, change: { archived }, ...(ifMatch && { ifMatch }) });
  }

  async get(id: number): Promise<Note> {
    const note = await this.#transactions.read(() => readNote(this.#db, id));
    if (note === undefined) throw new NoteError('not_found', message.noSuchNote(id));
    return note;
  }

  listJson(filter: NoteFilter, known: readonly string[] = []): JsonList | Promise<JsonList> {
    return this.#transactions.guarded(() => {
      this.#transactions.noticeOtherCommits(lookMs);
      const { undecided } = this.#transactions;
      if (undecided !== undefined) return undecided.then(() => this.listJson(filter, known));
      return this.#lists.answer(filter, known);
    });
  }

  async *scan(filter: NoteFilter = {}): AsyncGenerator<readonly Note[], void, void> {
    this.#transactions.guarded(() => {});
    yield* this.#lists.scan(filter);
  }

  async list(filter: NoteFilter = {}): Promise<Note[]> {
    return (await Array.fromAsync(this.scan(filter))).flat();
  }

  history(id: number, limit?: number): AsyncGenerator<readonly Note[], void, void> {
    return versionsInBatches(this.#readVersions, { id, limit, check: () => this.get(id) });
  }

  scanVersions(): AsyncGenerator<readonly Note[], void, void> {
    return versionsInBatches(this.#readVersions);
  }

  readonly #readVersions = (range: VersionsRange) =>
    this.#transactions.read(() => readVersions(this.#db, this.#transactions.versions.max, range));

  origins(after: number): Promise<readonly NoteOrigin[]> {
    return this.#transactions.read(() => readOrigins(this.#db, after));
  }

  /** On the second thread, as `newest`. */
  async findCreatedAt(times: readonly string[], after: number): Promise<readonly CreatedNote[]> {
    if (!this.#isService) return this.#transactions.read(() => readCreatedAt(this.#db, times, after));
    const found = await this.#scanInBackground((background, path) => background.ask('createdAt', path, times, after));
    return this.#transactions.read(() => found);
  }

  newestHeads(options: SearchOptions): Promise<Found<NoteHead>> {
    return this.#transactions.read(() => readNewestHeads(this.#db, options));
  }

  /** Scans the table: on the second thread, which may see commits that are not on disk as yet. */
  async newest(filter: NoteFilter, limit: number): Promise<Found> {
    if (!this.#isService) return this.#transactions.read(() => readNewest(this.#db, filter, limit));
    const found = await this.#scanInBackground((background, path) => background.ask('newest', path, filter, limit));
    return this.#transactions.read(() => found);
  }

  labels(): Promise<Labels> {
    return this.#transactions.read(() => readLabels(this.#db));
  }

  setLabels(labels: Labels): Promise<Labels> {
    const put = () => {
      putLabels(this.#db, labels);
      return { result: labels, isStored: true };
    };
    return this.#queue.alone(() => this.#transactions.run(put));
  }

  endSession(id: string, endsAt: number): Promise<void> {
    const insert = () => {
      insertEndedSession(this.#db, id, endsAt, Date.now() - endedSessionGraceMs);
      return { result: undefined, isStored: true };
    };
    return this.#queue.alone(() => this.#transactions.run(insert));
  }

  isSessionEnded(id: string): Promise<boolean> {
    return this.#transactions.read(() => isSessionEnded(this.#db, id));
  }

  merge(notes: readonly PortableNote[], { dryRun = false, lastId = 0 } = {}): Promise<readonly MergeResult[]> {
    const work = async () => {
      const { isStored, ...merged } = await merge(this.#db, this.#transactions.versions, notes);
      if (lastId > 0) continueAfter(this.#db, lastId);
      return { ...merged, isStored: (isStored || lastId > 0) && !dryRun };
    };
    return this.#queue.alone(() => this.#transactions.run(work));
  }

  lastId(): Promise<number> {
    return this.#transactions.read(() => lastIdOf(this.#db));
  }

  async check(): Promise<void> {
    this.#checkFiles();
    await this.#transactions.read(() => checkSchema(this.#db));
    await this.#queue.alone(() => this.#transactions.tryWrites(), trialMs);
  }

  async stats(): Promise<EngineStats> {
    const { path } = this.#opened;
    const notes = await (this.#isService
      ? this.#scanInBackground((background, path) => background.ask('count', path))
      : this.#transactions.read(() => countNotes(this.#db)));
    return { notes, databaseBytes: sizeOf(path), walBytes: sizeOf(`${path}-wal`) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#queue.close();
    await this.#checkpoint;
    clearInterval(this.#tick);
    this.#transactions[Symbol.dispose]();
    this.#lists[Symbol.dispose]();
    await this.#background[Symbol.asyncDispose]();
    this.#opened.resources[Symbol.dispose]();
  }

  /** Begins a checkpoint if the log is long. */
  #shortenLog(): void {
    if (!this.#log?.isLong()) return;
    this.#checkFiles(); // the second thread must not copy the log into another file
    const copy = () => this.#inBackground((background, path) => background.ask('copyLog', path));
    const beginAnew = () => {
      const begun = this.#queue.alone(() => this.#beginLogAnew());
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
      Promise.reject(this.#transactions.failed(error, 'read')),
    );
  }

  /** Gives up the store if its files are gone: SQLite itself keeps writing to deleted ones. */
  #checkFiles(): void {
    const moved = this.#files.find(({ file, identity }) => identityOf(file) !== identity);
    if (moved)
      this.#transactions.lose(new UncertainState(`${moved.file} was deleted or replaced while the service ran`));
  }
}
