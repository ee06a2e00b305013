import type { NoteFilter } from '../../domain/note.ts';
import type { JsonList } from '../../domain/store.ts';
import { type CachedList, type Entry, keyOf, ListCache, type Listed } from '../list-cache.ts';
import { type Connections, rollBack } from './connections.ts';
import { columns, type NoteRow, noteOf } from './row.ts';
import { beginSnapshot, epochNow, rowsOf } from './snapshot.ts';

/** The JSON of a note, where it is listed, and a number that stands for it in the revisions of lists. */
interface Held extends Entry {
  readonly listed: Listed;
  readonly hash: bigint;
}

/** What the notes of one category, group and state come to. */
interface Cell {
  readonly listed: Listed;
  count: number;
  /** Of the hashes of its notes, modulo 2^64. */
  sum: bigint;
}

/** What the replica shows: the transactions that a snapshot of the database saw. */
interface State {
  readonly snapshot: string;
  /** Of another epoch, snapshots cannot be compared. */
  readonly epoch: string;
}

/** One row for each note that has changed, with the note where it is still there; a single row without one for none. */
export type ChangeRow = State & { readonly everything: boolean } & (
    | { readonly changed: null; readonly id: null }
    | ({ readonly changed: string } & (NoteRow | { readonly id: null }))
  );

/** After so many bytes of lists were made, what is left of them is collected. */
const collectBytes = 8 * 1024 * 1024;

/** So many changed notes are read one by one; of more, all notes are read again. */
const maxChanges = 10_000;

/**
 * Notes are looked up one by one, by their key, which a join of the tables would leave to the planner's guess.
 * $1 is the snapshot of the state that the replica shows. What it did not see are the transactions that were running then,
 * and those that began later. $2 is how many bytes of notes are worth reading so.
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
 * The notes of a database, held in memory so that lists need not be read again and again, and never stale: before each list
 * the database is asked, in one statement, for what was written by transactions that the replica has not seen yet. Those
 * who wait for the same moment share the question.
 */
export class Replica {
  readonly #connections: Connections;
  readonly #maxBytes: number;
  readonly #cells = new Map<number, Cell>();
  readonly #notes = new Map<number, Held>();
  readonly #cache: ListCache;
  /** Of lists that were asked for since a note has changed. */
  readonly #revisions = new Map<number, string>();
  #state: State | undefined;
  #bytes = 0;
  /** Of the lists that were made since the last collection. */
  #madeBytes = 0;
  #isTooLarge = false;
  /** Resolves when the last question was answered or has failed. */
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  /** Notes whose JSON takes more than `maxBytes` are not held; as many bytes again may go to ready-made lists. */
  constructor(connections: Connections, maxBytes: number) {
    this.#connections = connections;
    this.#maxBytes = maxBytes;
    this.#cache = new ListCache(maxBytes);
  }

