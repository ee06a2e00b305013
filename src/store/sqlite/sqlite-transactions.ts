/** What commits notes: begins a transaction, decides and writes, syncs, and shows what was written. */
import type { Database, Statement } from 'bun:sqlite';
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { draftFields } from '../../core/enums.ts';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/message.ts';
import type { Note } from '../../core/note.ts';
import {
  type Create,
  type Decision,
  decideChange,
  newNote,
  type Outcome,
  type UpdateWrite,
  type Write,
} from '../decide-write.ts';
import type { EngineContext } from '../engine.ts';
import { ListCache } from '../lists.ts';
import * as storeMessage from '../message.ts';
import { RecentChanges } from '../recent-changes.ts';
import { columns, noteOf } from '../row.ts';
import { syncLog } from '../sync.ts';
import type { OpenDatabase } from './database.ts';
import { type During, failureOf, noteErrorOf, storeLostError } from './failure.ts';
import { recoverLog } from './recover-log.ts';
import { dataVersionOf, type StoredRow } from './sqlite-reads.ts';
import { prepareVersions, type Versions } from './sqlite-versions.ts';

/** Reads wait this long for a disk that hangs, in ms. */
const syncWaitMs = 5_000;

/** A stored note, and its state before, if any. */
export interface Written {
  readonly note: Note;
  readonly before: Note | undefined;
}

/** What a transaction did. Nothing is committed unless it stored something. */
export interface Work<Result> {
  readonly result: Result;
  readonly isStored: boolean;
  readonly written?: readonly Written[];
}

export interface SqliteContext extends EngineContext {
  /** Clock in ms since 1970. */
  readonly now: () => number;
  /** Called once when the state on disk has become uncertain; the process should stop. */
  readonly onLost: (reason: unknown) => void;
}

interface TransactionsContext extends SqliteContext {
  /** Called when a transaction is on disk, and shown. */
  readonly onShown: () => void;
}

/**
 * Transactions on the only connection that writes, one at a time, and reads beside them. Nothing that is read or shown
 * leaves before it is on disk.
 */
export class Transactions implements Disposable {
  /** What readers see without a look at the database. */
  readonly cache: ListCache;
  readonly feed = new RecentChanges(async () => this.noticeOtherCommits());
  readonly versions: Versions;
  readonly #context: TransactionsContext;
  readonly #db: Database;
  readonly #write: ReturnType<typeof prepareWrites>;
  /** Of the write-ahead log, if commits do not sync it (`synchronous = NORMAL`). */
  readonly #logFd: number | undefined;
  /** The transaction that is not on disk as yet, since when, and what waits for it. */
  #open: (PromiseWithResolvers<void> & { readonly since: number }) | undefined;
  /** Why requests are refused: the store is closed, or its state on disk is uncertain. */
  #refusal: NoteError | undefined;
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

