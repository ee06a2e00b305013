import { createChangeOfDeletedId, createNoteChange, type NoteChange } from '../note-change.ts';
import { noteColumnsSql, toNote } from '../note-fields.ts';
import type { ChangeCursor, ChangesSince } from '../note-storage.ts';
import type { PostgresNoteRow } from './recordset.ts';

/** A state of the database: what a snapshot shows, and the run of the server in which it was taken. */
export interface ServerState {
  /** The transactions that had ended, in the syntax of `pg_snapshot`, such as `731:735:732,734`. */
  readonly snapshot: string;
  /** Identifies a run of the server on its data: the numbers of transactions of different epochs cannot be compared. */
  readonly epoch: string;
}

/** There is a row per changed note, with its fields if it still exists, or a single row without any if none changed. */
export type ChangeRow = ServerState & { readonly everything: boolean } & (
    | { readonly changed: null; readonly id: null }
    | ({ readonly changed: string } & (PostgresNoteRow | { readonly id: null }))
  );

/** If more notes have changed, or notes of more bytes, they are not read, and everything counts as changed. */
const maxChanges = 10_000;
export const maxBytes = 16 * 1024 * 1024;

/**
 * Identifies the epoch by the start of the server, its last crash recovery and its table. On a standby each query gets
 * an epoch of its own, because snapshots there do not show which transactions are open on the primary.
 */
const selectEpochSql = `concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(),
  'notes'::regclass::oid, CASE WHEN pg_is_in_recovery() THEN gen_random_uuid() END)`;

export const selectStateSql = `SELECT pg_current_snapshot()::text AS snapshot, ${selectEpochSql} AS epoch`;

/** The table of the log: the second one is for notes that Citus distributes. */
type ChangeLogTable = 'note_changes' | 'distributed_changes';

/** Identifies the present notes: equal fingerprints, equal notes. Until it is pruned, the log only grows. */
export const createFingerprintSql = (log: ChangeLogTable): string => `SELECT concat_ws(' ',
  coalesce((SELECT before::text FROM ${log}_pruned), gen_random_uuid()::text),
  (SELECT count(*) FROM ${log}), ${selectEpochSql}) AS fingerprint`;

export const selectFingerprintSql = createFingerprintSql('note_changes');

interface ChangesOptions {
  readonly log: ChangeLogTable;
  /** Selects the ids of `recent`, which has the entries of the log, as `changed`. */
  readonly selectChangedSql: string;
  /** Whether the changed notes are too large to be read. */
  readonly isTooLargeSql: string;
}

/**
 * The beginning of a statement that selects what transactions have changed which the snapshot $1 did not show: they
 * were running then, or began later. `changes` has the ids, and `extent` the state of the server, and whether
 * everything counts as changed.
 */
export const createChangesWithSql = ({ log, selectChangedSql, isTooLargeSql }: ChangesOptions): string => `
  WITH recent AS MATERIALIZED (
    SELECT * FROM ${log}
    WHERE txid >= pg_snapshot_xmax($1::pg_snapshot) OR txid = ANY (ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot)))),
  changes AS MATERIALIZED (${selectChangedSql} LIMIT ${maxChanges + 1}),
  extent AS (
    SELECT pg_current_snapshot()::text AS snapshot, ${selectEpochSql} AS epoch,
      EXISTS (SELECT 1 FROM recent WHERE cardinality(ids) = 0)
        OR (SELECT count(*) FROM changes) > ${maxChanges}
        OR ${isTooLargeSql}
        OR NOT EXISTS (SELECT 1 FROM ${log}_pruned WHERE before <= pg_snapshot_xmin($1::pg_snapshot))
        AS everything)`;

const isTooLargeSql = `(SELECT coalesce(sum((SELECT octet_length(title) + octet_length(content) FROM notes
  WHERE id = changed)), 0) FROM changes) > ${maxBytes}`;

/**
 * Selects the changed notes. They are looked up one by one by their primary key, as the planner may choose a bad plan
 * for a join.
 */
export const selectChangesSql = `${createChangesWithSql({
  log: 'note_changes',
  selectChangedSql: 'SELECT DISTINCT unnest(ids) AS changed FROM recent',
  isTooLargeSql,
})}
  SELECT extent.*, changes.changed, note.*
  FROM extent LEFT JOIN changes ON NOT extent.everything
    LEFT JOIN LATERAL (SELECT ${noteColumnsSql} FROM notes WHERE id = changes.changed LIMIT 1) AS note ON true`;

/**
 * Deletes old entries from the log: those from before $1, the number that an earlier pruning by this instance returned,
 * but never one of the last 20,000 transactions. An instance that has not read the log for longer has to read its lists
 * again. The numbers count the transactions of all databases on the server, and another busy database makes thousands
 * in a second. A command knows no earlier pruning and passes 0: it deletes what is older than a million transactions.
 */
export const pruneLogSql = `
  SELECT oldest::text AS state, prune_note_changes(least(greatest(newest - $1::bigint, 20000), 1000000))
  FROM (SELECT pg_snapshot_xmin(now)::text::bigint AS oldest, pg_snapshot_xmax(now)::text::bigint AS newest
    FROM pg_current_snapshot() AS now) AS here`;

/**
 * Formats a state as a cursor, which every instance understands.
 *
 * Example:
 * 1. The snapshot `731:735:732,734` shows all transactions below 731, none from 735 on, and of those in between all but
 *    732 and 734, which were still running.
 * 2. With the hash of the epoch, `k3x9`, it becomes the cursor `k3x9.731.735.732_734`.
 * 3. A client asks for the changes since this cursor: they are what transactions 732, 734, 735 and all later ones have
 *    logged. A change by 733 is not among them, because the snapshot showed it.
 * 4. If the server was restarted meanwhile, the hash differs, and everything counts as changed.
 */
export const formatCursor = ({ epoch, snapshot }: ServerState): ChangeCursor =>
  hashEpochToPrefix(epoch) + snapshot.replaceAll(':', '.').replaceAll(',', '_');

const hashEpochToPrefix = (epoch: string): string => `${Bun.hash.xxHash3(epoch).toString(36)}.`;

/** Returns the snapshot of a cursor in the syntax of the database; undefined if the cursor is malformed. */
export function tryParseCursorSnapshot(cursor: ChangeCursor): string | undefined {
  const [, min, max, running] = /^[0-9a-z]+\.(\d{1,19})\.(\d{1,19})\.([\d_]*)$/.exec(cursor) ?? [];
  return min === undefined ? undefined : `${min}:${max}:${running?.replaceAll('_', ',')}`;
}

/** Converts the rows that `selectChangesSql` returned for a cursor. The changes are in the order of `updated_at`. */
export function toChangesSince(since: ChangeCursor, rows: readonly [ChangeRow, ...ChangeRow[]]): ChangesSince {
  const [first] = rows;
  const cursor = formatCursor(first);
  const isComparable = since.startsWith(hashEpochToPrefix(first.epoch));
  if (first.everything || !isComparable) return { changes: undefined, cursor };
  const inOrder = rows.toSorted((one, other) => getUpdatedAtMsOrZero(one) - getUpdatedAtMsOrZero(other));
  return { changes: inOrder.flatMap((row) => toNoteChangeIfPresent(row) ?? []), cursor };
}

const getUpdatedAtMsOrZero = (row: ChangeRow): number => (row.id === null ? 0 : Number(row.updated_at));

function toNoteChangeIfPresent(row: ChangeRow): NoteChange | undefined {
  if (row.changed === null) return undefined;
  return row.id === null ? createChangeOfDeletedId(Number(row.changed)) : createNoteChange(toNote(row), 'unknown');
}
