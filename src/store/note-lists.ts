import { NoteError } from '../core/error.ts';
import * as message from '../core/error-messages.ts';
import { encodeFilterKey, type NoteFilter } from '../core/note.ts';
import type { JsonList } from '../core/store.ts';
import { CachedList, createJsonChunkReader, type NoteJson, toIdAndJson } from './cached-list.ts';
import { ListCache } from './list-cache.ts';
import type { NoteChange } from './note-change.ts';
import type { ChangeCursor, ChangesSince, NoteStorage } from './note-storage.ts';

/** Lists up to this length, in UTF-16 units, are sent whole even if they are not cached. */
const shortLength = 1024 * 1024;

/** A list that is being read from the storage, and what was committed meanwhile. */
interface Reading {
  /** Never rejects. */
  readonly ended: Promise<void>;
  readonly changes: NoteChange[];
  /** Whether unknown changes were committed. What was read may be sent then, but not cached. */
  isOutdated: boolean;
}

type LongList = Exclude<JsonList, { readonly kind: 'whole' }>;

/**
 * Lists as JSON, from a cache in memory. Before a list is returned, the storage is asked for the changes since the last
 * time, and they are applied to the cache. That takes microseconds with SQLite, and one query with PostgreSQL, which
 * waiting readers share.
 */
export class NoteLists {
  readonly #storage: NoteStorage;
  readonly #cache: ListCache;
  /** The cache shows everything that was committed up to this cursor. */
  #cursor: ChangeCursor | undefined;
  /** The lists that are being read, by the key of the filter. */
  readonly #readings = new Map<string, Reading>();
  /** The update of the cache that is under way, and the next one, which has not begun. */
  #runningUpdate: Promise<void> | undefined;
  #nextUpdate: Promise<void> | undefined;

  /** `cacheBytes` is the memory limit of the cache; 0 disables it. */
  constructor(storage: NoteStorage, cacheBytes: number) {
    this.#storage = storage;
    this.#cache = new ListCache(storage.hasChangeLog ? cacheBytes : 0);
  }

  /** Returns the list, not older than the call, or only `unchanged` if its revision is one of the `known` ones. */
  getJsonList(filter: NoteFilter, known: readonly string[]): JsonList | Promise<JsonList> {
    if (this.#cache.maxJsonLength === 0) return this.#readUncachedUnlessKnown(filter, known, shortLength);
    if (this.#cache.isListKnownTooLong(filter)) return this.#getCachedOrReadUnlessKnown(filter, known); // it needs no update of the cache
    const updated = this.#refreshCache();
    if (updated === undefined) return this.#getCachedOrReadUnlessKnown(filter, known);
    return this.#withTimeout(updated).then(() => this.#getCachedOrReadUnlessKnown(filter, known));
  }

  #getCachedOrReadUnlessKnown(filter: NoteFilter, known: readonly string[]): JsonList | Promise<JsonList> {
    const cached = this.#cache.findAndTouchListOrTooLong(filter);
    if (cached instanceof CachedList) return cached.toJsonListUnlessKnown(known);
    if (cached === 'too long') return this.#readUncachedUnlessKnown(filter, known, this.#maxUncachedLengthSentWhole);
    const reading = this.#readings.get(encodeFilterKey(filter));
    if (reading === undefined) return this.#readAndCache(filter, known);
    return reading.ended.then(() => this.getJsonList(filter, known));
  }

  /**
   * The length up to which a list that is too long for the cache is sent whole. 0 if the cache has room for all lists
   * of that length, which is the usual case: the list is then longer, and sent in chunks.
   */
  get #maxUncachedLengthSentWhole(): number {
    return this.#cache.maxJsonLength < shortLength ? shortLength : 0;
  }

