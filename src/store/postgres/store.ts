import { NoteError } from '../../domain/error.ts';
import type { Labels } from '../../domain/labels/labels.ts';
import * as message from '../../domain/message.ts';
import type { Note, NoteFilter, PortableNote } from '../../domain/note.ts';
import type { EngineStats, Found, JsonList, MergeOutcome, NoteEngine, NoteOrigin } from '../../domain/store.ts';
import type { EngineContext, Outcome, Write } from '../engine.ts';
import type { VersionsRange } from '../history.ts';
import { whileBusy } from '../merge.ts';
import { columns, noteOf } from '../row.ts';
import { keepFormer } from './citus/former.ts';
import { writeSingly } from './citus/single.ts';
import { CommitQueue } from './commit-queue.ts';
import type { Connections } from './connections.ts';
import { type Attempt, failureOf, noteErrorOf } from './failure.ts';
import { LoggedChanges } from './feed.ts';
import { CachedLists } from './lists/cached-lists.ts';
import { Reader } from './lists/reader.ts';
import { LockedNotes } from './locked-notes.ts';
import { isDistributed, isSpread, type Placement } from './placement.ts';
import { QueuedEngine } from './queued-engine.ts';
import { type OpenDatabase, Readiness } from './readiness.ts';
import type { NoteRow } from './row.ts';
import { putLabels, readLabels } from './statements/labels.ts';
import { lastIdOf } from './statements/last-id.ts';
import { merge } from './statements/merge.ts';
import { readNewest } from './statements/newest.ts';
import { readOrigins } from './statements/origins.ts';
import { readVersions } from './statements/versions.ts';
import { batchOf, countOfBatch, inlined, lockTimeoutMs, type OnLocked, type WrittenRow } from './statements/writes.ts';

export interface StoreContext extends EngineContext {
  /** Clock in ms since 1970; undefined for that of the database. */
  readonly now: (() => number) | undefined;
  /** Timeout of a write, including waits, in ms. */
  readonly timeoutMs: number;
  /** Maximum number of long lists read at once. */
  readonly snapshots: number;
  /** Number of schema steps that this program knows. */
  readonly knownSteps: number;
}

/** Maximum number of locked notes to wait for, each with a connection. Writes to others are retried. */
const maxLockedNotes = 2;

/** Timeout of the statistics, in ms. */
const statsMs = 2_000;

/** How long closing waits for writes in progress, in ms. */
const closeMs = 1_500;

/** Minimum interval between prunings of the log, in ms, and the number of transactions that it keeps. */
const pruneMs = 60_000;
const keptTransactions = 20_000;

/** Notes are counted up to this number; above it, the estimate of the database is used. */
const maxCounted = 100_000;

const counted = `(SELECT count(*) FROM (SELECT 1 FROM notes LIMIT ${maxCounted}) AS first_notes) AS counted`;
const selectStats = `SELECT ${counted},
  (SELECT reltuples::bigint FROM pg_class WHERE oid = 'notes'::regclass) AS estimated,
  pg_total_relation_size('notes') AS bytes`;
const selectStatsOfCitus = `SELECT ${counted}, (SELECT sum(result::bigint) FROM run_command_on_shards('notes',
    $$SELECT reltuples::bigint FROM pg_class WHERE oid = '%s'::regclass$$)) AS estimated,
  citus_total_relation_size('notes') AS bytes`;

/** Notes in a PostgreSQL database that is shared with other instances. */
export class PostgresStore extends QueuedEngine implements NoteEngine {
  readonly location: string;
  readonly feed: LoggedChanges | undefined;
  readonly #context: StoreContext;
  readonly #connections: Connections;
  readonly #placement: Placement;
  readonly #readiness: Readiness;
  readonly #reader: Reader;
  readonly #lockedNotes: LockedNotes;
  readonly #lists: CachedLists;
  #prunedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(database: OpenDatabase, location: string, context: StoreContext) {
    const { connections, placement, hasLog } = database;
    const { onCommit, timeoutMs, snapshots, cacheBytes, maxVersions } = context;
    super(onCommit, { waitMs: timeoutMs, ...(isSpread(placement) && { batch: 1, concurrent: snapshots }) });
    this.location = location;
    this.#context = context;
    this.#connections = connections;
    this.#placement = placement;
    this.#readiness = new Readiness(database, context.knownSteps, maxVersions);
    const isOnShards = isSpread(placement);
    this.#reader = new Reader({ connections, namesSnapshots: hasLog, isOnShards, snapshots, waitMs: timeoutMs });
    this.#lists = new CachedLists(connections, this.#reader, hasLog ? cacheBytes : 0);
    const shown: Pick<Connections, 'read'> = {
      read: (statement, values) => this.#attempt(() => connections.read(statement, values)),
    };
    this.feed = hasLog ? new LoggedChanges(shown) : undefined;
    const waiting = { commit: (writes: readonly Write[]) => this.#commit(writes.slice(0, 1), 'wait') };
    const limits = { batch: 1, waitMs: timeoutMs, graceMs: 2 * lockTimeoutMs };
    const newQueue = () => new CommitQueue(waiting, onCommit, limits);
    this.#lockedNotes = new LockedNotes(newQueue, Math.min(maxLockedNotes, snapshots));
    this.#prune();
  }

  async get(id: number): Promise<Note> {
    const select = `SELECT ${columns} FROM notes WHERE id = $1`;
    const [row] = await this.#attempt(() => this.#connections.read<NoteRow>(select, [id]));
    if (row === undefined) throw new NoteError('not_found', message.noSuchNote(id));
    return noteOf(row);
  }

