import type { Database, Statement } from 'bun:sqlite';
import { dirname } from 'node:path';
import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import type { KeptNote, Note, NoteDraft, NoteFilter, NotePatch } from '../../domain/note.ts';
import type { EngineStats, IfMatch, JsonList, MergeOutcome, NoteEngine } from '../../domain/store.ts';
import { type CommitObserver, CommitQueue } from '../commit-queue.ts';
import type { Outcome, Write } from '../engine.ts';
import { scanOf } from '../json-list.ts';
import { keyOf, ListCache } from '../list-cache.ts';
import { isStored, whileBusy } from '../merge.ts';
import { spool } from '../spool.ts';
import type { Effect } from './changes.ts';
import { Checkpoints } from './checkpoints.ts';
import { DatabaseReplaced, failureOf, lost, noteErrorOf } from './failure.ts';
import { DatabaseFiles } from './files.ts';
import { ForeignCommits, type SharedHeader } from './foreign-commits.ts';
import { merge } from './merge.ts';
import { pragma } from './migrate.ts';
import { createNoteReader, createRangeReader, createReader, type Reader } from './reader.ts';
import type { RedoLog } from './redo-log.ts';
import { columns, type NoteRow, noteOf } from './row.ts';
import { migrations } from './schema.ts';
import { Writer } from './writer.ts';

/** What a store needs from those who open it. */
export interface StoreContext {
  /** ms since 1970. */
  readonly now: () => number;
  readonly onCommit: CommitObserver;
  /** Called once when what is on disk is no longer certain: writes are refused from then on, the process should stop. */
  readonly onLost: (error: unknown) => void;
  /** Most memory that ready-made lists may take; 0 keeps none. */
  readonly cacheBytes: number;
}

/** How long a slow reader may hold a snapshot, in ms, before the rest of its list goes to a file. */
const mostHeldMs = 2_000;

/** How long a merge waits for another program that holds the database, in ms. */
const mergeWaitMs = 5_000;

/** A database file that is open, checked, at the present schema and ours alone until `resources` are disposed of. */
export interface OpenDatabase {
  readonly db: Database;
  readonly path: string;
  readonly header: SharedHeader | undefined;
  /** None where notes end with the process. */
  readonly log: RedoLog | undefined;
  readonly resources: Disposable;
}

/** Notes in a SQLite file. */
export class SqliteStore implements NoteEngine {
  readonly location: string;
  readonly #db: Database;
  readonly #folder: string;
  readonly #resources: Disposable;
  readonly #onLost: StoreContext['onLost'];
  readonly #writer: Writer;
  readonly #reader: Reader;
  readonly #cache: ListCache;
  readonly #queue: CommitQueue;
  readonly #files: DatabaseFiles;
  readonly #log: RedoLog | undefined;
  readonly #checkpoints: Checkpoints | undefined;
  readonly #selectNote: Statement<NoteRow, [number]>;
  readonly #readNotes: (filter: NoteFilter) => Note[];
  readonly #foreign: ForeignCommits;
  readonly #session = crypto.randomUUID().slice(0, 8);
  #notes: number;
  #unsure = 0;
  /** Why the store refuses to work: it has been closed, or what is on disk is no longer certain. */
  #refusal: NoteError | undefined;

  constructor(
    { db, path, header, log, resources }: OpenDatabase,
    location: string,
    { now, onCommit, onLost, cacheBytes }: StoreContext,
  ) {
    this.location = location;
    this.#db = db;
    this.#folder = dirname(path);
    this.#resources = resources;
    this.#onLost = onLost;
    this.#foreign = new ForeignCommits(db, path, header);
    this.#log = log;
    this.#checkpoints = log && new Checkpoints(path);
    const failed = (error: unknown) => this.#failed(error, 'read'); // whoever writes is told by `#attempt`
    this.#writer = new Writer(
      { db, log, checkpoints: this.#checkpoints },
      { now, committed: () => this.#foreign.countOwn(), failed },
    );
    this.#reader = createReader(path, failed);
    this.#cache = new ListCache(createRangeReader(db), cacheBytes);
    this.#queue = new CommitQueue({ commit: (writes) => this.#commit(writes) }, onCommit);
    this.#files = new DatabaseFiles(path, log ? [log.path] : []);
    this.#selectNote = db.prepare<NoteRow, [number]>(`SELECT ${columns} FROM notes WHERE id = ?`);
    this.#readNotes = createNoteReader(db);
    this.#notes = db.prepare<{ notes: number }, []>('SELECT count(*) AS notes FROM notes').all()[0]?.notes ?? 0;
  }

  create(draft: NoteDraft): Promise<Note> {
    return this.#queue.submit({ kind: 'create', draft });
  }

  async get(id: number): Promise<Note> {
    const row = this.#attempt(() => this.#selectNote.all(id)[0]);
    if (row === undefined) throw new NoteError('not_found', message.noSuchNote(id));
    return noteOf(row);
  }

  async list(filter: NoteFilter = {}): Promise<Note[]> {
    return this.#attempt(() => this.#readNotes(filter));
  }

  update(id: number, patch: NotePatch, ifMatch?: IfMatch): Promise<Note> {
    return this.#queue.submit({ kind: 'change', id, change: patch, ...(ifMatch && { ifMatch }) });
  }

  setArchived(id: number, archived: boolean, ifMatch?: IfMatch): Promise<Note> {
    return this.#queue.submit({ kind: 'change', id, change: { archived }, ...(ifMatch && { ifMatch }) });
  }

  scan(filter: NoteFilter = {}): AsyncIterable<readonly Note[]> {
    return scanOf(() => this.listJson(filter));
  }

  merge(notes: readonly KeptNote[], { isRehearsal = false } = {}): Promise<readonly MergeOutcome[]> {
    return whileBusy(mergeWaitMs, async () => {
      await this.#writer.pause;
      return this.#attempt(() => this.#mergeNow(notes, isRehearsal), isRehearsal ? 'read' : 'write');
    });
  }

  listJson(filter: NoteFilter, known: readonly string[] = []): JsonList | Promise<JsonList> {
    const cached = this.#attempt(() => this.#cached(filter, known));
    if (cached) return cached;
    const uncached = () => this.#attempt(() => this.#uncached(filter, known));
    return this.#reader.vacancy()?.then(uncached) ?? uncached();
  }

  async check(): Promise<void> {
    this.#attempt(() => {
      this.#files.verify();
      const version = pragma(this.#db, 'user_version');
      if (version !== migrations.length) throw new NoteError('unavailable', message.schemaChanged(version));
    });
  }

