import { singleFlight } from '../../core/concurrency.ts';
import { isBusy, NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { Labels } from '../../core/group-labels.ts';
import type { Note, NoteFilter, PortableNote } from '../../core/note.ts';
import type { CreatedNote, EngineStats, Found, MergeResult, NoteOrigin } from '../../core/store.ts';
import type { Write, WriteOutcome } from '../decide-write.ts';
import type {
  ChangeCursor,
  ChangesSince,
  ListSnapshot,
  MergeOptions,
  NoteStorage,
  StorageTimeouts,
  VersionsRange,
} from '../note-storage.ts';
import { retryWhileBusy } from '../retry-while-busy.ts';
import { isSharded } from './citus-placement.ts';
import type { ConnectionPool } from './connection-pool.ts';
import {
  type ChangeRow,
  formatCursor,
  parseSnapshot,
  pruneLogSql,
  type ServerState,
  selectChangesSql,
  selectStateSql,
  toChangesSince,
} from './postgres-change-log.ts';
import {
  type Attempt,
  classifyError,
  DatabaseError,
  isLockTimeoutError,
  isStatementTimeoutError,
  toNoteError,
} from './postgres-errors.ts';
import { mergeNotesAndRelease } from './postgres-merge.ts';
import { Readiness } from './postgres-readiness.ts';
import {
  insertEndedSessionAndDeleteExpiredSql,
  isSessionEnded,
  readCreatedNotesPage,
  readHighestAssignedId,
  readLabels,
  readLastChangedNotes,
  readNote,
  readOriginsPage,
  readStats,
  upsertLabelsSql,
} from './postgres-reads.ts';
import { PostgresListReader } from './postgres-snapshots.ts';
import {
  commitStatement,
  createNotes,
  type OpenPostgresDatabase,
  runWritesInTransaction,
} from './postgres-transactions.ts';
import { readVersionsInRange } from './postgres-versions.ts';
import { divideIntoTransactions } from './postgres-writes.ts';

export interface PostgresContext {
  /** Clock in ms since 1970; undefined for that of the database. */
  readonly now: (() => number) | undefined;
  /** Maximum number of versions stored per note; 0 stores none. */
  readonly maxVersions: number;
  /** Timeout of a write, including waits, in ms. */
  readonly timeoutMs: number;
  readonly poolSize: number;
}

/** The number of connections that long lists do not use, so that other requests have some. */
const sparedConnections = 4;
/** How long locked notes are skipped after one was found, in ms. Writes to them are tried again every 10 ms. */
const skipMs = 1_000;
/** The least time between prunings of the log, in ms. */
const pruneIntervalMs = 60_000;
/** How often those who follow changes ask for them, in ms. All instances report a change within a second. */
const pollIntervalMs = 250;
/** Maximum age of a cursor that counts as the present one, in ms. */
const cursorMaxAgeMs = 1_000;

/**
 * Notes in a PostgreSQL database that is shared with other instances. A batch of writes is one transaction, which reads
 * and locks its notes, decides, and writes. Triggers log what any program commits.
 */
export class PostgresStorage implements NoteStorage {
  readonly location: string;
  readonly hasChangeLog: boolean;
  readonly timeouts: StorageTimeouts;
  readonly #context: PostgresContext;
  readonly #database: OpenPostgresDatabase;
  readonly #connections: ConnectionPool;
  readonly #readiness: Readiness;
  readonly #lists: PostgresListReader;
  readonly #readSharedCursor = singleFlight(() => this.#runAndConvertErrors(() => this.#readAndCacheCursor()));
  #lastCursor: { readonly cursor: ChangeCursor; readonly at: number } | undefined;
  /** Until this time, by `performance.now()`, transactions skip locked notes, because one has waited for a lock too long. */
  #skipsUntil = 0;
  #prunedAt = Number.NEGATIVE_INFINITY;
  /** The state of the server when the log was pruned last: changes since then are not pruned. */
  #prunedState = '0';
  #isClosed = false;

  constructor(database: OpenPostgresDatabase, location: string, context: PostgresContext) {
    const { connections, hasChangeLog } = database;
    const { timeoutMs: waitMs, poolSize } = context;
    this.location = location;
    this.hasChangeLog = hasChangeLog;
    this.timeouts = { waitMs, graceMs: 1_000, checkIntervalMs: 100, closeMs: 1_500 };
    this.#context = context;
    this.#database = database;
    this.#connections = connections;
    this.#readiness = new Readiness(database);
    const max = Math.max(1, poolSize - sparedConnections);
    this.#lists = new PostgresListReader(connections, hasChangeLog, { max, waitMs });
    this.#pruneLogIfDue();
  }

  async commitBatch(dequeueWrites: () => readonly Write[]): Promise<readonly WriteOutcome[]> {
    this.#pruneLogIfDue();
    const writes = dequeueWrites();
    const outcomes = new Map<Write, WriteOutcome>();
    const commitAndCollect = async (some: readonly Write[]) => {
      for (const [index, outcome] of (await this.#commitWithRetries(some)).entries()) {
        const write = some[index];
        if (write !== undefined) outcomes.set(write, outcome);
      }
    };
    await Promise.all(divideIntoTransactions(writes, isSharded(this.#database.placement)).map(commitAndCollect));
    return writes.flatMap((write) => outcomes.get(write) ?? []);
  }

  /**
   * Commits writes in one transaction, and tries again in other ways if that fails: without the notes that others have
   * locked, or in two halves. Never rejects: what fails in the end is the outcome of each write.
   */
  async #commitWithRetries(writes: readonly Write[]): Promise<readonly WriteOutcome[]> {
    const { maxVersions, now } = this.#context;
    const skipsLocked = performance.now() < this.#skipsUntil;
    try {
      await this.#readiness.assertWritableOncePerSecond();
      const creates = writes.filter((write) => write.kind === 'create');
      if (creates.length === writes.length) return await createNotes(this.#database, creates, now?.());
      const outcomes = await runWritesInTransaction(this.#database, writes, { now: now?.(), maxVersions, skipsLocked });
      if (outcomes.some(isBusy)) this.#skipsUntil = performance.now() + skipMs;
      return outcomes;
    } catch (error) {
      if (isLockTimeoutError(error) && !skipsLocked) {
        this.#skipsUntil = performance.now() + skipMs;
        return this.#commitWithRetries(writes);
      }
      if (classifyError(error) === 'constraint' && writes.length > 1) return this.#commitInHalves(writes);
      const isOnShards = isSharded(this.#database.placement);
      return writes.map(() => toWriteError(error, isOnShards));
    }
  }

  /** Commits two halves of writes that the database rejects, and halves of these, so that only the faulty write fails. */
  async #commitInHalves(writes: readonly Write[]): Promise<readonly WriteOutcome[]> {
    const middle = writes.length >> 1;
    const first = await this.#commitWithRetries(writes.slice(0, middle));
    return [...first, ...(await this.#commitWithRetries(writes.slice(middle)))];
  }

  merge(notes: readonly PortableNote[], options: MergeOptions): Promise<readonly MergeResult[]> {
    const { timeoutMs, maxVersions } = this.#context;
    const settings = { ...options, maxVersions, placement: this.#database.placement };
    const work = async () => mergeNotesAndRelease(await this.#connections.reserve(), notes, settings);
    return retryWhileBusy(timeoutMs, () => this.#runAndConvertErrors(work, options.isDryRun ? 'read' : 'write'));
  }

  updateLabels(labels: Labels): Promise<void> {
    return this.#commitStatement(upsertLabelsSql(labels));
  }

  insertEndedSessionAndDeleteExpired(id: string, endsAt: number, deleteBefore: number): Promise<void> {
    return this.#commitStatement(insertEndedSessionAndDeleteExpiredSql(id, endsAt, deleteBefore));
  }

  #commitStatement(statement: string): Promise<void> {
    return this.#runAndConvertErrors(async () => {
      await this.#readiness.assertWritableOncePerSecond();
      await commitStatement(this.#database, statement);
    }, 'write');
  }

  readListIfShort(filter: NoteFilter, maxLength: number): Promise<readonly Note[] | undefined> {
    return this.#runAndConvertErrors(() => this.#lists.readListIfShort(filter, maxLength));
  }

  async openListSnapshot(filter: NoteFilter): Promise<ListSnapshot> {
    const closeLate = ({ pages }: ListSnapshot) => void pages.return().catch(() => {});
    const { fingerprint, pages } = await this.#runAndConvertErrors(() =>
      this.#connections.limitWait(this.#lists.openListSnapshot(filter), { onLateResult: closeLate }),
    );
    return { fingerprint, pages: convertPageErrors(pages) };
  }

  readNotesFingerprint(): Promise<string | undefined> {
    return this.#runAndConvertErrors(() => this.#lists.readNotesFingerprint());
  }

  readChangeCursor(): ChangeCursor | Promise<ChangeCursor> {
    const isRecent = this.#lastCursor !== undefined && performance.now() - this.#lastCursor.at < cursorMaxAgeMs;
    return isRecent && this.#lastCursor ? this.#lastCursor.cursor : this.#readSharedCursor();
  }

  readChangesSince(since: ChangeCursor | undefined): Promise<ChangesSince> {
    return this.#runAndConvertErrors(async () => {
      const at = performance.now();
      const [first, ...rest] = since === undefined ? [] : await this.#readChangeRows(since);
      if (since === undefined || first === undefined)
        return { changes: undefined, cursor: await this.#readAndCacheCursor() };
      const changes = toChangesSince(since, [first, ...rest]);
      this.#lastCursor = { cursor: changes.cursor, at };
      return changes;
    });
  }

  /** Returns no rows for a text that is not a cursor of this storage. */
  async #readChangeRows(since: ChangeCursor): Promise<readonly ChangeRow[]> {
    const snapshot = parseSnapshot(since);
    if (snapshot === undefined) return [];
    try {
      return await this.#connections.queryWithRetries<ChangeRow>(selectChangesSql, [snapshot]);
    } catch (error) {
      if (error instanceof DatabaseError && error.sqlState === invalidTextState) return [];
      throw error;
    }
  }

  /** Reads the cursor of the present state, and remembers it for `readChangeCursor`. */
  async #readAndCacheCursor(): Promise<ChangeCursor> {
    const at = performance.now();
    const [state] = await this.#connections.queryWithRetries<ServerState>(selectStateSql);
    if (state === undefined) throw new Error('The database returned no snapshot');
    const cursor = formatCursor(state);
    this.#lastCursor = { cursor, at };
    return cursor;
  }

  async waitForPossibleChanges(): Promise<void> {
    await Bun.sleep(pollIntervalMs);
  }

  readNote(id: number): Promise<Note | undefined> {
    return this.#runAndConvertErrors(() => readNote(this.#connections, id));
  }

  readVersionsInRange(range: VersionsRange): Promise<readonly Note[]> {
    return this.#runAndConvertErrors(() => readVersionsInRange(this.#connections, range));
  }

  readLastChangedNotes(filter: NoteFilter, limit: number): Promise<Found> {
    return this.#runAndConvertErrors(() => readLastChangedNotes(this.#connections, filter, limit));
  }

  readCreatedNotesPage(times: readonly string[], after: number): Promise<readonly CreatedNote[]> {
    return this.#runAndConvertErrors(() => readCreatedNotesPage(this.#connections, times, after));
  }

  readOriginsPage(after: number): Promise<readonly NoteOrigin[]> {
    return this.#runAndConvertErrors(() => readOriginsPage(this.#connections, after));
  }

  readLabels(): Promise<Labels> {
    return this.#runAndConvertErrors(() => readLabels(this.#connections));
  }

  readHighestAssignedId(): Promise<number> {
    return this.#runAndConvertErrors(() => readHighestAssignedId(this.#connections));
  }

  isSessionEnded(id: string): Promise<boolean> {
    return this.#runAndConvertErrors(() => isSessionEnded(this.#connections, id));
  }

  tryReadsAndWrites(): Promise<void> {
    return this.#runAndConvertErrors(() => this.#readiness.tryReadsAndWrites(), 'trial');
  }

  readStats(): Promise<EngineStats> {
    return this.#runAndConvertErrors(() => readStats(this.#connections));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#connections[Symbol.asyncDispose]();
  }

  /**
   * Prunes the log of changes once a minute. It is called by other work, so that an idle instance opens no connection. Any
   * instance may prune, and a failure is harmless.
   */
  #pruneLogIfDue(): void {
    const now = performance.now();
    if (!this.hasChangeLog || now - this.#prunedAt < pruneIntervalMs) return;
    this.#prunedAt = now;
    const pruning = this.#connections.query<{ state: string }>(pruneLogSql, [this.#prunedState]);
    pruning.then(([row]) => (this.#prunedState = row?.state ?? '0')).catch(() => {});
  }

  /** Runs work, and throws its errors of the database as `NoteError`s. Rejects all work after the store was closed. */
  async #runAndConvertErrors<Result>(work: () => Promise<Result>, during: Attempt = 'read'): Promise<Result> {
    if (this.#isClosed) throw new NoteError('busy', message.storeClosed);
    this.#pruneLogIfDue();
    try {
      return await work();
    } catch (error) {
      throw toNoteError(error, during);
    }
  }
}

/** The SQLSTATE of a text that cannot be parsed, here as a snapshot. */
const invalidTextState = '22P02';

async function* convertPageErrors(pages: ListSnapshot['pages']): ListSnapshot['pages'] {
  try {
    yield* pages;
  } catch (error) {
    throw toNoteError(error, 'read');
  }
}

/** On shards, a worker may have committed what the coordinator has stopped waiting for. */
function toWriteError(error: unknown, isOnShards: boolean): NoteError {
  if (isOnShards && isStatementTimeoutError(error)) {
    return new NoteError('unavailable', message.storeFailed, { outcome: 'unknown', cause: error });
  }
  const shown = toNoteError(error, 'write');
  if (shown instanceof NoteError) return shown;
  return new NoteError('internal', message.storeFailed, { outcome: 'unknown', cause: error });
}
