import { columns } from '../row.ts';
import type { NoteRow } from './row.ts';

/** A state of the database: the transactions visible to a snapshot. */
export interface Moment {
  readonly snapshot: string;
  /** Snapshots of different epochs cannot be compared. */
  readonly epoch: string;
}

/** A row per changed note, with the note if it still exists; a single row without a note if none changed. */
export type ChangeRow = Moment & { readonly everything: boolean } & (
    | { readonly changed: null; readonly id: null }
    | ({ readonly changed: string } & (NoteRow | { readonly id: null }))
  );

/** With more changed notes than this, everything counts as changed. */
const maxChanges = 10_000;

/**
 * Identifies a server, its data and its last crash recovery. Snapshots of a standby omit transactions that are open on
 * the primary, so each is an epoch of its own.
 */
const epochNow = `concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(),
  'notes'::regclass::oid, CASE WHEN pg_is_in_recovery() THEN gen_random_uuid() END)`;

export const selectMoment = `SELECT pg_current_snapshot()::text AS snapshot, ${epochNow} AS epoch`;

/** Identifies the present notes: equal states, equal notes. Until it is pruned, the log only grows. */
export const selectState = `SELECT concat_ws(' ',
  coalesce((SELECT before::text FROM note_changes_pruned), gen_random_uuid()::text),
  (SELECT count(*) FROM note_changes), ${epochNow}) AS state`;

/**
 * Looks up notes one by one by primary key, as the planner may choose badly for a join. $1 is the last known snapshot.
 * It did not see transactions that were running then or began later. $2 is the maximum size of the notes in bytes.
 */
export const selectChanges = `
  WITH recent AS MATERIALIZED (
    SELECT ids FROM note_changes
    WHERE txid >= pg_snapshot_xmax($1::pg_snapshot) OR txid = ANY (ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot)))),
  changes AS MATERIALIZED (SELECT DISTINCT unnest(ids) AS changed FROM recent LIMIT ${maxChanges + 1}),
  extent AS (
    SELECT pg_current_snapshot()::text AS snapshot, ${epochNow} AS epoch,
      EXISTS (SELECT 1 FROM recent WHERE cardinality(ids) = 0)
        OR (SELECT count(*) FROM changes) > ${maxChanges}
        OR (SELECT coalesce(sum((SELECT octet_length(title) + octet_length(content) FROM notes WHERE id = changed)), 0)
            FROM changes) > $2::bigint
        OR NOT EXISTS (SELECT 1 FROM note_changes_pruned WHERE before <= pg_snapshot_xmin($1::pg_snapshot))
        AS everything)
  SELECT extent.*, changes.changed, note.*
  FROM extent LEFT JOIN changes ON NOT extent.everything
    LEFT JOIN LATERAL (SELECT ${columns} FROM notes WHERE id = changes.changed LIMIT 1) AS note ON true`;

/**
 * Prunes what is older than $1, the state that an earlier pruning returned, and than the last 20,000 transactions of the
 * server. An instance that has not asked for longer reads its lists anew. States count the transactions of all databases
 * on the server: a busy neighbour makes thousands in a second. What is older than a million goes, as commands know no
 * earlier pruning.
 */
export const pruneLog = `
  SELECT oldest::text AS state, prune_note_changes(least(greatest(newest - $1::bigint, 20000), 1000000))
  FROM (SELECT pg_snapshot_xmin(now)::text::bigint AS oldest, pg_snapshot_xmax(now)::text::bigint AS newest
    FROM pg_current_snapshot() AS now) AS here`;
