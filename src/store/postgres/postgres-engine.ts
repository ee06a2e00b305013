import { isBusy, NoteError } from '../../core/error.ts';
import type { Labels } from '../../core/labels.ts';
import * as message from '../../core/message.ts';
import type { Note, NoteDraft, NoteFilter, NotePatch, PortableNote } from '../../core/note.ts';
import type {
  CreatedNote,
  EngineStats,
  Found,
  IfMatch,
  JsonList,
  MergeResult,
  NoteEngine,
  NoteOrigin,
} from '../../core/store.ts';
import { CommitQueue, whileBusy } from '../commit-queue.ts';
import type { Outcome, Write } from '../decide-write.ts';
import { type EngineContext, endedSessionGraceMs } from '../engine.ts';
import { type VersionsRange, versionsInBatches } from '../history.ts';
import { noteOf } from '../row.ts';
import type { Connections } from './connections.ts';
import { type Attempt, failureOf, noteErrorOf } from './failure.ts';
import { isSpread } from './placement.ts';
import { LoggedChanges } from './postgres-events.ts';
import { PostgresLists } from './postgres-lists.ts';
import { pruneLog } from './postgres-log.ts';
import { merge } from './postgres-merge.ts';
import { PageReader } from './postgres-pages.ts';
import {
  insertEndedSession,
  isSessionEnded,
  lastIdOf,
  putLabels,
  readCreatedAt,
  readLabels,
  readNewest,
  readNote,
  readOrigins,
  readStats,
} from './postgres-reads.ts';
import {
  commitWrites,
  createNotes,
  isLockTimeout,
  isTimeout,
  type OpenDatabase,
  Readiness,
  writeOnce,
} from './postgres-transactions.ts';
import { readVersions } from './postgres-versions.ts';
import { transactionsOf } from './postgres-writes.ts';

export interface PostgresContext extends EngineContext {
  /** Clock in ms since 1970; undefined for that of the database. */
  readonly now: (() => number) | undefined;
  /** Timeout of a write, including waits, in ms. */
  readonly timeoutMs: number;
  readonly poolSize: number;
}

/** Connections that long lists leave to others. */
const sparedConnections = 4;
/** How often waiting writes are checked, and how much longer one that is under way may take, in ms. */
const tickMs = 100;
const graceMs = 1_000;
/** How long locked notes are skipped after one was found, in ms. They are tried again meanwhile. */
const skipMs = 1_000;
/** How long closing waits for writes in progress, and the least time between prunings of the log, in ms. */
const closeMs = 1_500;
const pruneMs = 60_000;

/**
 * Notes in a PostgreSQL database that is shared with other instances. The writes that have arrived make one transaction,
 * which reads and locks their notes, decides, and writes.
 */
export class PostgresEngine implements NoteEngine {
  readonly location: string;
  readonly feed: LoggedChanges | undefined;
  readonly #context: PostgresContext;
  readonly #database: OpenDatabase;
  readonly #connections: Connections;
  readonly #readiness: Readiness;
  readonly #pages: PageReader;
  readonly #lists: PostgresLists;
  readonly #queue: CommitQueue<Write, Note>;
  readonly #tick: Timer;
  /** Until then, by `performance.now()`, locked notes are skipped, as some were waited for too long. */
  #skipsUntil = 0;
  #prunedAt = Number.NEGATIVE_INFINITY;
  /** The state of the server when the log was pruned last: changes since then are kept. */
  #prunedState = '0';
  #isClosed = false;

  constructor(database: OpenDatabase, location: string, context: PostgresContext) {
    const { connections, hasLog } = database;
    const { timeoutMs: waitMs, poolSize, cacheBytes } = context;
    this.location = location;
    this.#context = context;
    this.#database = database;
    this.#connections = connections;
    this.#readiness = new Readiness(database);
    this.#pages = new PageReader(connections, hasLog, { max: Math.max(1, poolSize - sparedConnections), waitMs });
    this.#lists = new PostgresLists(connections, this.#pages, hasLog ? cacheBytes : 0);
    const read: Connections['read'] = (statement, values) => this.#attempt(() => connections.read(statement, values));
    this.feed = hasLog ? new LoggedChanges({ read }) : undefined;
    this.#queue = new CommitQueue((writes) => this.#commit(writes), { waitMs, graceMs });
    this.#tick = setInterval(() => this.#queue.expire(), tickMs).unref();
    this.#prune();
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
    const note = await this.#attempt(() => readNote(this.#connections, id));
    if (note === undefined) throw new NoteError('not_found', message.noSuchNote(id));
    return note;
  }

  listJson(filter: NoteFilter, known: readonly string[] = []): Promise<JsonList> {
    return this.#attempt(() => this.#lists.answer(filter, known));
  }