  /**
   * Reads a list and adds it to the cache. What was committed during the read may be in the list or not, so the changes
   * since then are collected in `reading` and applied to the list afterwards.
   */
  async #readAndCache(filter: NoteFilter, known: readonly string[]): Promise<JsonList> {
    const key = encodeFilterKey(filter);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const reading: Reading = { ended, changes: [], isOutdated: false };
    this.#readings.set(key, reading);
    try {
      const list = await this.#readListOrChunksUnlessKnown(
        filter,
        known,
        Math.max(this.#cache.maxJsonLength, shortLength),
      );
      const isCacheable = list instanceof CachedList && list.length <= this.#cache.maxJsonLength;
      const isLong = list instanceof CachedList ? !isCacheable : list.kind === 'chunks';
      if (isLong) this.#cache.set(filter, 'too long');
      if (!(list instanceof CachedList)) return list;
      const updated = this.#refreshCache();
      if (updated !== undefined) await this.#withTimeout(updated);
      if (isCacheable && !reading.isOutdated) {
        this.#cache.set(filter, list);
        for (const change of reading.changes) this.#cache.applyChangeToLists(change);
      }
      return list.toJsonListUnlessKnown(known);
    } finally {
      this.#readings.delete(key);
      end();
    }
  }

  async #readUncachedUnlessKnown(filter: NoteFilter, known: readonly string[], maxLength: number): Promise<JsonList> {
    const list = await this.#readListOrChunksUnlessKnown(filter, known, maxLength);
    return list instanceof CachedList ? list.toJsonListUnlessKnown(known) : list;
  }

  /** Reads a list: whole up to `maxLength`, in UTF-16 units, else as chunks. */
  async #readListOrChunksUnlessKnown(
    filter: NoteFilter,
    known: readonly string[],
    maxLength: number,
  ): Promise<CachedList | LongList> {
    const present =
      known.length > 0 ? tryCreateListRevision(await this.#storage.readNotesFingerprintIfLogged(), filter) : undefined;
    if (present !== undefined && known.includes(present)) return { kind: 'unchanged', revision: present };
    const short = maxLength > 0 ? await this.#storage.readListIfWithinChars(filter, maxLength) : undefined;
    if (short !== undefined) return new CachedList(filter, short.map(toIdAndJson));
    const { fingerprint, pages } = await this.#storage.openListSnapshot(filter);
    const { waitMs, graceMs } = this.#storage.timeouts;
    const deadline = performance.now() + waitMs + graceMs;
    const notes: NoteJson[] = [];
    let length = 0;
    for (let page = await pages.next(); !page.done; page = await pages.next()) {
      if (performance.now() > deadline) {
        await pages.return();
        throw createReadTimeoutError();
      }
      for (const note of page.value) {
        const json = toIdAndJson(note);
        length += json.json.length;
        notes.push(json);
      }
      if (length > maxLength) {
        const revision = tryCreateListRevision(fingerprint, filter) ?? crypto.randomUUID();
        return { kind: 'chunks', revision, chunks: createJsonChunkReader(notes, pages) };
      }
    }
    return new CachedList(filter, notes);
  }

  /** Applies all changes to the cache that were committed before the call. Undefined if that is done at once. */
  #refreshCache(): Promise<void> | undefined {
    if (this.#runningUpdate !== undefined) return this.#updateCacheAfter(this.#runningUpdate);
    const changes = this.#storage.readChangesAndCursorSince(this.#cursor);
    if (!(changes instanceof Promise)) {
      this.#applyChangesAndSetCursor(changes);
      return undefined;
    }
    this.#runningUpdate = changes
      .then((later) => this.#applyChangesAndSetCursor(later))
      .finally(() => {
        this.#runningUpdate = undefined;
      });
    return this.#runningUpdate;
  }

  /**
   * An update that is under way may have been sent before the last commits. So another one follows it, which all
   * callers share that arrive until then.
   */
  #updateCacheAfter(running: Promise<void>): Promise<void> {
    this.#nextUpdate ??= running
      .catch(() => {}) // its own callers get the error
      .then(() => {
        this.#nextUpdate = undefined;
        return this.#refreshCache();
      });
    return this.#nextUpdate;
  }

  /** Limits the wait for two updates of which each is in time, but not both together. */
  async #withTimeout(updated: Promise<void>): Promise<void> {
    const { waitMs, graceMs } = this.#storage.timeouts;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(createReadTimeoutError()), waitMs + graceMs);
    try {
      await Promise.race([updated, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #applyChangesAndSetCursor({ changes, cursor }: ChangesSince): void {
    if (cursor === this.#cursor && changes?.length === 0) return;
    this.#cursor = cursor;
    if (changes === undefined) {
      this.#cache.clear();
      for (const reading of this.#readings.values()) reading.isOutdated = true;
      return;
    }
    for (const change of changes) {
      this.#cache.applyChangeToLists(change);
      for (const reading of this.#readings.values()) reading.changes.push(change);
    }
  }
}

/** Identifies the list of a filter in the state of the notes that has this fingerprint. */
const tryCreateListRevision = (fingerprint: string | undefined, filter: NoteFilter): string | undefined =>
  fingerprint && Bun.hash.xxHash3(JSON.stringify([fingerprint, filter])).toString(36);

const createReadTimeoutError = () =>
  new NoteError('unavailable', message.storeNotRead, { outcome: 'none', retry: true });
