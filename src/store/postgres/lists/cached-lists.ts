import { tmpdir } from 'node:os';
import type { NoteFilter } from '../../../domain/note.ts';
import type { JsonList } from '../../../domain/store.ts';
import type { Connections } from '../connections.ts';
import { answerOf, type CachedList, ListCache, listOf } from '../list-cache.ts';
import { spoolList } from '../spool.ts';
import { Follower } from './follower.ts';
import type { Listing, Reader } from './reader.ts';

/** Caches lists without ever serving stale ones: before each answer, it queries the database for writes since. */
export class CachedLists {
  readonly #connections: Connections;
  readonly #reader: Reader;
  readonly #cache: ListCache;
  readonly #follower: Follower;

  /** `cacheBytes` is the memory limit of the cache; 0 disables it. */
  constructor(connections: Connections, reader: Reader, cacheBytes: number) {
    this.#connections = connections;
    this.#reader = reader;
    this.#cache = new ListCache(cacheBytes);
    this.#follower = new Follower(connections, this.#cache);
  }

  /** Returns the list at some moment after the call, or `unchanged` if it is at a `known` revision. */
  async answer(filter: NoteFilter, known: readonly string[]): Promise<JsonList> {
    if (this.#cache.maxListBytes === 0 || this.#cache.isTooLong(filter)) return this.#read(filter, known);
    const cached = await this.#find(filter);
    if (cached !== undefined) return answerOf(cached, known);
    const again = async () => {
      const made = await this.#find(filter);
      return made ? answerOf(made, known) : this.#read(filter, known);
    };
    return this.#cache.readOnce(filter, () => this.#readToCache(filter, known), again);
  }

  async #find(filter: NoteFilter): Promise<CachedList | undefined> {
    await this.#follower.caughtUp();
    return this.#cache.find(filter);
  }

  /** A second query finds the writes made during the read, which are merged into the list. */
  async #readToCache(filter: NoteFilter, known: readonly string[]): Promise<JsonList> {
    const { maxListBytes, moment } = this.#cache;
    const listing = await this.#connections.inTime(this.#reader.read(filter, known, maxListBytes), {
      discarded: leave,
    });
    if (listing.rest !== undefined) {
      this.#cache.markTooLong(filter);
      return this.#answer(listing, known);
    }
    await this.#follower.caughtUp();
    const isFollowed = listing.epoch === this.#follower.epoch;
    const cached = isFollowed ? this.#cache.put(filter, listing.head, moment) : undefined;
    return answerOf(cached ?? listOf(listing.head), known);
  }

  async #read(filter: NoteFilter, known: readonly string[]): Promise<JsonList> {
    return this.#answer(await this.#connections.inTime(this.#reader.read(filter, known), { discarded: leave }), known);
  }

  async #answer({ revision, head, rest }: Listing, known: readonly string[]): Promise<JsonList> {
    if (rest === undefined) return answerOf(listOf(head), known);
    if (known.includes(revision)) {
      await rest.return();
      return { kind: 'unchanged', revision };
    }
    const chunks = await spoolList(head, rest, { folder: tmpdir(), readers: this.#reader.snapshots });
    return { kind: 'chunks', revision, chunks };
  }
}

/** Releases a list that is not read. */
function leave({ rest }: Listing): void {
  rest?.return().catch(() => {});
}
