import { dirname } from 'node:path';
import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import type { Note, NoteFilter } from '../../domain/note.ts';
import type { JsonList } from '../../domain/store.ts';
import { jsonOf } from '../../shared/json.ts';
import { type Permit, Semaphore } from '../../shared/semaphore.ts';
import type { CommitQueue } from '../commit-queue.ts';
import { answerOf, keyOf, ListCache, listOf, readOnce } from '../list-cache.ts';
import type { Entry } from '../segments.ts';
import { chunkLength, spoolList } from '../spool.ts';
import { Reader, type Rows } from './reader.ts';
import { type NoteRow, noteOf } from './row.ts';
import type { WriterClient } from './writer/writer-client.ts';

/** How many long lists may hold a snapshot at once, and how long another one waits for its turn, in ms. */
const maxSnapshots = 16;
const snapshotWaitMs = 30_000;

/**
 * How long a cached list is answered without asking for other programs' commits, in ms; and how long while that question
 * is under way.
 */
const freshMs = 2;
const staleMs = 8;

/** Up to about this many characters a list is answered in one piece although it is not kept; a longer one in chunks. */
const wholeLength = 1024 * 1024;

/** The beginning of a list, as its snapshot has it. */
interface Begun {
  readonly head: readonly NoteRow[];
  /** What follows; undefined when there is no more. */
  readonly rest: Rows | undefined;
  /** Whether it is what the store knows, without what another program may just have committed. */
  readonly isCurrent: boolean;
}

export interface CachedListsContext {
  readonly path: string;
  readonly writer: WriterClient;
  readonly queue: CommitQueue;
  /** Most memory that ready-made lists may take; 0 keeps none. */
  readonly cacheBytes: number;
  /** What to throw for an error of the database. */
  readonly failed: (error: unknown) => unknown;
}

/**
 * The lists of the database at `path`: all writes that count, and no others. Cached lists change when a write begins to
 * count; others are read while no commit is under way.
 */
