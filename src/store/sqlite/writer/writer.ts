import type { Database } from 'bun:sqlite';
import { NoteError } from '../../../domain/error.ts';
import type { Labels } from '../../../domain/labels/labels.ts';
import * as message from '../../../domain/message.ts';
import type { Note, NoteFilter, NoteHead, PortableNote } from '../../../domain/note.ts';
import type { EngineStats, Found, MergeOutcome, NoteOrigin, SearchOptions } from '../../../domain/store.ts';
import { messageOf } from '../../../shared/thrown.ts';
import type { Write } from '../../engine.ts';
import type { VersionsRange } from '../../history.ts';
import { failureOf, noteErrorOf, UncertainState } from '../failure.ts';
import type { OpenDatabase } from '../file/database.ts';
import { DatabaseFiles, dataVersionOf, type LogState } from '../file/database-files.ts';
import { checkSchema, tryWrites } from '../readiness.ts';
import { putLabels, readLabels } from '../statements/labels.ts';
import { continueAfter, lastIdOf } from '../statements/last-id.ts';
import { merge } from '../statements/merge.ts';
import { readNewest, readNewestHeads, readNote } from '../statements/newest.ts';
import { readOrigins } from '../statements/origins.ts';
import { type PreparedVersions, prepareVersions, readVersions } from '../statements/versions.ts';
import { prepareWrites } from '../statements/writes.ts';
import { type SentEffect, sentEffect } from './messages.ts';

/** Length of the write-ahead log, in pages, that triggers a checkpoint between two batches. */
const checkpointPages = 3_000;

/** Writes in order, and their time in ms since 1970. */
export interface Batch {
  readonly writes: readonly Write[];
  readonly at: number;
}

/**
 * The only connection that writes. Each commit is one durable transaction, which fails while another program holds the
 * write lock. Methods return after their changes have been synced.
 */
export class Writer implements Disposable {
  readonly #db: Database;
  readonly #knownSteps: number;
  readonly #resources: Disposable;
  readonly #versions: PreparedVersions;
  readonly #write: ReturnType<typeof prepareWrites>;
  readonly #files: DatabaseFiles;
  #dataVersion: number;
  #log: LogState;

  /** `maxVersions` is the maximum number of versions kept per note; 0 keeps none. */
  constructor({ db, path, knownSteps, resources }: OpenDatabase, maxVersions: number) {
    this.#db = db;
    this.#knownSteps = knownSteps;
    this.#resources = resources;
    this.#versions = prepareVersions(db, maxVersions);
    this.#write = prepareWrites(db, this.#versions);
    this.#files = new DatabaseFiles(db, path);
    this.#dataVersion = dataVersionOf(this.#db);
    this.#log = this.#files.verify();
  }

  /** Executes batches of writes in one transaction. Unless it throws a `stop` error, a failure changes nothing. */
  commit(batches: readonly Batch[]): readonly (readonly SentEffect[])[] {
    return this.#inTransaction(() => {
      const result = batches.map(({ writes, at }) => writes.map((write) => sentEffect(this.#write(write, at))));
      return { result, isStored: result.flat().some((effect) => !('error' in effect)) };
    });
  }

  merge(notes: readonly PortableNote[], dryRun: boolean, lastId: number): readonly MergeOutcome[] {
    return this.#inTransaction(() => {
      const { outcomes, isStored } = merge(this.#db, this.#versions, notes);
      if (lastId > 0) continueAfter(this.#db, lastId);
      return { result: outcomes, isStored: (isStored || lastId > 0) && !dryRun };
    });
  }

  get(id: number): Note | undefined {
    return readNote(this.#db, id);
  }

  newest(filter: NoteFilter, limit: number): Found {
    return readNewest(this.#db, filter, limit);
  }

  newestHeads(options: SearchOptions): Found<NoteHead> {
    return readNewestHeads(this.#db, options);
  }

  versions(range: VersionsRange): readonly Note[] {
    return readVersions(this.#db, range);
  }

  origins(after: number): readonly NoteOrigin[] {
    return readOrigins(this.#db, after);
  }

  labels(): Labels {
    return readLabels(this.#db);
  }

  setLabels(labels: Labels): Labels {
    return this.#inTransaction(() => {
      putLabels(this.#db, labels);
      return { result: labels, isStored: true };
    });
  }

  /**
   * Throws `unavailable` if a table or index is missing, the schema has changed or a file was replaced, and errors of a
   * trial: creates and changes a note and rolls back.
   */
  check(): void {
    this.#files.verify();
    checkSchema(this.#db, this.#knownSteps);
    try {
      this.#inTransaction(() => ({ result: tryWrites(this.#write), isStored: false }));
    } catch (error) {
      throw failureOf(error) === 'stop' ? error : noteErrorOf(error, 'trial');
    }
  }

  stats(): EngineStats {
    const [row] = this.#db.prepare<{ notes: number }, []>('SELECT count(*) AS notes FROM notes').all();
    return { notes: row?.notes ?? 0, ...this.#files.sizes() };
  }

  lastId(): number {
    return lastIdOf(this.#db);
  }

  /** Does nothing, since each reply reports commits of other programs. */
  poll(): void {}

  /** Whether another program has committed since the last call. */
  noticeForeignCommits(): boolean {
    const version = dataVersionOf(this.#db);
    if (version === this.#dataVersion) return false;
    this.#dataVersion = version;
    this.#versions.clearCache();
    return true;
  }

  /**
   * Checkpoints a long write-ahead log, as far as readers permit; once all is copied, the next write restarts the log.
   * Throws only `stop` errors, which SQLite's automatic checkpoints would hide.
   */
  checkpoint(): void {
    if (this.#log.pages - this.#log.checkpointed < checkpointPages) return;
    try {
      this.#db.run('PRAGMA wal_checkpoint(PASSIVE)');
    } catch (error) {
      if (failureOf(error) !== 'stop') return;
      const text = `The log could not be copied into the database (${messageOf(error)})`;
      throw new UncertainState(text, { cause: error });
    } finally {
      this.#log = this.#files.readAfterCheckpoint(); // also after a partial failure, such as a full disk
    }
  }

  /** Throws a `stop` error if a file was replaced or the lock is no longer ours. */
  checkFiles(): void {
    this.#log = this.#files.verify();
  }

  [Symbol.dispose](): void {
    this.#files[Symbol.dispose]();
    this.#resources[Symbol.dispose]();
  }

  #inTransaction<Result>(work: () => { readonly result: Result; readonly isStored: boolean }): Result {
    let isCommitted = false;
    this.#db.query('BEGIN IMMEDIATE').run();
    try {
      if (dataVersionOf(this.#db) !== this.#dataVersion) this.#versions.clearCache();
      const { result, isStored } = work();
      if (!this.#db.inTransaction) throw new NoteError('unavailable', message.rolledBackByTrigger, { outcome: 'none' });
      if (!isStored) return result;
      this.#db.query('COMMIT').run();
      isCommitted = true;
      this.#log = this.#files.verify();
      return result;
    } finally {
      if (!isCommitted) this.#versions.clearCache();
      if (this.#db.inTransaction) this.#db.run('ROLLBACK');
    }
  }
}
