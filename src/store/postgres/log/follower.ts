import type { Connections } from '../connections.ts';
import { columns, type NoteRow } from '../row.ts';
import { epochNow } from '../snapshot.ts';

/** A moment of the database: the transactions that a snapshot of it saw. */
export interface Moment {
  readonly snapshot: string;
  /** Of another epoch, snapshots cannot be compared. */
  readonly epoch: string;
}

/** One row for each note that has changed, with the note where it is still there; a single row without one for none. */
export type ChangeRow = Moment & { readonly everything: boolean } & (
    | { readonly changed: null; readonly id: null }
    | ({ readonly changed: string } & (NoteRow | { readonly id: null }))
  );

/** So many changed notes are told one by one; of more, it is only said that everything may have changed. */
const maxChanges = 10_000;

export const selectMoment = `SELECT pg_current_snapshot()::text AS snapshot, ${epochNow} AS epoch`;

/**
 * Notes are looked up one by one, by their key, which a join of the tables would leave to the planner's guess.
 * $1 is the snapshot of the moment that is known. What it did not see are the transactions that were running then, and those
 * that began later. $2 is how many bytes of notes are worth reading so.
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

/** Told what has changed: each note as it is now, or `undefined` for what is not known note by note. */
export interface Listener {
  /** A note as it is now; undefined where it is gone. */
  onChange(id: number, row: NoteRow | undefined): void;
  /** Something has changed that is not known note by note. */
  onUnknown(): void;
}

/**
 * Follows what is written to the database, by whomever: asked, it finds out in one statement what was written by transactions
 * that it has not seen yet. Those who wait for the same moment share the question.
 */
export class Follower {
  readonly #connections: Connections;
  readonly #listener: Listener;
  readonly #maxBytes: number;
  #moment: Moment | undefined;
  /** Resolves when the last question was answered or has failed. */
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  /** Changed notes of more than `maxBytes` are not read one by one. */
  constructor(connections: Connections, listener: Listener, maxBytes: number) {
    this.#connections = connections;
    this.#listener = listener;
    this.#maxBytes = maxBytes;
  }

  /** Of the database that it follows; undefined before it was asked. */
  get epoch(): string | undefined {
    return this.#moment?.epoch;
  }

  /**
   * Resolves when the listener knows all that was written before the call. A question that is under way may be of an earlier
   * moment: those who come meanwhile share the next. Questions are asked one after the other.
   */
  caughtUp(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const asking = this.#last.then(() => {
      this.#next = undefined;
      return this.#ask();
    });
    this.#last = asking.catch(() => {});
    this.#next = this.#connections.inTime(asking).catch((error) => {
      this.#next = undefined; // it may still wait for the last one: whoever comes now need not fail at once
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
    const rows = await this.#connections.read<ChangeRow>(selectChanges, [known.snapshot, this.#maxBytes]);
    for (const { snapshot, epoch } of rows.slice(0, 1)) this.#moment = { snapshot, epoch };
    for (const row of rows) {
      if (row.everything || row.epoch !== known.epoch) return this.#listener.onUnknown();
      if (row.changed !== null) this.#listener.onChange(Number(row.changed), row.id === null ? undefined : row);
    }
  }
}