  /** The list as it was at some moment after the call; undefined where it is not held. */
  async list(filter: NoteFilter, known: readonly string[]): Promise<JsonList | undefined> {
    if (this.#isTooLarge) return undefined;
    await this.#refreshed();
    if (this.#state === undefined) return undefined;
    const revision = this.#revisionOf(filter);
    if (known.includes(revision)) return { kind: 'unchanged', revision };
    const list = this.#cache.find(filter) ?? this.#cached(filter);
    return list && { kind: 'whole', revision, body: list.body };
  }

  /**
   * Resolves when the replica shows a moment after the call. A question that is under way may be of an earlier one: those
   * who come meanwhile share the next. Questions are asked one after the other.
   */
  #refreshed(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const asking = this.#last.then(() => {
      this.#next = undefined;
      return this.#refresh();
    });
    this.#last = asking.catch(() => {});
    this.#next = this.#connections.inTime(asking).catch((error) => {
      this.#next = undefined; // it may still wait for the last one: whoever comes now need not fail at once
      throw error;
    });
    return this.#next;
  }

  async #refresh(): Promise<void> {
    if (this.#isTooLarge) return;
    if (this.#state === undefined) return this.#load();
    const rows = await this.#connections.read<ChangeRow>(selectChanges, [this.#state.snapshot, this.#maxBytes]);
    const [first] = rows;
    if (first === undefined || first.everything || first.epoch !== this.#state.epoch) return this.#load();
    for (const row of rows)
      if (row.changed !== null) this.#replace(Number(row.changed), row.id === null ? undefined : row);
    this.#state = { snapshot: first.snapshot, epoch: first.epoch };
    if (this.#bytes > this.#maxBytes) this.#giveUp();
  }

  /** Reads all notes, until they are too many. */
  async #load(): Promise<void> {
    this.#clear();
    const connection = await this.#connections.hold();
    try {
      const now = `SELECT pg_current_snapshot()::text AS snapshot, ${epochNow} AS epoch`;
      const [state] = await connection.run<State>(`${beginSnapshot}; ${now}`);
      for await (const rows of rowsOf(connection, {})) {
        for (const row of rows) this.#replace(Number(row.id), row);
        if (this.#bytes > this.#maxBytes) return this.#giveUp();
      }
      this.#state = state;
    } finally {
      await rollBack(connection);
    }
  }

  #giveUp(): void {
    this.#isTooLarge = true;
    this.#clear();
  }

  #clear(): void {
    this.#state = undefined;
    this.#bytes = 0;
    const held = this.#notes.size;
    this.#notes.clear();
    this.#cells.clear();
    this.#revisions.clear();
    this.#cache.clear();
    if (held > 0) Bun.gc(true); // before as many are read again; 25 ms for 50 MB
  }

  /** Puts a note in the place of what was held under its id. */
  #replace(id: number, row: NoteRow | undefined): void {
    this.#revisions.clear();
    const before = this.#notes.get(id);
    if (before !== undefined) this.#remove(before);
    if (row !== undefined) this.#add(row);
  }

  #remove({ id, json, listed, hash }: Held): void {
    this.#notes.delete(id);
    this.#bytes -= json.length;
    const cell = this.#cellOf(listed);
    cell.count--;
    cell.sum = BigInt.asUintN(64, cell.sum - hash);
    this.#cache.delete(listed);
  }

  #add(row: NoteRow): void {
    const note = noteOf(row);
    const json = JSON.stringify(note);
    const { id, archived, category, group } = note;
    const held = { id, json, listed: { id, archived, category, group }, hash: Bun.hash.xxHash64(json) };
    this.#notes.set(id, held);
    this.#bytes += json.length;
    const cell = this.#cellOf(held.listed);
    cell.count++;
    cell.sum = BigInt.asUintN(64, cell.sum + held.hash);
    this.#cache.set(held.listed, json);
  }

  #cellOf(listed: Listed): Cell {
    const key = keyOf(listed);
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      cell = { listed, count: 0, sum: 0n };
      this.#cells.set(key, cell);
    }
    return cell;
  }

  /** Made of what the list holds, so that it is the same at every instance. */
  #revisionOf(filter: NoteFilter): string {
    const key = keyOf(filter);
    const known = this.#revisions.get(key);
    if (known !== undefined) return known;
    let [count, sum] = [0, 0n];
    for (const cell of this.#cells.values()) {
      if (!isListedIn(cell.listed, filter)) continue;
      count += cell.count;
      sum += cell.sum;
    }
    const revision = `${count}-${BigInt.asUintN(64, sum).toString(36)}`;
    this.#revisions.set(key, revision);
    return revision;
  }

  #cached(filter: NoteFilter): CachedList | undefined {
    if (this.#cache.isTooLong(filter)) return undefined;
    const notes = [...this.#notes.values()].filter(({ listed }) => isListedIn(listed, filter));
    const list = this.#cache.put(
      filter,
      notes.sort((one, other) => one.id - other.id),
    );
    this.#collectAfter(list?.body.size ?? 0);
    return list;
  }

  /** The collector does not see the bytes of lists, and lets memory double. It works beside us: 0.2 ms here. */
  #collectAfter(listBytes: number): void {
    this.#madeBytes += listBytes;
    if (this.#madeBytes < collectBytes) return;
    this.#madeBytes = 0;
    Bun.gc(false);
  }
}

const isListedIn = (listed: Listed, { archived, category, group }: NoteFilter) =>
  (archived === undefined || archived === listed.archived) &&
  (category === undefined || category === listed.category) &&
  (group === undefined || group === listed.group);
