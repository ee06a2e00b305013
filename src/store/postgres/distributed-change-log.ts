/**
 * The log of changes where Citus distributes the notes. It is on the coordinator, beside the shards, so that one commit
 * cannot cover both: writes are announced before they are sent to shards, and logged when these have committed.
 */
import { type Permit, Semaphore } from '../../core/concurrency.ts';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { Note } from '../../core/note.ts';
import { isPlacementDistributedById, isPlacementLogged, type Placement } from './citus-placement.ts';
import type { Connection, ConnectionPool } from './connection-pool.ts';
import { type ChangeRow, createChangesWithSql, createFingerprintSql, maxBytes } from './postgres-change-log.ts';
import { isReadOnlyError } from './postgres-errors.ts';
import { selectNotesSql } from './postgres-note-writes.ts';
import { idSequenceSql } from './postgres-settings-writes.ts';
import { clockSql, type OpenPostgresDatabase } from './postgres-transactions.ts';
import { RecentRows } from './recent-rows.ts';
import type { PostgresNoteRow } from './recordset.ts';

/** Whether changes are logged by announcements, and not by triggers. */
export const hasAnnouncedLog = ({
  hasChangeLog,
  placement,
}: Pick<OpenPostgresDatabase, 'hasChangeLog' | 'placement'>) => hasChangeLog && isPlacementLogged(placement);

/** An announcement that is stored, until the writes are logged. */
export interface Announcement {
  readonly id: string;
  /** The ids of new notes, ascending. */
  readonly newIds: readonly number[];
  /** The shards of all its notes, by id. */
  readonly shards: ReadonlyMap<number, string>;
  /** The clock of the coordinator in ms since 1970. */
  readonly now: number;
  /** Gets the notes when they are logged. A follower that begins later has not seen what was logged before. */
  readonly recent: RecentRows;
}

/** Ids and shards are separated by spaces. */
interface AnnouncementRow {
  readonly id: string;
  readonly ids: string;
  readonly shards: string;
  readonly now: string;
}

/** `$1`: the ids of notes that will change; `$2`: the number of new ones; `$3`: how long they may be written, in ms. */
const announceSql = `INSERT INTO announced_writes (ids, ends_at)
  SELECT $1::bigint[] || ARRAY(SELECT nextval(${idSequenceSql}) FROM generate_series(1, $2::integer)),
    clock_timestamp() + $3::integer * interval '1 ms'
  RETURNING id, array_to_string(ids, ' ') AS ids, ${clockSql} AS now, (
    SELECT string_agg(get_shard_id_for_distribution_column('notes', note_id)::text, ' ' ORDER BY place)
    FROM unnest(ids) WITH ORDINALITY AS note(note_id, place)) AS shards`;

const announceIdsSql = (ids: readonly number[], ms: number): string =>
  `INSERT INTO announced_writes (ids, ends_at)
   VALUES ('{${ids}}', clock_timestamp() + ${ms} * interval '1 ms') RETURNING id`;

/** `$1`: the ids of written notes; `$2`: their times, or nulls; `$3`: the announcement that ends, or null. */
const logSql = `WITH ended AS (DELETE FROM announced_writes WHERE id = $3::bigint)
  INSERT INTO distributed_changes (ids, updated_ats) VALUES ($1::bigint[], $2::bigint[])`;

/** Deletes old entries, by the same rules as `pruneLogSql`. */
const pruneSql = `
  WITH here AS MATERIALIZED (SELECT pg_snapshot_xmin(now) AS oldest, pg_snapshot_xmax(now) AS newest
      FROM pg_current_snapshot() AS now),
    range AS MATERIALIZED (SELECT oldest, newest, least(oldest, greatest(0, newest::text::bigint -
      least(greatest(newest::text::bigint - $1::bigint, 20000), 1000000))::text::xid8) AS horizon FROM here),
    moved AS (UPDATE distributed_changes_pruned SET before = horizon FROM range
      WHERE before < horizon OR before > newest),
    deleted AS (DELETE FROM distributed_changes USING range WHERE txid < horizon OR txid >= newest)
  SELECT oldest::text AS state FROM range`;

const selectAnnouncedSql = 'SELECT 1 FROM announced_writes LIMIT 1';

const selectAnnouncedOfSql = 'SELECT 1 FROM announced_writes WHERE ids && $1::bigint[] LIMIT 1';

const logAnnouncedSql = 'INSERT INTO distributed_changes (ids) SELECT ids FROM announced_writes';

