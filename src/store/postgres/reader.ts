import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import type { NoteFilter } from '../../domain/note.ts';
import { Semaphore } from '../../shared/semaphore.ts';
import type { Entry } from '../segments.ts';
import { type Connection, type Connections, rollBack } from './connections.ts';
import { type NoteRow, noteOf } from './row.ts';
import { beginSnapshot, epochNow, isWhole, rowsOf, type ShortRow, selectFor, stateNow } from './snapshot.ts';

/** Up to so many notes a list is read by one statement; a longer one by a cursor. */
const fewNotes = 64;

/** Up to about this many characters a list that is not kept is answered in one piece; a longer one in chunks. */
const wholeLength = 1024 * 1024;

/** After so many characters of lists, what is left of them is collected: of itself that waits until memory has doubled. */
const collectChars = 8 * 1024 * 1024;

/** A list as it was at one moment. */
export interface Listing {
  /** Names what a long list shows. */
  readonly revision: string;
  /** Of the database that it was read from, where that has one. */
  readonly epoch: string | null;
  readonly head: readonly Entry[];
  /** What follows; it holds a connection until it ends or is told to return. Undefined when there is no more. */
  readonly rest: Entries | undefined;
}

type Entries = AsyncGenerator<readonly Entry[], void, void>;

interface ReaderContext {
  readonly connections: Connections;
  /** Whether the database can name its snapshots. */
  readonly namesSnapshots: boolean;
  readonly isOnShards: boolean;
  /** Most long lists that are read at once. */
  readonly snapshots: number;
  /** How long another one waits for its turn, in ms, before it fails with `busy`. */
  readonly waitMs: number;
}

/** Reads lists from the database, each in one snapshot. */
export class Reader {
  readonly #connections: Connections;
  readonly #snapshots: Semaphore;
  readonly #namesSnapshots: boolean;
  readonly #isOnShards: boolean;
  /** Of lists, since the last collection. */
  #readChars = 0;

  constructor({ connections, namesSnapshots, isOnShards, snapshots, waitMs }: ReaderContext) {
    this.#connections = connections;
    this.#isOnShards = isOnShards;
    this.#snapshots = new Semaphore({ max: snapshots, waitMs, refuse: () => new NoteError('busy', message.busy) });
    this.#namesSnapshots = namesSnapshots;
  }

  /** How many long lists are being read. */
  get snapshots(): number {
    return this.#snapshots.acquired;
  }

  /**
   * A list, up to about `maxChars` characters, and less of a long one at one of the `known` revisions. A short one takes a single
   * statement: it does not wait until other lists have ended.
   */
  async read(filter: NoteFilter, known: readonly string[], maxChars = wholeLength): Promise<Listing> {
    const rows = await this.#connections.read<FewRow>(this.#selectFew(filter));
    const listed = rows.filter((row): row is ShortRow & FewRow => row.id !== null);
    if (listed.length > fewNotes || !listed.every(isWhole)) return this.#begin(filter, known, maxChars);
    return { revision: '', epoch: rows[0]?.epoch ?? null, head: listed.map(entryOf), rest: undefined };
  }

  /** At least one row, where the database names its snapshots. */
  #selectFew(filter: NoteFilter): string {
    const select = `${selectFor(filter)} LIMIT ${fewNotes + 1}`;
    if (!this.#namesSnapshots) return select;
    return `SELECT list.*, epoch FROM (SELECT ${epochNow} AS epoch) AS now LEFT JOIN (${select}) AS list ON true ORDER BY id`;
  }

  async #begin(filter: NoteFilter, known: readonly string[], maxChars: number): Promise<Listing> {
    const { connection, state, epoch, release } = await this.#hold();
    const revision = hashOf(JSON.stringify([state, filter]));
    const rest = this.#entriesOf(rowsOf(connection, filter, this.#isOnShards), release);
    const head: Entry[] = [];
    let left = known.includes(revision) ? 0 : maxChars;
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      head.push(...next.value);
      for (const { json } of next.value) left -= json.length;
      if (left <= 0) return { revision, epoch, head, rest };
    }
    return { revision, epoch, head, rest: undefined };
  }

  /** The notes that match, some at a time, as they are at one moment. */
  async *rows(filter: NoteFilter): AsyncGenerator<NoteRow[], void, void> {
    const { connection, release } = await this.#hold();
    try {
      yield* rowsOf(connection, filter, this.#isOnShards);
    } finally {
      await release();
    }
  }

  async *#entriesOf(batches: AsyncIterable<readonly NoteRow[]>, release: () => Promise<void>): Entries {
    try {
      for await (const rows of batches) {
        const entries = rows.map(entryOf);
        for (const { json } of entries) this.#readChars += json.length;
        this.#collect();
        yield entries;
      }
    } finally {
      await release();
    }
  }

  #collect(): void {
    if (this.#readChars < collectChars) return;
    this.#readChars = 0;
    Bun.gc(true); // 22 ms here; beside us, it comes too late
  }

  async #hold(): Promise<HeldSnapshot> {
    await using held = new AsyncDisposableStack();
    held.adopt(await this.#snapshots.acquire(), (permit) => permit.release());
    const connection = held.adopt(await this.#connections.hold(), rollBack);
    const now = `SELECT ${this.#namesSnapshots ? `${stateNow} AS state, ${epochNow}` : 'gen_random_uuid()::text AS state, NULL'} AS epoch`;
    const [named] = await connection.run<SnapshotName>(`${beginSnapshot}; ${now}`);
    if (named === undefined) throw new Error('The database told no snapshot');
    const all = held.move();
    return { connection, ...named, release: () => all.disposeAsync() };
  }
}

/** A row, and the epoch of the database; without a note where there is none. */
type FewRow = (ShortRow | { readonly id: null }) & { readonly epoch?: string };

interface SnapshotName {
  /** Equal for equal notes. */
  readonly state: string;
  readonly epoch: string | null;
}

interface HeldSnapshot extends SnapshotName {
  readonly connection: Connection;
  release(): Promise<void>;
}

const entryOf = (row: NoteRow): Entry => ({ id: Number(row.id), json: JSON.stringify(noteOf(row)) });

const hashOf = (text: string) => Bun.hash.xxHash3(text).toString(36);