  protected versions(range: VersionsRange): Promise<readonly Note[]> {
    return this.#attempt(() => readVersions(this.#connections, range));
  }

  origins(after: number): Promise<readonly NoteOrigin[]> {
    return this.#attempt(() => readOrigins(this.#connections, after));
  }

  async *scan(filter: NoteFilter = {}): AsyncGenerator<readonly Note[], void, void> {
    if (this.#isClosed) throw new NoteError('busy', message.storeClosed);
    try {
      for await (const rows of this.#reader.rows(filter)) yield rows.map(noteOf);
    } catch (error) {
      throw noteErrorOf(error, 'read');
    }
  }

  labels(): Promise<Labels> {
    return this.#attempt(() => readLabels(this.#connections));
  }

  setLabels(labels: Labels): Promise<Labels> {
    return this.#attempt(async () => {
      await this.#readiness.allowWrite();
      await putLabels(this.#connections, labels, isDistributed(this.#placement));
      return labels;
    }, 'write');
  }

  merge(notes: readonly PortableNote[], { dryRun = false, lastId = 0 } = {}): Promise<readonly MergeOutcome[]> {
    const rules = { dryRun, lastId, maxVersions: this.#context.maxVersions, placement: this.#placement };
    const work = async () => merge(await this.#connections.hold(), notes, rules);
    return whileBusy(this.#context.timeoutMs, () => this.#attempt(work, dryRun ? 'read' : 'write'));
  }

  listJson(filter: NoteFilter, known: readonly string[] = []): Promise<JsonList> {
    return this.#attempt(() => this.#lists.answer(filter, known));
  }

  newest(filter: NoteFilter, limit: number): Promise<Found> {
    return this.#attempt(async () => {
      await using snapshot = await this.#reader.hold();
      return await readNewest(snapshot.connection, filter, limit);
    });
  }

  async check(): Promise<void> {
    await this.#attempt(() => this.#readiness.check(), 'trial');
  }

  async stats(): Promise<EngineStats> {
    const select = isDistributed(this.#placement) ? selectStatsOfCitus : selectStats;
    const rows = () => this.#connections.rows<{ counted: string; estimated: string; bytes: string }>(select);
    const [row] = await this.#attempt(() => this.#connections.inTime(rows(), { ms: statsMs }));
    const counted = Number(row?.counted);
    return { notes: counted < maxCounted ? counted : Number(row?.estimated), databaseBytes: Number(row?.bytes) };
  }

  lastId(): Promise<number> {
    return this.#attempt(() => lastIdOf(this.#connections));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.queue.close().then(() => this.#lockedNotes.close());
    await Promise.race([closed, Bun.sleep(closeMs)]);
    this.#isClosed = true;
    await this.#connections[Symbol.asyncDispose]();
  }

  protected override submit(write: Write): Promise<Note> {
    return (write.kind === 'change' && this.#lockedNotes.join(write)) || super.submit(write);
  }

  protected async commit(writes: readonly Write[], since: readonly number[]) {
    const batch = writes.slice(0, countOfBatch(writes));
    const outcomes = await this.#commit(batch, isDistributed(this.#placement) ? 'citus' : 'skip');
    return outcomes.map((outcome, index) => {
      const write = batch[index];
      if (write?.kind !== 'change' || !(outcome instanceof NoteError) || outcome.code !== 'busy') return outcome;
      return this.#lockedNotes.wait(write, since[index]) ?? outcome;
    });
  }

  async #commit(batch: readonly Write[], onLocked: OnLocked): Promise<readonly Outcome[]> {
    this.#prune();
    try {
      await this.#readiness.allowWrite();
      return await this.#commitTogether(batch, onLocked);
    } catch (error) {
      if (failureOf(error) !== 'refuse') throw noteErrorOf(error, 'write');
      if (batch.length > 1) return this.#commit(batch.slice(0, batch.length >> 1), onLocked); // finds the refused one
      return [new NoteError('internal', message.refusedByStore, { outcome: 'none', cause: error })];
    }
  }

  async #commitTogether(writes: readonly Write[], onLocked: OnLocked): Promise<readonly Outcome[]> {
    const [write, ...others] = writes;
    const { maxVersions } = this.#context;
    const now = this.#context.now?.() ?? null;
    if (isSpread(this.#placement) && write !== undefined && others.length === 0)
      return [await writeSingly(this.#connections, write, { now, maxVersions })];
    const { statement, values, outcomes } = batchOf(writes, { now, onLocked, maxVersions });
    const before = onLocked === 'citus' ? keepFormer(writes, maxVersions) : [];
    const rows =
      before.length === 0
        ? this.#connections.rows<WrittenRow>(statement, values)
        : this.#connections.together<WrittenRow>([...before, inlined(statement, values)]);
    return outcomes(await rows);
  }

  /**
   * Runs beside other work, so that an idle instance opens no connection. Instances that have not followed the log for
   * longer drop their lists. Any instance may prune, and failures are harmless.
   */
  #prune(): void {
    const now = performance.now();
    if (this.feed === undefined || now - this.#prunedAt < pruneMs) return;
    this.#prunedAt = now;
    this.#connections.rows('SELECT prune_note_changes($1)', [keptTransactions]).catch(() => {});
  }

  /** Converts errors of the database. */
  async #attempt<Result>(work: () => Promise<Result>, during: Attempt = 'read'): Promise<Result> {
    if (this.#isClosed) throw new NoteError('busy', message.storeClosed);
    this.#prune();
    try {
      return await work();
    } catch (error) {
      throw noteErrorOf(error, during);
    }
  }
}