  constructor(opened: OpenDatabase, context: TransactionsContext) {
    const { db, path, user, isSyncedByCommit, needsRecovery } = opened;
    this.#context = context;
    this.#db = db;
    this.#path = path;
    this.#isCommand = user === 'command';
    this.#needsRecovery = needsRecovery;
    this.versions = prepareVersions(db, context.maxVersions);
    this.#write = prepareWrites(db, this.versions);
    this.cache = new ListCache(context.cacheBytes);
    this.#dataVersion = dataVersionOf(db);
    if (isSyncedByCommit) return;
    this.#logFd = openSync(`${path}-wal`, 'r+');
    fdatasyncSync(this.#logFd); // a killed service may have left commits that are not on disk
  }

  /** Resolves when the open transaction has ended; undefined if there is none. */
  get unsynced(): Promise<void> | undefined {
    return this.#open?.promise;
  }

  /** Commits writes that arrived together. Resolves with their outcomes once they are on disk. Throws `NoteError`. */
  async commit(writes: readonly Write[]): Promise<readonly Outcome[]> {
    const started = performance.now();
    const outcomes = await this.run(() => {
      const now = this.#context.now();
      const results = writes.map((write) => this.#write(write, now));
      const written = results.filter(isWritten);
      const result = results.map((one) => (isWritten(one) ? one.note : one));
      return { result, written, isStored: written.length > 0 };
    });
    this.#context.onCommit(writes.length, (performance.now() - started) / 1000);
    return outcomes;
  }

  /** Creates and changes a note, and rolls back. Throws `NoteError` if notes cannot be written. */
  tryWrites(): Promise<void> {
    return this.run(() => ({ result: tryWrites(this.#write), isStored: false }), 'trial');
  }

  /** Runs work in one transaction. Resolves once it is on disk, and shown. Throws `NoteError`. */
  async run<Result>(work: () => Work<Result> | Promise<Work<Result>>, during: During = 'write'): Promise<Result> {
    const open = this.guarded(() => this.#begin(during), during);
    try {
      this.noticeOtherCommits(); // before anything is read
      const { result, isStored, written = [] } = await work();
      if (!this.#db.inTransaction)
        throw new NoteError('unavailable', storeMessage.rolledBackByTrigger, { outcome: 'none' });
      if (!isStored) {
        this.#db.query('ROLLBACK').run(); // no other program waits for the sync
        this.syncSnapshot();
        return result;
      }
      this.#db.query('COMMIT').run();
      await this.sync();
      for (const { note, before } of written) this.cache.applyWrite(note, before);
      this.feed.add(written.map(({ note }) => note));
      this.#context.onShown();
      return result;
    } catch (error) {
      throw this.failed(error, during);
    } finally {
      if (this.#db.inTransaction) this.#db.run('ROLLBACK');
      this.#open = undefined;
      open.resolve();
    }
  }

  /**
   * Waits for a commit of the second thread that changes no note, and that the next look would take for one of another
   * program. `isAlone` tells whether there was none of those since the transaction began. Meanwhile reads wait, as for a
   * commit of ours. Cached lists are shown as they were until a commit is seen: see `undecided`.
   */
  async overlookCommit(commit: () => Promise<unknown>, isAlone: () => Promise<boolean>): Promise<void> {
    const open = this.#hold();
    try {
      try {
        this.guarded(() => this.noticeOtherCommits()); // while that transaction keeps others from committing
        this.#overlooking = Promise.withResolvers();
      } finally {
        await commit(); // or it would keep us, too
      }
      const version = this.guarded(() => dataVersionOf(this.#db));
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
    if (this.#overlooking === undefined || dataVersionOf(this.#db) === this.#dataVersion) return undefined;
    return this.#overlooking.promise;
  }

  /** Resolves once all commits before the call are on disk: off the event loop, unless each commit waits for it. */
  async sync(): Promise<void> {
    if (this.#logFd === undefined) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    fdatasync(this.#logFd, (error) => (error ? reject(error) : resolve()));
    return promise;
  }

  /**
   * Commits of other programs may have changed any note. Looks for them, unless it did less than `sinceMs` ago, or the
   * second thread commits (see `undecided`).
   */
  noticeOtherCommits(sinceMs = 0): void {
    const now = performance.now();
    if (this.#overlooking !== undefined || now - this.#lookedAt < sinceMs) return;
    this.#lookedAt = now;
    const version = dataVersionOf(this.#db);
    if (version === this.#dataVersion) return;
    this.#dataVersion = version;
    this.cache.clear();
    this.feed.invalidate();
  }

  /** Reads from the database once all that it shows is on disk. */
  async read<Result>(work: () => Result): Promise<Result> {
    while (this.#open) await this.#open.promise;
    return this.readNow(work);
  }

  /** Reads from the database while all commits are on disk. */
  readNow<Result>(work: () => Result): Result {
    return this.guarded(() => {
      const found = this.#readSnapshot(work);
      this.syncSnapshot();
      return found;
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
  syncSnapshot(): void {
    if (!this.#isCommand) return;
    this.noticeOtherCommits();
    if (this.#syncedVersion === this.#dataVersion) return;
    syncLog(this.#path);
    this.#syncedVersion = this.#dataVersion;
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
    this.#refusal = storeLostError(reason);
    this.#context.onLost(reason);
  }

  /** Refuses further requests. */
  [Symbol.dispose](): void {
    this.#refusal ??= new NoteError('busy', message.storeClosed);
    if (this.#logFd !== undefined) closeSync(this.#logFd);
  }

  /** Ends the wait of reads for a disk that hangs. Call it about once a second. */
  expire(): void {
    if (this.#open === undefined || performance.now() - this.#open.since < syncWaitMs) return;
    this.#open.reject(new NoteError('unavailable', message.storeNotRead, { outcome: 'none', retry: true }));
  }

  #begin(during: During) {
    if (this.#needsRecovery && during === 'write') {
      recoverLog(this.#db, this.#path, this.#logFd);
      this.#needsRecovery = false;
    }
    this.#db.query('BEGIN IMMEDIATE').run();
    return this.#hold();
  }

  /** Holds up reads until it is resolved. */
  #hold() {
    const open = { ...Promise.withResolvers<void>(), since: performance.now() };
    open.promise.catch(() => {}); // there may be no reader
    this.#open = open;
    return open;
  }
}

type Value = string | number | null;

const changeable = [...draftFields, 'archived'] as const;

/** Prepares the statements of single writes within the open transaction. */
function prepareWrites(db: Database, versions: Versions) {
  const insert = db.prepare<never, Value[]>(
    'INSERT INTO notes (title, content, category, "group", color, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const select = db.prepare<StoredRow, [id: number]>(`SELECT ${columns}, version_id FROM notes WHERE id = ?`);
  const updates = new Map<string, Statement<never, Value[]>>();

  function create({ draft }: Create, now: number): Written | NoteError {
    const { title, content, category, group, color } = draft;
    const id = Number(insert.run(title, content, category, group, color, now, now).lastInsertRowid);
    if (!Number.isSafeInteger(id)) throw new NoteError('unavailable', storeMessage.idsExhausted, { outcome: 'none' });
    return { note: newNote(id, draft, now), before: undefined };
  }

  function change(write: UpdateWrite, now: number): Written | NoteError {
    const [row] = select.all(write.id);
    const before = row && noteOf(row);
    const decision = decideChange(before, write, now);
    if (decision instanceof NoteError) return decision;
    if (row !== undefined && before !== undefined) update(row, before, decision);
    return { note: decision.note, before };
  }

  /** Writes the columns that differ only: others cost no change of the index. */
  function update(row: StoredRow, before: Note, { note, version }: Decision): void {
    const fields = changeable.filter((field) => note[field] !== before[field]);
    const values = fields.map((field) => columnValue(note[field]));
    const versionId = version && versions.keep(row);
    if (versionId === undefined) updateOf(fields).run(...values, Date.parse(note.updatedAt), note.id);
    else updateOf([...fields, 'version_id']).run(...values, versionId, Date.parse(note.updatedAt), note.id);
  }

  function updateOf(fields: readonly string[]): Statement<never, Value[]> {
    return updates.getOrInsertComputed(fields.join(), () => {
      const set = fields.map((field) => `"${field}" = ?, `).join('');
      return db.prepare<never, Value[]>(`UPDATE notes SET ${set}updated_at = ? WHERE id = ?`);
    });
  }

  return (write: Write, now: number): Written | NoteError => {
    try {
      return write.kind === 'create' ? create(write, now) : change(write, now);
    } catch (error) {
      const isOfNote = failureOf(error) === 'refuse' || error instanceof RangeError; // a time beyond the calendar
      if (!isOfNote || !db.inTransaction) throw error; // a trigger may have rolled back earlier writes, too
      return new NoteError('internal', storeMessage.refusedByStore, { outcome: 'none', cause: error });
    }
  };
}

const isWritten = (result: Written | NoteError): result is Written => !(result instanceof NoteError);

const columnValue = (value: string | boolean): Value => (typeof value === 'boolean' ? Number(value) : value);

/** Creates and changes a note. Throws errors of the database. To be rolled back. */
function tryWrites(write: (write: Write, at: number) => Written | NoteError): void {
  const draft = { title: '-', content: '-', category: 'css', group: 'first', color: 'info' } as const;
  const made = write({ kind: 'create', draft }, 0);
  const outcome =
    made instanceof NoteError ? made : write({ kind: 'change', id: made.note.id, change: { title: '+' } }, 0);
  if (outcome instanceof NoteError) throw outcome.cause ?? outcome;
}