  stats(): EngineStats {
    const { databaseBytes, walBytes } = this.#files;
    return { notes: this.#notes, databaseBytes, walBytes };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.close();
    try {
      if (this.#refusal !== undefined) return;
      this.#attempt(() => this.#writer.flush(), 'write');
      this.#log?.remove();
    } finally {
      this.#refusal ??= new NoteError('busy', message.storeClosed);
      this.#writer[Symbol.dispose]();
      await this.#checkpoints?.[Symbol.asyncDispose]();
      this.#reader[Symbol.dispose]();
      this.#resources[Symbol.dispose]();
    }
  }

  #cached(filter: NoteFilter, known: readonly string[]): JsonList | undefined {
    this.#hasForeignCommits();
    for (let attempt = 0; attempt < 3; attempt++) {
      const version = this.#cache.version(filter);
      if (version === undefined) return undefined;
      const revision = `${this.#session}-${version}`;
      if (known.includes(revision)) return { kind: 'unchanged', revision };
      const body = this.#cache.body(filter);
      // Our own commits cannot come between. Where another program's did, the segments may be of different moments.
      if (!this.#hasForeignCommits()) return body && { kind: 'whole', revision, body };
    }
    return undefined;
  }

  #uncached(filter: NoteFilter, known: readonly string[]): JsonList {
    this.#writer.flush();
    const before = `${this.#session}-${keyOf(filter)}-${this.#foreign.state}`;
    if (known.includes(before)) return { kind: 'unchanged', revision: before };
    const listing = this.#reader.read(filter);
    // Where another program committed meanwhile, nobody knows which state it shows: it gets a name of its own.
    const revision = this.#hasForeignCommits() ? `${before}-${++this.#unsure}` : before;
    if (listing.kind === 'whole') return { kind: 'whole', revision, body: new Blob([listing.json]) };
    const afterMs = mostHeldMs / this.#reader.snapshots; // the more are held, the sooner each is let go
    return { kind: 'chunks', revision, chunks: spool(listing.head, listing.rest, { folder: this.#folder, afterMs }) };
  }

  /** Forgets what is cached when another program committed to the file. */
  #hasForeignCommits(): boolean {
    const noticed = this.#foreign.notice();
    if (noticed) this.#cache.clear();
    return noticed;
  }

  #commit(writes: readonly Write[]): readonly Outcome[] | Promise<readonly Outcome[]> {
    return this.#writer.pause?.then(() => this.#commit(writes)) ?? this.#commitNow(writes);
  }

  #commitNow(writes: readonly Write[]): readonly Outcome[] {
    return this.#attempt(() => {
      const effects = this.#writer.write(writes);
      this.#files.verify();
      for (const effect of effects) this.#account(effect);
      return effects.map((effect) => effect.outcome);
    }, 'write');
  }

  #account({ before, outcome }: Effect): void {
    if (outcome instanceof NoteError) return;
    if (before === undefined) this.#notes++;
    else this.#cache.touch(before);
    this.#cache.touch(outcome);
  }

  #mergeNow(notes: readonly KeptNote[], isRehearsal: boolean): readonly MergeOutcome[] {
    this.#writer.flush();
    const outcomes = merge(this.#db, notes, isRehearsal);
    if (isRehearsal || !outcomes.some(isStored)) return outcomes;
    this.#files.verify();
    this.#foreign.countOwn();
    this.#cache.clear();
    this.#notes += outcomes.filter((outcome) => outcome === 'added').length;
    return outcomes;
  }

  /** Does some work on the database, unless it is refused; errors of SQLite become ours. */
  #attempt<Result>(work: () => Result, during: 'read' | 'write' = 'read'): Result {
    if (this.#refusal) throw this.#refusal;
    try {
      return work();
    } catch (error) {
      throw this.#failed(error, during);
    }
  }

  /** What to throw for an error of the database; after one that leaves what is on disk uncertain, no work is done. */
  #failed(error: unknown, during: 'read' | 'write'): unknown {
    const shown = noteErrorOf(error, during);
    if (failureOf(error) === 'stop' && shown instanceof NoteError) {
      this.#refusal = lost(error);
      if (error instanceof DatabaseReplaced) this.#saveWithoutLog(error.file);
      this.#writer[Symbol.dispose]();
      this.#onLost(error);
    }
    return shown;
  }

  /** Where only the redo log is gone, SQLite still holds what the log held. */
  #saveWithoutLog(lost: string): void {
    if (lost !== this.#log?.path) return;
    try {
      this.#writer.flush();
    } catch {} // the first failure is told
  }
}
