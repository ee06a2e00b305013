import { singleFlight } from '../../core/concurrency.ts';
import { isBusyError, NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { Note, NoteFilter, PortableNote } from '../../core/note.ts';
import type { CreatedNote, EngineStats, Found, MergeResult, NoteOrigin } from '../../core/store.ts';
import type { StoredLabels } from '../../core/value-labels.ts';
import type { Write, WriteResult } from '../decide-write.ts';
import type {
  ChangeCursor,
  ChangesSince,
  ListSnapshot,
  MergeOptions,
  NoteStorage,
  StorageTimeouts,
  VersionsRange,
} from '../note-storage.ts';
import { retryWhileDatabaseBusy } from '../retry-while-database-busy.ts';
import {
  type AnnouncedBatch,
  type AnnounceMerge,
  announceCommitAndLog,
  findNoteId,
  groupByShard,
  mergeAndLog,
} from './announced-writes.ts';
import { isPlacementDistributedById } from './citus-placement.ts';
import type { ConnectionPool } from './connection-pool.ts';
import {
  DistributedWriteLog,
  hasAnnouncedLog,
  readDistributedChangeRows,
  selectDistributedFingerprintSql,
} from './distributed-change-log.ts';
import { createAnnouncedNotes, NodeWriter } from './node-writes.ts';
import {
  type ChangeRow,
  formatCursor,
  pruneLogSql,
  type ServerState,
  selectChangesSql,
  selectFingerprintSql,
  selectStateSql,
  toChangesSince,
  tryParseCursorSnapshot,
} from './postgres-change-log.ts';
import {
  classifyError,
  DatabaseError,
  isLockTimeoutError,
  isStatementTimeoutError,
  type Operation,
  toNoteErrorIfDatabaseError,
} from './postgres-errors.ts';
import { readLabels, updateAndCommitLabels } from './postgres-labels.ts';
import { mergeNotesAndRelease } from './postgres-merge.ts';
import { divideByLength } from './postgres-note-writes.ts';
import { ReadinessChecker } from './postgres-readiness.ts';
import {
  isSignInSessionEnded,
  readCreatedNotesPage,
  readExistingIds,
  readHighestAssignedId,
  readLastChangedNotesAndTotal,
  readNote,
  readOriginsPage,
  readPinnedIds,
  readStats,
} from './postgres-reads.ts';
import { insertEndedSessionAndDeleteExpiredSql, replacePinnedIdsIfExpectedSql } from './postgres-settings-writes.ts';
import { PostgresListReader } from './postgres-snapshots.ts';
import {
  commitWritesInTransaction,
  executeInTransaction,
  insertAndCommitNotes,
  insertAndCommitNotesWithIds,
  type OpenPostgresDatabase,
} from './postgres-transactions.ts';
import { readVersionsPage } from './postgres-versions.ts';

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
  readonly #readiness: ReadinessChecker;
  readonly #lists: PostgresListReader;
  /** Undefined if triggers log what is written. */
  readonly #writeLog: DistributedWriteLog | undefined;
  /** Undefined if notes are not distributed by id. */
  readonly #nodeWriter: NodeWriter | undefined;
  readonly #readSharedCursor = singleFlight(() => this.#runAndConvertErrors(() => this.#readAndCacheCursor()));
  #lastCursor: { readonly cursor: ChangeCursor; readonly at: number } | undefined;
  /**
   * Until this time, by `performance.now()`, transactions skip locked notes, because one has waited for a lock too
   * long.
   */
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
    this.#readiness = new ReadinessChecker(database);
    const max = Math.max(1, poolSize - sparedConnections);
    this.#writeLog = hasAnnouncedLog(database) ? new DistributedWriteLog(database, waitMs) : undefined;
    if (this.#writeLog && isPlacementDistributedById(database.placement))
      this.#nodeWriter = new NodeWriter(database, context);
    const fingerprintSql = this.#writeLog ? selectDistributedFingerprintSql : selectFingerprintSql;
    this.#lists = new PostgresListReader(connections, hasChangeLog ? fingerprintSql : undefined, { max, waitMs });
    this.#startPruningIfDue();
  }

  async dequeueAndCommitBatch(dequeueWrites: () => readonly Write[]): Promise<readonly WriteResult[]> {
    this.#startPruningIfDue();
    const writes = dequeueWrites();
    const log = this.#writeLog;
    return log === undefined
      ? this.#commitBatch(writes)
      : announceCommitAndLog(log, writes, (batch) => this.#commitBatch(writes, batch));
  }

  async #commitBatch(writes: readonly Write[], batch?: AnnouncedBatch): Promise<readonly WriteResult[]> {
    if (batch === undefined)
      return commitGroups(writes, [{ writes, commit: (some) => this.#commitWritesWithFallbacks(some) }]);
    const nodeWriter = this.#nodeWriter;
    if (nodeWriter === undefined || performance.now() < this.#skipsUntil) return this.#commitByShard(writes, batch);
    const { contested = [], others = [] } = Object.groupBy(writes, (write) =>
      nodeWriter.contestedNotes.has(findNoteId(write, batch)) ? 'contested' : 'others',
    );
    const groups = await nodeWriter.groupByNode(others, batch);
    return commitGroups(writes, [
      { writes: contested, commit: (some) => this.#commitByShard(some, batch) },
      ...groups.map((group) => ({
        writes: group,
        commit: (some: readonly Write[]) => this.#commitOnNode(some, batch),
      })),
    ]);
  }

  #commitByShard(writes: readonly Write[], batch: AnnouncedBatch): Promise<readonly WriteResult[]> {
    const commit = (some: readonly Write[]) => this.#commitWritesWithFallbacks(some, batch);
    return commitGroups(
      writes,
      groupByShard(writes, batch).map((group) => ({ writes: group, commit })),
    );
  }

  /**
   * Commits writes to notes of one node, or shard by shard if that fails: with locks, if others write the same notes.
   * Never rejects.
   */
  async #commitOnNode(writes: readonly Write[], batch: AnnouncedBatch): Promise<readonly WriteResult[]> {
    try {
      await this.#readiness.assertSchemaStateOncePerSecond();
      return (await this.#nodeWriter?.tryCommit(writes, batch)) ?? (await this.#commitByShard(writes, batch));
    } catch (error) {
      if (isLockTimeoutError(error)) this.#skipsUntil = performance.now() + skipMs;
      if (isLockTimeoutError(error) || classifyError(error) === 'constraint') return this.#commitByShard(writes, batch);
      return writes.map(() => toWriteError(error, true));
    }
  }

  /**
   * Commits writes in one transaction, and tries again in other ways if that fails: without the notes that others have
   * locked, or in two halves. Never rejects: what fails in the end is the outcome of each write.
   */
  async #commitWritesWithFallbacks(writes: readonly Write[], batch?: AnnouncedBatch): Promise<readonly WriteResult[]> {
    const { maxVersions, now } = this.#context;
    const skipsLocked = performance.now() < this.#skipsUntil;
    try {
      await this.#readiness.assertSchemaStateOncePerSecond();
      const creates = writes.filter((write) => write.kind === 'create');
      if (creates.length === writes.length) {
        if (batch === undefined) return await insertAndCommitNotes(this.#database, creates, now?.());
        const notes = createAnnouncedNotes(creates, batch, now?.() ?? batch.now);
        await insertAndCommitNotesWithIds(this.#database, notes);
        return notes;
      }
      const outcomes = await commitWritesInTransaction(this.#database, writes, {
        now: now?.(),
        maxVersions,
        skipsLocked,
      });
      if (outcomes.some(isBusyError)) this.#skipsUntil = performance.now() + skipMs;
      return outcomes;
    } catch (error) {
      if (isLockTimeoutError(error) && !skipsLocked) {
        this.#skipsUntil = performance.now() + skipMs;
        return this.#commitWritesWithFallbacks(writes, batch);
      }
      if (classifyError(error) === 'constraint' && writes.length > 1) return this.#commitInHalves(writes, batch);
      const isOnShards = isPlacementDistributedById(this.#database.placement);
      return writes.map(() => toWriteError(error, isOnShards));
    }
  }

  /**
   * Commits two halves of writes that the database rejects, and halves of these, so that only the faulty write fails.
   */
  async #commitInHalves(writes: readonly Write[], batch?: AnnouncedBatch): Promise<readonly WriteResult[]> {
    const middle = writes.length >> 1;
    const first = await this.#commitWritesWithFallbacks(writes.slice(0, middle), batch);
    return [...first, ...(await this.#commitWritesWithFallbacks(writes.slice(middle), batch))];
  }

  merge(notes: readonly PortableNote[], options: MergeOptions): Promise<readonly MergeResult[]> {
    const { timeoutMs, maxVersions } = this.#context;
    const settings = { ...options, maxVersions, placement: this.#database.placement };
    const mergeOnce = async (announce?: AnnounceMerge) =>
      mergeNotesAndRelease(await this.#connections.reserve(), notes, { ...settings, announce });
    const log = options.isDryRun ? undefined : this.#writeLog;
    const work = () => (log === undefined ? mergeOnce() : mergeAndLog(log, mergeOnce));
    return retryWhileDatabaseBusy(timeoutMs, () =>
      this.#runAndConvertErrors(work, options.isDryRun ? 'read' : 'write'),
    );
  }

  updateLabels(change: (stored: StoredLabels) => StoredLabels): Promise<StoredLabels> {
    return this.#runAndConvertErrors(async () => {
      await this.#readiness.assertSchemaStateOncePerSecond();
      return updateAndCommitLabels(this.#database, change);
    }, 'write');
  }

  async replacePinnedIdsIfExpected(ids: readonly number[], expectedIds?: readonly number[]): Promise<boolean> {
    const rowCount = await this.#checkAndCommitStatement(replacePinnedIdsIfExpectedSql(ids, expectedIds));
    return rowCount > 0;
  }

  async insertEndedSessionAndDeleteExpired(id: string, endsAt: number, deleteBefore: number): Promise<void> {
    await this.#checkAndCommitStatement(insertEndedSessionAndDeleteExpiredSql(id, endsAt, deleteBefore));
  }

  /** Returns the number of rows that the statement returned. */
  #checkAndCommitStatement(statement: string): Promise<number> {
    return this.#runAndConvertErrors(async () => {
      await this.#readiness.assertSchemaStateOncePerSecond();
      return executeInTransaction(this.#database, statement);
    }, 'write');
  }

  readListIfWithinChars(filter: NoteFilter, maxLength: number): Promise<readonly Note[] | undefined> {
    return this.#readAndLogAnnounced(() => this.#lists.readListIfWithinChars(filter, maxLength));
  }

  async openListSnapshot(filter: NoteFilter): Promise<ListSnapshot> {
    const closeLate = ({ pages }: ListSnapshot) => void pages.return().catch(() => {});
    const { fingerprint, pages } = await this.#runAndConvertErrors(() =>
      this.#connections.limitWait(this.#lists.openListSnapshot(filter), { onLateResult: closeLate }),
    );
    return { fingerprint, pages: streamPagesWithNoteErrors(pages, this.#writeLog) };
  }

  readNotesFingerprintIfLogged(): Promise<string | undefined> {
    return this.#runAndConvertErrors(() => this.#lists.readNotesFingerprintIfLogged());
  }

  readChangeCursor(): ChangeCursor | Promise<ChangeCursor> {
    const isRecent = this.#lastCursor !== undefined && performance.now() - this.#lastCursor.at < cursorMaxAgeMs;
    return isRecent && this.#lastCursor ? this.#lastCursor.cursor : this.#readSharedCursor();
  }

  readChangesAndCursorSince(since: ChangeCursor | undefined): Promise<ChangesSince> {
    return this.#runAndConvertErrors(async () => {
      const at = performance.now();
      const [first, ...rest] = since === undefined ? [] : await this.#readChangeRowsIfCursorValid(since);
      if (since === undefined || first === undefined)
        return { changes: undefined, cursor: await this.#readAndCacheCursor() };
      const changes = toChangesSince(since, [first, ...rest]);
      this.#lastCursor = { cursor: changes.cursor, at };
      return changes;
    });
  }

  /** Returns no rows for a text that is not a cursor of this storage. */
  async #readChangeRowsIfCursorValid(since: ChangeCursor): Promise<readonly ChangeRow[]> {
    const snapshot = tryParseCursorSnapshot(since);
    if (snapshot === undefined) return [];
    try {
      if (this.#writeLog !== undefined)
        return await readDistributedChangeRows(this.#connections, this.#writeLog, snapshot);
      return await this.#connections.readWithRetries<ChangeRow>(selectChangesSql, [snapshot]);
    } catch (error) {
      if (error instanceof DatabaseError && error.sqlState === invalidTextState) return [];
      throw error;
    }
  }

  /** Reads the cursor of the present state, and remembers it for `readChangeCursor`. */
  async #readAndCacheCursor(): Promise<ChangeCursor> {
    const at = performance.now();
    const [state] = await this.#connections.readWithRetries<ServerState>(selectStateSql);
    if (state === undefined) throw new Error('The database returned no snapshot');
    const cursor = formatCursor(state);
    this.#lastCursor = { cursor, at };
    return cursor;
  }

  async waitForPossibleChanges(): Promise<void> {
    await Bun.sleep(pollIntervalMs);
  }

  readNote(id: number): Promise<Note | undefined> {
    return this.#readAndLogAnnounced(() => readNote(this.#connections, id), [id]);
  }

  readVersionsPage(range: VersionsRange): Promise<readonly Note[]> {
    return this.#readAndLogAnnounced(() => readVersionsPage(this.#connections, range));
  }

  readLastChangedNotesAndTotal(filter: NoteFilter, limit: number): Promise<Found> {
    return this.#readAndLogAnnounced(() => readLastChangedNotesAndTotal(this.#connections, filter, limit));
  }

  readCreatedNotesPage(times: readonly string[], after: number): Promise<readonly CreatedNote[]> {
    return this.#readAndLogAnnounced(() => readCreatedNotesPage(this.#connections, times, after));
  }

  readOriginsPage(after: number): Promise<readonly NoteOrigin[]> {
    return this.#readAndLogAnnounced(() => readOriginsPage(this.#connections, after));
  }

  readLabels(): Promise<StoredLabels> {
    return this.#runAndConvertErrors(() => readLabels(this.#connections));
  }

  readPinnedIds(): Promise<readonly number[]> {
    return this.#runAndConvertErrors(() => readPinnedIds(this.#connections));
  }

  readExistingIds(ids: readonly number[]): Promise<readonly number[]> {
    return this.#readAndLogAnnounced(() => readExistingIds(this.#connections, ids), ids);
  }

  readHighestAssignedId(): Promise<number> {
    return this.#runAndConvertErrors(() => readHighestAssignedId(this.#connections));
  }

  isSignInSessionEnded(id: string): Promise<boolean> {
    return this.#runAndConvertErrors(() => isSignInSessionEnded(this.#connections, id));
  }

  assertReadableAndWritable(): Promise<void> {
    return this.#runAndConvertErrors(() => this.#readiness.assertReadableAndWritable(), 'trial');
  }

  readStats(): Promise<EngineStats> {
    return this.#runAndConvertErrors(() => readStats(this.#connections));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#connections[Symbol.asyncDispose]();
  }

  /**
   * Prunes the log of changes once a minute. It is called by other work, so that an idle instance opens no connection.
   * Any instance may prune, and a failure is harmless.
   */
  #startPruningIfDue(): void {
    const now = performance.now();
    if (!this.hasChangeLog || now - this.#prunedAt < pruneIntervalMs) return;
    this.#prunedAt = now;
    const pruning =
      this.#writeLog === undefined
        ? this.#connections.query<{ state: string }>(pruneLogSql, [this.#prunedState]).then(([row]) => row?.state)
        : this.#writeLog.pruneAndLogAbandoned(this.#prunedState);
    pruning.then((state) => (this.#prunedState = state ?? '0')).catch(() => {});
  }

  /**
   * Reads notes, by default unknown ones. Where they are distributed, a shard may show a write before it is logged: who
   * has seen it logs it, so that nobody sees it in one place and misses it in another one afterwards.
   */
  #readAndLogAnnounced<Result>(read: () => Promise<Result>, ids?: readonly number[]): Promise<Result> {
    const log = this.#writeLog;
    if (log === undefined) return this.#runAndConvertErrors(read);
    return this.#runAndConvertErrors(async () => {
      const result = await read();
      await log.logIfAnnounced(ids);
      return result;
    });
  }

  /** Runs work, and throws its errors of the database as `NoteError`s. Rejects all work after the store was closed. */
  async #runAndConvertErrors<Result>(work: () => Promise<Result>, operation: Operation = 'read'): Promise<Result> {
    if (this.#isClosed) throw new NoteError('busy', message.storeClosed);
    this.#startPruningIfDue();
    try {
      return await work();
    } catch (error) {
      throw toNoteErrorIfDatabaseError(error, operation);
    }
  }
}

/** The SQLSTATE of a text that cannot be parsed, here as a snapshot. */
const invalidTextState = '22P02';

async function* streamPagesWithNoteErrors(
  pages: ListSnapshot['pages'],
  log: DistributedWriteLog | undefined,
): ListSnapshot['pages'] {
  try {
    if (log === undefined) return yield* pages;
    for await (const page of pages) {
      await log.logIfAnnounced();
      yield page;
    }
  } catch (error) {
    throw toNoteErrorIfDatabaseError(error, 'read');
  }
}

interface WriteGroup {
  readonly writes: readonly Write[];
  readonly commit: (some: readonly Write[]) => Promise<readonly WriteResult[]>;
}

/**
 * Commits groups of writes at the same time, each at once unless it is very long. Returns the results of `writes`, which
 * are those of all groups.
 */
async function commitGroups(writes: readonly Write[], groups: readonly WriteGroup[]): Promise<readonly WriteResult[]> {
  const outcomes = new Map<Write, WriteResult>();
  const commitAndCollect = async (some: readonly Write[], { commit }: WriteGroup) => {
    for (const [index, outcome] of (await commit(some)).entries()) {
      const write = some[index];
      if (write !== undefined) outcomes.set(write, outcome);
    }
  };
  await Promise.all(
    groups.flatMap((group) => divideByLength(group.writes).map((some) => commitAndCollect(some, group))),
  );
  return writes.flatMap((write) => outcomes.get(write) ?? []);
}

/** On shards, a worker may have committed what the coordinator has stopped waiting for. */
function toWriteError(error: unknown, isOnShards: boolean): NoteError {
  if (isOnShards && isStatementTimeoutError(error)) {
    return new NoteError('unavailable', message.storeFailed, { outcome: 'unknown', cause: error });
  }
  const shown = toNoteErrorIfDatabaseError(error, 'write');
  if (shown instanceof NoteError) return shown;
  return new NoteError('internal', message.storeFailed, { outcome: 'unknown', cause: error });
}
