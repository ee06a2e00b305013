import { createDeletionChange, createNoteChange, type NoteChange } from '../note-change.ts';
import { noteColumnsSql, toNote } from '../note-fields.ts';
import type { ChangeCursor, ChangesSince } from '../note-storage.ts';
import type { NoteRow } from './recordset.ts';

/** A state of the database: the transactions visible to a snapshot. */
export interface ServerState {
  readonly snapshot: string;
  /** Snapshots of different epochs cannot be compared. */
  readonly epoch: string;
}

/** A row per changed note, with the note if it still exists; a single row without a note if none changed. */
export type ChangeRow = ServerState & { readonly everything: boolean } & (
    | { readonly changed: null; readonly id: null }
    | ({ readonly changed: string } & (NoteRow | { readonly id: null }))
  );

/** With more changed notes than this, or more bytes of them, everything counts as changed. */
const maxChanges = 10_000;
const maxBytes = 16 * 1024 * 1024;

/**
 * Identifies a server, its data and its last crash recovery. Snapshots of a standby omit transactions that are open on
 * the primary, so each is an epoch of its own.
 */
const selectEpochSql = `concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(),
  'notes'::regclass::oid, CASE WHEN pg_is_in_recovery() THEN gen_random_uuid() END)`;

export const selectStateSql = `SELECT pg_current_snapshot()::text AS snapshot, ${selectEpochSql} AS epoch`;

/** Identifies the present notes: equal fingerprints, equal notes. Until it is pruned, the log only grows. */
export const selectFingerprintSql = `SELECT concat_ws(' ',
  coalesce((SELECT before::text FROM note_changes_pruned), gen_random_uuid()::text),
  (SELECT count(*) FROM note_changes), ${selectEpochSql}) AS fingerprint`;

/**
 * Looks up notes one by one by primary key, as the planner may choose badly for a join. $1 is the last known snapshot.
 * It did not see transactions that were running then or began later.
 */
export const selectChangesSql = `
  WITH recent AS MATERIALIZED (
    SELECT ids FROM note_changes
    WHERE txid >= pg_snapshot_xmax($1::pg_snapshot) OR txid = ANY (ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot)))),
  changes AS MATERIALIZED (SELECT DISTINCT unnest(ids) AS changed FROM recent LIMIT ${maxChanges + 1}),
  extent AS (
    SELECT pg_current_snapshot()::text AS snapshot, ${selectEpochSql} AS epoch,
      EXISTS (SELECT 1 FROM recent WHERE cardinality(ids) = 0)
        OR (SELECT count(*) FROM changes) > ${maxChanges}
        OR (SELECT coalesce(sum((SELECT octet_length(title) + octet_length(content) FROM notes WHERE id = changed)), 0)
            FROM changes) > ${maxBytes}
        OR NOT EXISTS (SELECT 1 FROM note_changes_pruned WHERE before <= pg_snapshot_xmin($1::pg_snapshot))
        AS everything)
  SELECT extent.*, changes.changed, note.*
  FROM extent LEFT JOIN changes ON NOT extent.everything
    LEFT JOIN LATERAL (SELECT ${noteColumnsSql} FROM notes WHERE id = changes.changed LIMIT 1) AS note ON true`;

/**
 * Prunes what is older than $1, the state that an earlier pruning returned, and than the last 20,000 transactions of the
 * server. An instance that has not asked for longer reads its lists anew. States count the transactions of all databases
 * on the server: a busy neighbour makes thousands in a second. What is older than a million goes, as commands know no
 * earlier pruning.
 */
export const pruneLogSql = `
  SELECT oldest::text AS state, prune_note_changes(least(greatest(newest - $1::bigint, 20000), 1000000))
  FROM (SELECT pg_snapshot_xmin(now)::text::bigint AS oldest, pg_snapshot_xmax(now)::text::bigint AS newest
    FROM pg_current_snapshot() AS now) AS here`;

/**
 * Formats a state as a cursor, which is valid on every instance.
 *
 * Example: the snapshot `731:735:732,734` has seen all transactions below 731 and none from 735 on; of those between,
 * 732 and 734 were still running. With the epoch's hash it is the cursor `k3x9.731.735.732_734`. A change since then is
 * one that transaction 732, 734, 735 or a later one has logged.
 */
export const formatCursor = ({ epoch, snapshot }: ServerState): ChangeCursor =>
  hashEpoch(epoch) + snapshot.replaceAll(':', '.').replaceAll(',', '_');

const hashEpoch = (epoch: string): string => `${Bun.hash.xxHash3(epoch).toString(36)}.`;

/** Returns the snapshot of a cursor in the syntax of the database; undefined if the cursor is malformed. */
export function parseSnapshot(cursor: ChangeCursor): string | undefined {
  const [, min, max, running] = /^[0-9a-z]+\.(\d{1,19})\.(\d{1,19})\.([\d_]*)$/.exec(cursor) ?? [];
  return min === undefined ? undefined : `${min}:${max}:${running?.replaceAll('_', ',')}`;
}

/** Converts the rows of `selectChangesSql` for a cursor, the changes in the order of `updated_at`. */
export function toChangesSince(since: ChangeCursor, rows: readonly [ChangeRow, ...ChangeRow[]]): ChangesSince {
  const [first] = rows;
  const cursor = formatCursor(first);
  const isComparable = since.startsWith(hashEpoch(first.epoch));
  if (first.everything || !isComparable) return { changes: undefined, cursor };
  const inOrder = rows.toSorted((one, other) => getUpdatedAtMs(one) - getUpdatedAtMs(other));
  return { changes: inOrder.flatMap((row) => toNoteChange(row) ?? []), cursor };
}

const getUpdatedAtMs = (row: ChangeRow): number => (row.id === null ? 0 : Number(row.updated_at));

function toNoteChange(row: ChangeRow): NoteChange | undefined {
  if (row.changed === null) return undefined;
  return row.id === null ? createDeletionChange(Number(row.changed)) : createNoteChange(toNote(row), 'unknown');
}
