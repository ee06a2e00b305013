import { NoteError } from '../../../domain/error.ts';
import * as message from '../../../domain/message.ts';
import type { NoteFilter } from '../../../domain/note.ts';
import { Semaphore } from '../../../shared/concurrency/semaphore.ts';
import type { Entry } from '../../row.ts';
import { entryOf } from '../../row.ts';
import { type Connection, type Connections, rollBack } from '../connections.ts';
import type { NoteRow } from '../row.ts';
import { wholeLength } from '../spool.ts';
import { beginSnapshot, epochNow, isWhole, rowsOf, type ShortRow, selectFor, stateNow } from './snapshot.ts';

/** Lists of up to this many notes are read by one statement, longer ones by a cursor. */
const fewNotes = 64;

/** Collect garbage after reading this many characters. The runtime would wait until memory has doubled. */
const collectChars = 8 * 1024 * 1024;

/** A list at one moment. */
export interface Listing {
  /** State of a long list; empty for a short one. */
  readonly revision: string;
  /** Epoch of the database it was read from, if that has one. */
  readonly epoch: string | null;
  readonly head: readonly Entry[];
  /** The remaining notes, if any. Holds a connection until it ends or is returned. */
  readonly rest: Entries | undefined;
}

type Entries = AsyncGenerator<readonly Entry[], void, void>;

interface ReaderContext {
  readonly connections: Connections;
  /** Whether snapshots of the database can be identified. */
  readonly namesSnapshots: boolean;
  readonly isOnShards: boolean;
  /** Maximum number of long lists read at once. */
  readonly snapshots: number;
  /** How long another one waits, in ms, before it fails with `busy`. */
  readonly waitMs: number;
}

/** Reads lists from the database, each in one snapshot. */
export class Reader {
  readonly #context: ReaderContext;
  readonly #snapshots: Semaphore;
  /** Characters of lists read since the last collection. */
  #readChars = 0;

  constructor(context: ReaderContext) {
    this.#context = context;
    const { snapshots: max, waitMs } = context;
    this.#snapshots = new Semaphore({ max, waitMs, refuse: () => new NoteError('busy', message.busy) });
  }

  /** Number of long lists being read. */
  get snapshots(): number {
    return this.#snapshots.acquired;
  }

  /**
   * Reads a list, up to about `maxChars` characters, and less of a long one at a `known` revision. A short list takes a
   * single statement and does not wait for other lists.
   */
  async read(filter: NoteFilter, known: readonly string[], maxChars = wholeLength): Promise<Listing> {
    const rows = await this.#context.connections.read<FewRow>(this.#selectFew(filter));
    const listed = rows.filter((row): row is ShortRow & FewRow => row.id !== null);
    if (listed.length > fewNotes || !listed.every(isWhole)) return this.#begin(filter, known, maxChars);
    return { revision: '', epoch: rows[0]?.epoch ?? null, head: listed.map(entryOf), rest: undefined };
  }

  /** Returns at least one row if the database identifies its snapshots. */
  #selectFew(filter: NoteFilter): string {
    const select = `${selectFor(filter)} LIMIT ${fewNotes + 1}`;
    if (!this.#context.namesSnapshots) return select;
    return `SELECT list.*, epoch FROM (SELECT ${epochNow} AS epoch) AS now
      LEFT JOIN (${select}) AS list ON true ORDER BY id`;
  }

  async #begin(filter: NoteFilter, known: readonly string[], maxChars: number): Promise<Listing> {
    const snapshot = await this.hold();
    const { state, epoch } = snapshot;
    const revision = hashOf(JSON.stringify([state, filter]));
    const rest = this.#entriesOf(snapshot, filter);
    const head: Entry[] = [];
    let left = known.includes(revision) ? 0 : maxChars;
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      head.push(...next.value);
      for (const { json } of next.value) left -= json.length;
      if (left <= 0) return { revision, epoch, head, rest };
    }
    return { revision, epoch, head, rest: undefined };
  }

  /** Yields the matching notes in batches, from one snapshot. */
  async *rows(filter: NoteFilter): AsyncGenerator<NoteRow[], void, void> {
    await using snapshot = await this.hold();
    yield* rowsOf(snapshot.connection, filter, this.#context.isOnShards);
  }

  async *#entriesOf(held: HeldSnapshot, filter: NoteFilter): Entries {
    await using snapshot = held;
    for await (const rows of rowsOf(snapshot.connection, filter, this.#context.isOnShards)) {
      const entries = rows.map(entryOf);
      for (const { json } of entries) this.#readChars += json.length;
      this.#collect();
      yield entries;
    }
  }

  #collect(): void {
    if (this.#readChars < collectChars) return;
    this.#readChars = 0;
    Bun.gc(true); // 22 ms; an asynchronous collection comes too late
  }

  /** Begins a snapshot, held until disposal. */
  async hold(): Promise<HeldSnapshot> {
    const { connections, namesSnapshots } = this.#context;
    await using held = new AsyncDisposableStack();
    held.adopt(await this.#snapshots.acquire(), (permit) => permit.release());
    const connection = held.adopt(await connections.hold(), rollBack);
    const [state, epoch] = namesSnapshots ? [stateNow, epochNow] : ['gen_random_uuid()::text', 'NULL'];
    const now = `SELECT ${state} AS state, ${epoch} AS epoch`;
    const [named] = await connection.run<SnapshotName>(`${beginSnapshot}; ${now}`);
    if (named === undefined) throw new Error('The database returned no snapshot');
    const all = held.move();
    return { connection, ...named, [Symbol.asyncDispose]: () => all.disposeAsync() };
  }
}

/** A row with the epoch of the database; without a note if there is none. */
type FewRow = (ShortRow | { readonly id: null }) & { readonly epoch?: string };

interface SnapshotName {
  /** Equal for equal notes. */
  readonly state: string;
  readonly epoch: string | null;
}

interface HeldSnapshot extends SnapshotName, AsyncDisposable {
  readonly connection: Connection;
}

const hashOf = (text: string) => Bun.hash.xxHash3(text).toString(36);