export class CachedLists implements Disposable {
  readonly #context: CachedListsContext;
  readonly #cache: ListCache;
  readonly #reader: Reader;
  readonly #snapshots = new Semaphore({
    max: maxSnapshots,
    waitMs: snapshotWaitMs,
    refuse: () => new NoteError('busy', message.busy),
  });
  readonly #session = crypto.randomUUID().slice(0, 8);
  /** How many commits of ours that stored something have counted. */
  #commits = 0;
  /** Another one whenever all kept lists were forgotten. */
  #generation = 0;
  #unsure = 0;
  /** All that other programs had committed at that moment is known, by `performance.now()`. */
  #seenAt = 0;
  #looking: Promise<void> | undefined;
  /** By the key of the filter, lists that are being read and may be short. */
  readonly #reading = new Map<number, Promise<JsonList>>();
  #isClosed = false;

  constructor(context: CachedListsContext) {
    this.#context = context;
    this.#cache = new ListCache(context.cacheBytes);
    this.#reader = new Reader(context.path);
  }

  /** The list as JSON, or that it is still at one of the `known` revisions. `isWriting`: results of writes will come. */
  answer(filter: NoteFilter, known: readonly string[], isWriting: boolean): JsonList | Promise<JsonList> {
    if (!isWriting && this.#isStale()) return this.#lookTogether().then(() => this.#listNow(filter, known));
    return this.#listNow(filter, known);
  }

  /** The notes that match, some at a time, as they are at one moment. */
  async *scan(filter: NoteFilter): AsyncGenerator<readonly Note[], void, void> {
    const { head, rest } = await this.#beginToRead(filter, chunkLength, (begun) => begun);
    try {
      yield head.map(noteOf);
      for (let rows = rest && this.#next(rest); rows?.length; rows = rest && this.#next(rest)) yield rows.map(noteOf);
    } finally {
      rest?.return();
    }
  }

  /** A commit of ours counts, with which the notes that it stored are listed. */
  applyCommit(stored: readonly Note[], sentAt: number): void {
    this.#seenAt = sentAt;
    if (stored.length > 0) this.#commits++;
    for (const note of stored) this.#cache.set(note.id, note, jsonOf(note));
  }

  /** Something was written that is not known in detail. */
  invalidate(): void {
    this.#generation++;
    this.#cache.clear();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#reader[Symbol.dispose]();
  }

  #listNow(filter: NoteFilter, known: readonly string[]): JsonList | Promise<JsonList> {
    const list = this.#cache.find(filter);
    if (list) return answerOf(list, known);
    return this.#cache.isTooLong(filter) ? this.#readList(filter, known) : this.#readOnce(filter, known);
  }

  #readOnce(filter: NoteFilter, known: readonly string[]): Promise<JsonList> {
    const read = () => this.#readList(filter, known);
    return readOnce(this.#reading, filter, read, () => this.#listNow(filter, known));
  }

  async #readList(filter: NoteFilter, known: readonly string[]): Promise<JsonList> {
    const permit = await this.#snapshots.acquire();
    try {
      await this.#look();
      const revision = this.#revisionOf(filter);
      if (known.includes(revision)) {
        permit.release();
        return { kind: 'unchanged', revision };
      }
      const maxChars = this.#cache.isTooLong(filter) ? wholeLength : Math.max(wholeLength, this.#cache.maxListBytes);
      return await this.#beginToRead(filter, maxChars, (begun) => this.#answer(filter, known, begun, permit));
    } catch (error) {
      permit.release();
      throw error;
    }
  }

  /** The list as it was begun: kept if it is short, and with its permit until it has ended if it is long. */
  async #answer(filter: NoteFilter, known: readonly string[], begun: Begun, permit: Permit): Promise<JsonList> {
    const { head, rest, isCurrent } = begun;
    if (rest === undefined) {
      permit.release();
      const kept = isCurrent ? this.#cache.put(filter, entriesOf(head)) : undefined;
      return answerOf(kept ?? listOf(entriesOf(head)), known);
    }
    const revision = `${this.#revisionOf(filter)}${isCurrent ? '' : `-${++this.#unsure}`}`;
    if (isCurrent) this.#cache.refuse(filter);
    const batches = this.#batchesOf(head, rest, permit);
    const first = batches.next().value ?? []; // begun, so that it frees what it holds when it is left
    const options = { folder: dirname(this.#context.path), readers: this.#snapshots.acquired };
    return { kind: 'chunks', revision, chunks: await spoolList(first, batches, options) };
  }

  *#batchesOf(head: readonly NoteRow[], rest: Rows, permit: Permit): Generator<Iterable<Entry>, void, void> {
    try {
      for (let rows = head; rows.length > 0; rows = this.#next(rest)) yield entriesOf(rows);
    } finally {
      rest.return();
      permit.release();
    }
  }

  /** Names what an uncached list shows. */
  #revisionOf(filter: NoteFilter): string {
    return `${this.#session}-${keyOf(filter)}-${this.#commits}.${this.#generation}`;
  }

  /** Begins to read while no commit is under way, up to about `maxChars` characters; passes on what `take` makes of it then. */
  async #beginToRead<Taken>(filter: NoteFilter, maxChars: number, take: (begun: Begun) => Taken): Promise<Taken> {
    if (this.#isClosed) throw new NoteError('busy', message.storeClosed);
    return this.#context.queue.whileIdle(async () => {
      const generation = this.#generation;
      const rows = this.#reader.rows(filter);
      try {
        const head = this.#next(rows, maxChars);
        const next = this.#next(rows, 1);
        await this.#look();
        const isCurrent = generation === this.#generation;
        return await take({ head: [...head, ...next], rest: next.length > 0 ? rows : undefined, isCurrent });
      } catch (error) {
        rows.return();
        throw error;
      }
    });
  }

  /** The next rows, of about `maxChars` characters; none at the end. */
  #next(rows: Rows, maxChars = chunkLength): NoteRow[] {
    const some: NoteRow[] = [];
    try {
      for (let length = 0; length < maxChars; ) {
        const { value: row, done } = rows.next();
        if (done) break;
        some.push(row);
        length += row.title.length + row.content.length + 200;
      }
      return some;
    } catch (error) {
      throw this.#context.failed(error);
    }
  }

  /** Whether what is kept may miss what another program has committed. */
  #isStale(): boolean {
    const age = performance.now() - this.#seenAt;
    if (age < freshMs) return false;
    if (!this.#context.writer.isBusy) this.#lookTogether().catch(() => {}); // its awaiters get the error
    return age > staleMs;
  }

  /** Resolves when everything that other programs have committed before the call is known. */
  #look(): Promise<void> {
    const sentAt = performance.now();
    return this.#context.writer.ask('look', [], () => {
      this.#seenAt = sentAt;
    });
  }

  /** As `#look`, shared by those who ask at about the same time: what was committed since it began may be missing. */
  #lookTogether(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }
}

function* entriesOf(rows: Iterable<NoteRow>) {
  for (const row of rows) yield { id: row.id, json: JSON.stringify(noteOf(row)) };
}
