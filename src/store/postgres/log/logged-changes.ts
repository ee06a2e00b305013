import type { ChangeFeed, Changes } from '../../../domain/store.ts';
import type { Connections } from '../connections.ts';
import { DatabaseError } from '../failure.ts';
import { noteOf } from '../row.ts';
import { type ChangeRow, type Moment, selectChanges, selectMoment } from './follower.ts';

/** How long those who wait for a change wait, in ms: within a second all instances have told it. */
const pollMs = 250;

/** How old a moment may be, in ms, that is passed off as the present one. */
const freshMs = 1_000;

/** Most bytes of notes that are read to tell them. */
const maxBytes = 16 * 1024 * 1024;

type Stored = Extract<ChangeRow, { id: string }>;

/** What any instance has written, by the log of changes. A cursor is a snapshot of the database: each instance understands those of the others. */
export class LoggedChanges implements ChangeFeed {
  readonly #database: Pick<Connections, 'read'>;
  /** The last cursor that was made, and when it was asked for by `performance.now()`. */
  #last: { readonly cursor: string; readonly at: number } | undefined;
  #asking: Promise<string> | undefined;

  /** Of a database whose errors may be shown. */
  constructor(database: Pick<Connections, 'read'>) {
    this.#database = database;
  }

  cursor(): string | Promise<string> {
    const age = performance.now() - (this.#last?.at ?? Number.NEGATIVE_INFINITY);
    if (this.#last !== undefined && age < freshMs) return this.#last.cursor;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
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
    if (stored.length < changed.length) return undefined; // another program has deleted some
    stored.sort((one, other) => Number(one.updated_at) - Number(other.updated_at));
    return { notes: stored.map((row) => JSON.stringify(noteOf(row))), cursor: next };
  }

  async changed(): Promise<void> {
    await Bun.sleep(pollMs);
  }

  async #ask(): Promise<string> {
    const at = performance.now();
    const [state] = await this.#database.read<Moment>(selectMoment);
    if (state === undefined) throw new Error('The database told no snapshot');
    return this.#made(state, at);
  }

  async #read(snapshot: string): Promise<readonly ChangeRow[]> {
    try {
      return await this.#database.read<ChangeRow>(selectChanges, [snapshot, maxBytes]);
    } catch (error) {
      const { cause } = error as Error;
      if (cause instanceof DatabaseError && cause.sqlState === invalidText) return []; // no cursor of ours
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

/** The snapshot in a cursor, as the database writes it; undefined where it is none. */
function snapshotIn(cursor: string): string | undefined {
  const [, min, max, running] = /^[0-9a-z]+\.(\d{1,19})\.(\d{1,19})\.([\d_]*)$/.exec(cursor) ?? [];
  return min === undefined ? undefined : `${min}:${max}:${running?.replaceAll('_', ',')}`;
}