  async *scan(filter: NoteFilter = {}): AsyncGenerator<readonly Note[], void, void> {
    if (this.#isClosed) throw new NoteError('busy', message.storeClosed);
    try {
      for await (const rows of this.#pages.pages(filter)) yield rows.map(noteOf);
    } catch (error) {
      throw noteErrorOf(error, 'read');
    }
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

  readonly #readVersions = (range: VersionsRange) => this.#attempt(() => readVersions(this.#connections, range));

  findCreatedAt(times: readonly string[], after: number): Promise<readonly CreatedNote[]> {
    return this.#attempt(() => readCreatedAt(this.#connections, times, after));
  }

  origins(after: number): Promise<readonly NoteOrigin[]> {
    return this.#attempt(() => readOrigins(this.#connections, after));
  }

  newest(filter: NoteFilter, limit: number): Promise<Found> {
    return this.#attempt(() => readNewest(this.#connections, filter, limit));
  }

  labels(): Promise<Labels> {
    return this.#attempt(() => readLabels(this.#connections));
  }

  setLabels(labels: Labels): Promise<Labels> {
    return this.#attempt(async () => {
      await this.#readiness.allowWrite();
      await writeOnce(this.#database, putLabels(labels));
      return labels;
    }, 'write');
  }

  endSession(id: string, endsAt: number): Promise<void> {
    return this.#attempt(async () => {
      await this.#readiness.allowWrite();
      await writeOnce(this.#database, insertEndedSession(id, endsAt, Date.now() - endedSessionGraceMs));
    }, 'write');
  }

  isSessionEnded(id: string): Promise<boolean> {
    return this.#attempt(() => isSessionEnded(this.#connections, id));
  }

  merge(notes: readonly PortableNote[], { dryRun = false, lastId = 0 } = {}): Promise<readonly MergeResult[]> {
    const rules = { dryRun, lastId, maxVersions: this.#context.maxVersions, placement: this.#database.placement };
    const work = async () => merge(await this.#connections.hold(), notes, rules);
    return whileBusy(this.#context.timeoutMs, () => this.#attempt(work, dryRun ? 'read' : 'write'));
  }

  lastId(): Promise<number> {
    return this.#attempt(() => lastIdOf(this.#connections));
  }

  check(): Promise<void> {
    return this.#attempt(() => this.#readiness.check(), 'trial');
  }

  stats(): Promise<EngineStats> {
    return this.#attempt(() => readStats(this.#connections));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.race([this.#queue.close(), Bun.sleep(closeMs)]);
    this.#isClosed = true;
    clearInterval(this.#tick);
    await this.#connections[Symbol.asyncDispose]();
  }

  async #commit(writes: readonly Write[]): Promise<readonly Outcome[]> {
    this.#prune();
    const started = performance.now();
    const parts = transactionsOf(writes, isSpread(this.#database.placement));
    const outcomes = new Map<Write, Outcome>();
    await Promise.all(
      parts.map(async (part) => {
        for (const [index, outcome] of (await this.#commitPart(part)).entries()) {
          const write = part[index];
          if (write !== undefined) outcomes.set(write, outcome);
        }
      }),
    );
    this.#context.onCommit(writes.length, (performance.now() - started) / 1000);
    return writes.flatMap((write) => outcomes.get(write) ?? []);
  }

  async #commitPart(writes: readonly Write[]): Promise<readonly Outcome[]> {
    const { maxVersions, now } = this.#context;
    const skipsLocked = performance.now() < this.#skipsUntil;
    try {
      await this.#readiness.allowWrite();
      const creates = writes.filter((write) => write.kind === 'create');
      if (creates.length === writes.length) return await createNotes(this.#database, creates, now?.());
      const outcomes = await commitWrites(this.#database, writes, { now: now?.(), maxVersions, skipsLocked });
      if (outcomes.some(isBusy)) this.#skipsUntil = performance.now() + skipMs;
      return outcomes;
    } catch (error) {
      if (isLockTimeout(error) && !skipsLocked) {
        this.#skipsUntil = performance.now() + skipMs;
        return this.#commitPart(writes);
      }
      if (failureOf(error) === 'refuse' && writes.length > 1) {
        const half = writes.length >> 1; // to find the write that is refused
        return [...(await this.#commitPart(writes.slice(0, half))), ...(await this.#commitPart(writes.slice(half)))];
      }
      const isOnShards = isSpread(this.#database.placement);
      return writes.map(() => refusalOf(error, isOnShards));
    }
  }

  /** Runs beside other work, so that an idle instance opens no connection. Any may prune; failures are harmless. */
  #prune(): void {
    const now = performance.now();
    if (this.feed === undefined || now - this.#prunedAt < pruneMs) return;
    this.#prunedAt = now;
    const pruning = this.#connections.rows<{ state: string }>(pruneLog, [this.#prunedState]);
    pruning.then(([row]) => (this.#prunedState = row?.state ?? '0')).catch(() => {});
  }

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

/** On shards, a worker may have committed what the coordinator has stopped waiting for. */
function refusalOf(error: unknown, isOnShards: boolean): NoteError {
  if (isOnShards && isTimeout(error)) {
    return new NoteError('unavailable', message.storeFailed, { outcome: 'unknown', cause: error });
  }
  const shown = noteErrorOf(error, 'write');
  if (shown instanceof NoteError) return shown;
  return new NoteError('internal', message.storeFailed, { outcome: 'unknown', cause: error });
}