const selectEndedAnnouncementsSql = `SELECT id, ceil(extract(epoch FROM clock_timestamp() - ends_at))::integer AS age
  FROM announced_writes WHERE ends_at < clock_timestamp() ORDER BY ends_at LIMIT 1000`;

/** `seconds`: how long ago the transactions that count have begun, by the clock of each node. */
const countTransactionsOnWorkersSql = (seconds: number): string => `
  SELECT coalesce(bool_and(success AND result = '0'), true) AS is_idle FROM run_command_on_workers($$
    SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND backend_type = 'client backend' AND xact_start < clock_timestamp() - interval '${seconds} s')
      + (SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()
        AND prepared < clock_timestamp() - interval '${seconds} s')$$)`;

const logAbandonedSql = (ids: readonly string[]): string => `
  WITH ended AS (DELETE FROM announced_writes WHERE id IN (${ids}) RETURNING ids)
  INSERT INTO distributed_changes (ids) SELECT ids FROM ended`;

const selectPreparedSql = `SELECT bool_and(success) AS is_known, string_agg(result, ' ') AS prepared
  FROM run_command_on_workers($$SELECT coalesce(string_agg(gid, ' '), '') FROM pg_prepared_xacts
    WHERE database = current_database()$$)`;

/** How long to wait before prepared transactions are looked for again, in ms. */
const preparedPauseMs = 50;

/** Somebody who follows the log without a gap, as lists do. */
interface Following {
  /** What the follower knows of the log. */
  readonly snapshot: string;
  /** Undefined until the log was read. */
  readonly epoch: string | undefined;
  /** The states of notes that the follower was told of, or that this instance has written since. */
  readonly recent: RecentRows;
}

/** Announces writes of distributed notes, and logs them. */
export class DistributedWriteLog {
  /**
   * The follower must not be told of an older state of a note than before: an instance may log its write later than
   * another one logs the next write to the same note.
   */
  #following: Following = { snapshot: '', epoch: undefined, recent: new RecentRows() };
  readonly #connections: ConnectionPool;
  readonly #placement: Placement;
  readonly #timeoutMs: number;
  readonly #mergePermits: Semaphore;

  constructor({ connections, placement }: OpenPostgresDatabase, timeoutMs: number) {
    this.#connections = connections;
    this.#placement = placement;
    this.#timeoutMs = timeoutMs;
    const createTimeoutError = () => new NoteError('busy', message.busy);
    this.#mergePermits = new Semaphore({ max: 1, waitMs: timeoutMs, createTimeoutError });
  }

  /**
   * Merges of all instances run one after the other in any case. Those of one instance wait here, without a connection:
   * the one that runs needs two.
   */
  acquireMergePermit(): Promise<Permit> {
    return this.#mergePermits.acquirePermitOrTimeOut();
  }

