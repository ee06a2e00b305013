import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import type { NoteFilter } from '../../domain/note.ts';
import { Semaphore } from '../../shared/semaphore.ts';
import { type Connection, type Connections, rollBack } from './connections.ts';
import { type NoteRow, noteOf } from './row.ts';
import { beginSnapshot, isWhole, rowsOf, type ShortRow, selectFor, stateNow } from './snapshot.ts';

/** Up to so many notes a list is read by one statement; a longer one by a cursor. */
const fewNotes = 64;

/** Up to about this many characters a list is answered in one piece; a longer one in chunks. */
const wholeLength = 1024 * 1024;
const chunkLength = 128 * 1024;

/**
 * A list as it was at one moment. A long one holds a connection until `rest` ends or is told to return; `state` names
 * what the database held at that moment.
 */
export type Listing =
  | { readonly kind: 'whole'; readonly json: string }
  | { readonly kind: 'long'; readonly state: string; readonly head: string; readonly rest: Texts };

type Texts = AsyncGenerator<string, void, void>;

export interface ReadDatabase {
  /** Whether it can name its snapshots. */
  readonly namesSnapshots: boolean;
  /** Whether the notes are on many shards. */
  readonly isSpread: boolean;
}

export interface ReaderLimits {
  /** Most long lists that are read at once. */
  readonly snapshots: number;
  /** How long another one waits for its turn, in ms, before it fails with `busy`. */
  readonly waitMs: number;
}

/** Reads lists from the database, each in one snapshot. */
export class Reader {
  readonly #connections: Connections;
  readonly #snapshots: Semaphore;
  readonly #stateNow: string;
  readonly #isSpread: boolean;

  constructor(
    connections: Connections,
    { namesSnapshots, isSpread }: ReadDatabase,
    { snapshots, waitMs }: ReaderLimits,
  ) {
    this.#connections = connections;
    this.#isSpread = isSpread;
    this.#snapshots = new Semaphore({ max: snapshots, waitMs, refuse: () => new NoteError('busy', message.busy) });
    this.#stateNow = namesSnapshots ? stateNow : 'gen_random_uuid()::text';
  }

  /** How many long lists are being read. */
  get snapshots(): number {
    return this.#snapshots.acquired;
  }

  async read(filter: NoteFilter): Promise<Listing> {
    const rows = await this.#connections.read<ShortRow>(`${selectFor(filter)} LIMIT ${fewNotes + 1}`);
    if (rows.length > fewNotes || !rows.every(isWhole)) return this.#readLong(filter);
    return { kind: 'whole', json: `[${rows.map(jsonOf).join()}]` };
  }

  /** The notes that match, some at a time, as they are at one moment. */
  async *rows(filter: NoteFilter): AsyncGenerator<NoteRow[], void, void> {
    const { connection, release } = await this.#hold();
    try {
      yield* rowsOf(connection, filter, this.#isSpread);
    } finally {
      await release();
    }
  }

  async #readLong(filter: NoteFilter): Promise<Listing> {
    const snapshot = await this.#hold();
    const rest = textsOf(snapshot, rowsOf(snapshot.connection, filter, this.#isSpread));
    let head = '';
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      head += next.value;
      if (head.length >= wholeLength) return { kind: 'long', state: snapshot.state, head, rest };
    }
    return { kind: 'whole', json: head };
  }

  async #hold(): Promise<HeldSnapshot> {
    await using held = new AsyncDisposableStack();
    held.adopt(await this.#snapshots.acquire(), (permit) => permit.release());
    const connection = held.adopt(await this.#connections.hold(), rollBack);
    const [row] = await connection.run<{ state: string }>(`${beginSnapshot}; SELECT ${this.#stateNow} AS state`);
    const all = held.move();
    return { connection, state: row?.state ?? '', release: () => all.disposeAsync() };
  }
}

interface HeldSnapshot {
  readonly connection: Connection;
  readonly state: string;
  release(): Promise<void>;
}

async function* textsOf({ release }: HeldSnapshot, batches: AsyncIterable<readonly NoteRow[]>): Texts {
  try {
    let text = '[';
    let separator = '';
    for await (const rows of batches) {
      for (const row of rows) {
        text += separator + jsonOf(row);
        separator = ',';
      }
      if (text.length < chunkLength) continue;
      yield text;
      text = '';
    }
    yield `${text}]`;
  } finally {
    await release();
  }
}

const jsonOf = (row: NoteRow) => JSON.stringify(noteOf(row));
