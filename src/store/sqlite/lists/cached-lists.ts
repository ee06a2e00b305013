import { dirname } from 'node:path';
import { NoteError } from '../../../domain/error.ts';
import * as message from '../../../domain/message.ts';
import type { Note, NoteFilter } from '../../../domain/note.ts';
import type { JsonList } from '../../../domain/store.ts';
import { type Permit, Semaphore } from '../../../shared/concurrency/semaphore.ts';
import { singleFlight } from '../../../shared/concurrency/single-flight.ts';
import { jsonOf } from '../../../shared/json-text.ts';
import { answerOf, keyOf, ListCache, listOf } from '../../list-cache.ts';
import { entryOf, noteOf } from '../../row.ts';
import type { Entry } from '../../segments.ts';
import { chunkLength, spoolList, wholeLength } from '../../spool.ts';
import type { NoteRow } from '../row.ts';
import type { WriterClient } from '../writer/writer-client.ts';
import { Reader, type Rows } from './reader.ts';

/** Maximum number of long lists with a snapshot, and how long another one waits for one, in ms. */
const maxSnapshots = 16;
const snapshotWaitMs = 30_000;

/**
 * How long a cached list counts as current after checking for commits of other programs, in ms; and how long while the
 * next check is in progress.
 */
const freshMs = 2;
const staleMs = 8;

/** The start of a list, from its snapshot. */
interface Begun {
  readonly head: readonly NoteRow[];
  /** The remaining rows, if any. */
  readonly rest: Rows | undefined;
  /** The state of the cache and the number of changes before the snapshot. */
  readonly moment: number;
  readonly changes: number;
}

interface CachedListsContext {
  readonly path: string;
  readonly writer: WriterClient;
  /** Memory limit of the list cache, in bytes; 0 disables it. */
  readonly cacheBytes: number;
  /** Converts an error of the database. */
  readonly failed: (error: unknown) => unknown;
}