  async announce(changedIds: readonly number[], newCount: number): Promise<Announcement> {
    const { recent } = this.#following;
    const [row] = await this.#connections.query<AnnouncementRow>(announceSql, [
      `{${changedIds}}`,
      newCount,
      maxStatements * this.#timeoutMs,
    ]);
    if (row === undefined) throw new Error('The database stored no announcement');
    const ids = row.ids.split(' ').map(Number);
    const shards = row.shards.split(' ');
    return {
      id: row.id,
      newIds: ids.slice(changedIds.length),
      shards: new Map(ids.map((noteId, index) => [noteId, shards[index] ?? ''])),
      now: Number(row.now),
      recent,
    };
  }

  /** Returns what the follower knows who has this snapshot of the log; nothing if it is another one than before. */
  followFrom(snapshot: string): RecentRows {
    if (this.#following.snapshot !== snapshot)
      this.#following = { snapshot, epoch: undefined, recent: new RecentRows() };
    return this.#following.recent;
  }

  /** Notes that the follower has this snapshot now. It begins anew after a crash, and if it reads everything again. */
  followTo({ snapshot, epoch, everything }: LogExtent, recent: RecentRows): void {
    const former = this.#following;
    if (former.recent !== recent) return;
    const isContinued = !everything && (former.epoch === undefined || former.epoch === epoch);
    this.#following = { snapshot, epoch, recent: isContinued ? recent : new RecentRows() };
  }

  /**
   * Reserves a connection for an announcement in the midst of a merge. No other one may be free by then: creates can hold
   * all of them while they wait for an id that the merge has inserted.
   */
  reserveConnection(): Promise<Connection> {
    return this.#connections.reserve();
  }

  /** Returns the id of the announcement. */
  async announceOnConnection(connection: Connection, ids: readonly number[]): Promise<string | undefined> {
    const [row] = await connection.query<{ id: string }>(announceIdsSql(ids, maxStatements * this.#timeoutMs));
    return row?.id;
  }

  /**
   * Logs notes that the shards have committed: those of `notes` in these states, those of `otherIds` in unknown ones.
   * The announcement ends, unless others of its notes may still be written. It is repeated if the connection breaks,
   * since to log a note twice is harmless.
   */
  async logChanges(
    notes: readonly Note[],
    otherIds: readonly number[],
    endedAnnouncement: string | undefined,
  ): Promise<void> {
    const ids = [...notes.map(({ id }) => id), ...otherIds];
    const times = [...notes.map(({ updatedAt }) => Date.parse(updatedAt)), ...otherIds.map(() => 'NULL')];
    if (ids.length > 0)
      await this.#connections.readWithRetries(logSql, [`{${ids}}`, `{${times}}`, endedAnnouncement ?? null]);
    else if (endedAnnouncement !== undefined) await this.endAnnouncement(endedAnnouncement);
  }

  /**
   * Resolves when the transactions that workers have prepared are committed there. The coordinator reports a commit
   * before, if a worker does not answer at that moment. Throws after the timeout.
   */
  async waitForPreparedTransactions(): Promise<void> {
    if (!isPlacementDistributedById(this.#placement)) return; // the coordinator has all notes, and reads its own
    const deadline = performance.now() + this.#timeoutMs;
    for (let waited: ReadonlySet<string> | undefined; ; await Bun.sleep(preparedPauseMs)) {
      const [row] = await this.#connections.readWithRetries<{ is_known: boolean; prepared: string | null }>(
        selectPreparedSql,
      );
      const prepared = new Set((row?.prepared ?? '').split(' ').filter((gid) => gid !== ''));
      const left = waited === undefined ? prepared : prepared.intersection(waited);
      if (row?.is_known === true) {
        if (left.size === 0) return;
        waited = left;
      }
      if (performance.now() > deadline) throw new NoteError('unavailable', message.storeFailed, { outcome: 'unknown' });
    }
  }

  /**
   * Logs announced notes that a read of shards may just have shown before they were logged: from now on, lists show them
   * too. Without ids, all that are announced.
   */
  async logIfAnnounced(ids?: readonly number[]): Promise<void> {
    const found = await (ids === undefined
      ? this.#connections.readWithRetries(selectAnnouncedSql)
      : this.#connections.readWithRetries(selectAnnouncedOfSql, [`{${ids}}`]));
    if (found.length === 0) return;
    try {
      if (ids === undefined) await this.#connections.readWithRetries(logAnnouncedSql);
      else await this.logChanges([], ids, undefined);
    } catch (error) {
      if (!isReadOnlyError(error)) throw error; // nobody can log anything then, and what is announced is abandoned
    }
  }

  /** Ends the announcement of writes that certainly had no effect. */
  async endAnnouncement(id: string): Promise<void> {
    await this.#connections.query('DELETE FROM announced_writes WHERE id = $1', [id]);
  }

  /**
   * Prunes the log, logs what was abandoned, and returns the state of the server: changes since then are not pruned. A
   * failure to log is harmless, as it is tried again.
   */
  async pruneAndLogAbandoned(prunedState: string): Promise<string | undefined> {
    const [row] = await this.#connections.query<{ state: string }>(pruneSql, [prunedState]);
    await this.#logAbandonedAnnouncements().catch(() => {});
    return row?.state;
  }

  /**
   * Logs the notes of announcements whose instance has ended, or does not know what became of them. It waits until no
   * worker has a transaction that is older: such a one may still commit.
   */
  async #logAbandonedAnnouncements(): Promise<void> {
    const ended = await this.#connections.query<{ id: string; age: number }>(selectEndedAnnouncementsSql);
    const [oldest] = ended;
    if (oldest === undefined) return;
    const youngestAge = Math.min(...ended.map(({ age }) => age)) - 1;
    const [row] = await this.#connections.query<{ is_idle: boolean }>(countTransactionsOnWorkersSql(youngestAge));
    if (row?.is_idle) await this.#connections.query(logAbandonedSql(ended.map(({ id }) => id)));
  }
}

/** How many statements may follow each other in a batch, each with its timeout, at most. */
const maxStatements = 10;

/** The logged time of a note is that of its last state, and NULL if an entry of the log does not tell. */
const selectDistributedIdsSql = `${createChangesWithSql({
  log: 'distributed_changes',
  selectChangedSql: `SELECT id AS changed, CASE WHEN bool_and(updated_at IS NOT NULL) THEN max(updated_at) END AS updated_at
    FROM recent, unnest(ids, updated_ats) AS entry(id, updated_at) GROUP BY id`,
  isTooLargeSql: 'false',
})}
  SELECT extent.*, changes.changed, changes.updated_at AS logged_at
  FROM extent LEFT JOIN changes ON NOT extent.everything`;

/** Up to where the log was read. */
type LogExtent = Pick<ChangeRow, 'snapshot' | 'epoch' | 'everything'>;

interface LoggedId extends LogExtent {
  readonly changed: string | null;
  readonly logged_at: string | null;
}

const selectBytesSql = (ids: readonly number[]): string =>
  `SELECT coalesce(sum(octet_length(title) + octet_length(content)), 0) AS bytes FROM notes WHERE id IN (${ids})`;

/** So few notes are read without adding up their bytes first. */
const maxUnmeasured = 8;

/**
 * Reads what was logged after a snapshot, as `selectChangesSql` does. The notes are read from the shards afterwards:
 * they have committed what is logged, so that they are never older than the log.
 *
 * Example:
 * 1. The log names notes 3, 4 and 5 with their times, and note 6 without one, which an instance that ended had announced.
 * 2. This instance has written note 3 itself, and at that time. So its state is known, and only 4, 5 and 6 are read.
 * 3. Note 4 has the logged time. Note 5 has a later one, and note 6 may have: they may be newer than the log, and are
 *    logged again if they are announced.
 */
export async function readDistributedChangeRows(
  connections: ConnectionPool,
  log: DistributedWriteLog,
  snapshot: string,
): Promise<readonly ChangeRow[]> {
  const recent = log.followFrom(snapshot);
  const logged = await connections.readWithRetries<LoggedId>(selectDistributedIdsSql, [snapshot]);
  const [state] = logged;
  if (state === undefined || state.changed === null) {
    if (state !== undefined) log.followTo(state, recent);
    return logged.map((row) => ({ ...row, changed: null, id: null }));
  }
  const known = findRecentRows(recent, logged);
  const unknown = logged.filter(({ changed }) => !known.has(changed));
  const read = await readRowsIfWithinBytes(connections, unknown);
  const extent = { ...state, everything: read === undefined };
  if (read === undefined) {
    log.followTo(extent, recent);
    return [{ ...extent, changed: null, id: null }];
  }
  const maybeNewer = unknown.filter(({ changed, logged_at }) => {
    const row = read.get(changed);
    return row === undefined || row.updated_at !== logged_at;
  });
  if (maybeNewer.length > 0) await log.logIfAnnounced(maybeNewer.map(({ changed }) => Number(changed)));
  for (const row of read.values()) recent.replace(row);
  log.followTo(extent, recent);
  return logged.map((row) => ({
    ...row,
    changed: String(row.changed),
    ...(known.get(row.changed) ?? read.get(row.changed) ?? { id: null }),
  }));
}

type RowsById = ReadonlyMap<string | null, PostgresNoteRow>;

/** Finds the logged notes whose logged states, or newer ones, are known. */
function findRecentRows(recent: RecentRows, logged: readonly LoggedId[]): RowsById {
  const rows = logged.flatMap(({ changed, logged_at: loggedAt }) =>
    loggedAt === null ? [] : (recent.find(Number(changed), Number(loggedAt)) ?? []),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Reads logged notes; undefined if they are too long. */
async function readRowsIfWithinBytes(
  connections: ConnectionPool,
  logged: readonly LoggedId[],
): Promise<RowsById | undefined> {
  const ids = logged.map(({ changed }) => Number(changed));
  if (ids.length === 0) return new Map();
  if (ids.length > maxUnmeasured) {
    const [sum] = await connections.readWithRetries<{ bytes: string }>(selectBytesSql(ids));
    if (Number(sum?.bytes) > maxBytes) return undefined;
  }
  const rows = await connections.readWithRetries<PostgresNoteRow>(selectNotesSql(ids));
  return new Map(rows.map((row) => [row.id, row]));
}

export const selectDistributedFingerprintSql = createFingerprintSql('distributed_changes');
