import { columns, entryOf } from '../../row.ts';
import type { Connections } from '../connections.ts';
import type { ListCache } from '../list-cache.ts';
import type { NoteRow } from '../row.ts';
import { epochNow } from './snapshot.ts';

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

export const selectMoment = `SELECT pg_current_snapshot()::text AS snapshot, ${epochNow} AS epoch`;

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
 * Reports writes by any program to a cache. Each query finds the writes of transactions not seen before. Concurrent
 * callers share a query.
 */
export class Follower {
  readonly #connections: Connections;
  readonly #cache: ListCache;
  #moment: Moment | undefined;
  /** Resolves when the last query has succeeded or failed. */
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(connections: Connections, cache: ListCache) {
    this.#connections = connections;
    this.#cache = cache;
  }

  /** Epoch of the database; undefined before the first query. */
  get epoch(): string | undefined {
    return this.#moment?.epoch;
  }

  /**
   * Resolves when the cache has all writes before the call. A running query may have an earlier snapshot, so
   * callers share the next one. Queries run one after the other.
   */
  caughtUp(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const asking = this.#last.then(() => {
      this.#next = undefined;
      return this.#ask();
    });
    this.#last = asking.catch(() => {});
    this.#next = this.#connections.inTime(asking).catch((error) => {
      this.#next = undefined; // it may still wait for the last one; later callers start a new one
      throw error;
    });
    return this.#next;
  }

  async #ask(): Promise<void> {
    const known = this.#moment;
    if (known === undefined) {
      [this.#moment] = await this.#connections.read<Moment>(selectMoment);
      return;
    }
    const rows = await this.#connections.read<ChangeRow>(selectChanges, [known.snapshot, this.#cache.maxListBytes]);
    for (const { snapshot, epoch } of rows.slice(0, 1)) this.#moment = { snapshot, epoch };
    for (const row of rows) {
      if (row.everything || row.epoch !== known.epoch) return this.#cache.clear();
      if (row.changed === null) continue;
      if (row.id === null) this.#cache.delete(Number(row.changed));
      else this.#cache.set(Number(row.changed), row, entryOf(row).json);
    }
  }
}