/**
 * Lists of the database at `path`, with all visible writes and no others. Cached lists change when a write becomes
 * visible. Others may be read during a commit, and are answered when its result has arrived.
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
  /** Number of changes to the lists so far: commits of this process that stored something, and invalidations. */
  #changes = 0;
  #unsure = 0;
  /** Commits of other programs before this time are known, by `performance.now()`. */
  #seenAt = 0;
  #isClosed = false;

  constructor(context: CachedListsContext) {
    this.#context = context;
    this.#cache = new ListCache(context.cacheBytes);
    this.#reader = new Reader(context.path);
  }

  /** Returns the list as JSON, or `unchanged` at a `known` revision. `isWriting`: results of writes are expected. */
  answer(filter: NoteFilter, known: readonly string[], isWriting: boolean): JsonList | Promise<JsonList> {
    if (!isWriting && this.#isStale()) return this.#pollOnce().then(() => this.#listNow(filter, known));
    return this.#listNow(filter, known);
  }

  /** Yields the matching notes in batches, from one snapshot. */
  async *scan(filter: NoteFilter): AsyncGenerator<readonly Note[], void, void> {
    const { head, rest } = await this.#beginToRead(filter, chunkLength);
    try {
      yield head.map(noteOf);
      for (let rows = rest && this.#next(rest); rows?.length; rows = rest && this.#next(rest)) yield rows.map(noteOf);
    } finally {
      rest?.return();
    }
  }

  /** Makes a commit visible in the lists. */
  applyCommit(stored: readonly Note[], sentAt: number): void {
    this.#seenAt = sentAt;
    if (stored.length > 0) this.#changes++;
    for (const note of stored) this.#cache.set(note.id, note, jsonOf(note));
  }

  /** Clears the cache after a write that is not known in detail. */
  invalidate(): void {
    this.#changes++;
    this.#cache.clear();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#reader[Symbol.dispose]();
  }

  #listNow(filter: NoteFilter, known: readonly string[]): JsonList | Promise<JsonList> {
    const list = this.#cache.find(filter);
    if (list) return answerOf(list, known);
    const read = () => this.#readList(filter, known);
    return this.#cache.isTooLong(filter)
      ? read()
      : this.#cache.readOnce(filter, read, () => this.#listNow(filter, known));
  }

  async #readList(filter: NoteFilter, known: readonly string[]): Promise<JsonList> {
    const permit = await this.#snapshots.acquire();
    try {
      await this.#poll();
      const revision = this.#revisionOf(filter);
      if (known.includes(revision)) {
        permit.release();
        return { kind: 'unchanged', revision };
      }
      const maxChars = this.#cache.isTooLong(filter) ? wholeLength : Math.max(wholeLength, this.#cache.maxListBytes);
      return await this.#answer(filter, known, await this.#beginToRead(filter, maxChars), permit);
    } catch (error) {
      permit.release();
      throw error;
    }
  }

  /** Answers with a list: caches a short one, and holds the permit of a long one until it ends. */
  async #answer(filter: NoteFilter, known: readonly string[], begun: Begun, permit: Permit): Promise<JsonList> {
    const { head, rest, moment, changes } = begun;
    if (rest === undefined) {
      permit.release();
      const entries = () => head.values().map(entryOf);
      return answerOf(this.#cache.put(filter, entries(), moment) ?? listOf(entries()), known);
    }
    const revision = `${this.#revisionOf(filter)}${changes === this.#changes ? '' : `-${++this.#unsure}`}`;
    this.#cache.markTooLong(filter);
    const batches = this.#batchesOf(head, rest, permit);
    const first = batches.next().value ?? []; // start the generator, so that `return` runs its finally block
    const options = { folder: dirname(this.#context.path), readers: this.#snapshots.acquired };
    return { kind: 'chunks', revision, chunks: await spoolList(first, batches, options) };
  }

  *#batchesOf(head: readonly NoteRow[], rest: Rows, permit: Permit): Generator<Iterable<Entry>, void, void> {
    try {
      for (let rows = head; rows.length > 0; rows = this.#next(rest)) yield rows.values().map(entryOf);
    } finally {
      rest.return();
      permit.release();
    }
  }

  /** Revision of an uncached list. */
  #revisionOf(filter: NoteFilter): string {
    return `${this.#session}-${keyOf(filter)}-${this.#changes}`;
  }

  /**
   * Reads about `maxChars` characters of a list. Resolves when the results of all commits in its snapshot have arrived:
   * what it shows is visible everywhere.
   */
  async #beginToRead(filter: NoteFilter, maxChars: number): Promise<Begun> {
    if (this.#isClosed) throw new NoteError('busy', message.storeClosed);
    const [changes, { moment }] = [this.#changes, this.#cache];
    const rows = this.#reader.rows(filter);
    try {
      const head = this.#next(rows, maxChars);
      const next = this.#next(rows, 1);
      await this.#poll();
      return { head: [...head, ...next], rest: next.length > 0 ? rows : undefined, moment, changes };
    } catch (error) {
      rows.return();
      throw error;
    }
  }

  /** Reads rows of about `maxChars` characters; none at the end. */
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

  /** Whether cached lists may miss commits of other programs. Starts a check in advance. */
  #isStale(): boolean {
    const age = performance.now() - this.#seenAt;
    if (age < freshMs) return false;
    if (!this.#context.writer.isBusy) this.#pollOnce().catch(() => {}); // callers of `#pollOnce` get the error
    return age > staleMs;
  }

  /** Resolves when all commits of other programs before the call are known. */
  #poll(): Promise<void> {
    const sentAt = performance.now();
    return this.#context.writer.ask('poll', [], () => {
      this.#seenAt = sentAt;
    });
  }

  /** Like `#poll`, shared by concurrent callers: commits after its start may be missing. */
  readonly #pollOnce = singleFlight(() => this.#poll());
}
