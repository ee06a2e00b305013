import type { ChangeFeed, Changes } from '../../core/store.ts';
import { singleFlight } from '../../core/tools/concurrency.ts';
import { noteJsonOf } from '../row.ts';
import type { Connections } from './connections.ts';
import { DatabaseError } from './failure.ts';
import { type ChangeRow, type Moment, selectChanges, selectMoment } from './postgres-log.ts';

/** Poll interval in ms. All instances report a change within a second. */
const pollMs = 250;

/** Maximum age of a cursor that counts as current, in ms. */
const freshMs = 1_000;

/** Maximum size of the changed notes that are read, in bytes. */
const maxBytes = 16 * 1024 * 1024;

type Stored = Extract<ChangeRow, { id: string }>;

/** Changes by any instance, from their log. A cursor is a snapshot of the database, valid on every instance. */
export class LoggedChanges implements ChangeFeed {
  readonly #database: Pick<Connections, 'read'>;
  #last: { readonly cursor: string; readonly at: number } | undefined;
  readonly #askOnce = singleFlight(() => this.#ask());

  /** `database` throws errors that can be shown. */
  constructor(database: Pick<Connections, 'read'>) {
    this.#database = database;
  }

  cursor(): string | Promise<string> {
    if (this.#last !== undefined && performance.now() - this.#last.at < freshMs) return this.#last.cursor;
    return this.#askOnce();
  }

  async changesAfter(cursor: string): Promise<Changes | undefined> {
    const at = performance.now();
    const snapshot = snapshotIn(cursor);
    const rows = snapshot === undefined ? [] : await this.#read(snapshot);
    const [first] = rows;
    if (first === undefined) return undefined;
    const next = this.#made(first, at);
    if (first.everything || !cursor.startsWith(prefixOf(first))) return undefined;
    const changed = rows.filter((row) => row.changed !== null);
    const stored = changed.filter((row): row is Stored => row.id !== null);
    if (stored.length < changed.length) return undefined; // another program has deleted notes
    stored.sort((one, other) => Number(one.updated_at) - Number(other.updated_at));
    return { notes: stored.map((row) => noteJsonOf(row).json), cursor: next };
  }

  async changed(): Promise<void> {
    await Bun.sleep(pollMs);
  }

  async #ask(): Promise<string> {
    const at = performance.now();
    const [state] = await this.#database.read<Moment>(selectMoment);
    if (state === undefined) throw new Error('The database returned no snapshot');
    return this.#made(state, at);
  }

  async #read(snapshot: string): Promise<readonly ChangeRow[]> {
    try {
      return await this.#database.read<ChangeRow>(selectChanges, [snapshot, maxBytes]);
    } catch (error) {
      const { cause } = error as Error;
      if (cause instanceof DatabaseError && cause.sqlState === invalidText) return []; // not one of our cursors
      throw error;
    }
  }

  #made(state: Moment, at: number): string {
    const cursor = prefixOf(state) + state.snapshot.replaceAll(':', '.').replaceAll(',', '_');
    this.#last = { cursor, at };
    return cursor;
  }
}

const invalidText = '22P02';

const prefixOf = ({ epoch }: Moment) => `${Bun.hash.xxHash3(epoch).toString(36)}.`;

/** Returns the snapshot of a cursor in the syntax of the database, or undefined if the cursor is malformed. */
function snapshotIn(cursor: string): string | undefined {
  const [, min, max, running] = /^[0-9a-z]+\.(\d{1,19})\.(\d{1,19})\.([\d_]*)$/.exec(cursor) ?? [];
  return min === undefined ? undefined : `${min}:${max}:${running?.replaceAll('_', ',')}`;
}
