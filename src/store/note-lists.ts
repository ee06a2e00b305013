import { NoteError } from '../core/error.ts';
import * as message from '../core/message.ts';
import { filterKey, type NoteFilter } from '../core/note.ts';
import type { JsonList } from '../core/store.ts';
import { CachedList, createJsonChunks, ListCache, type NoteJson, toNoteJson } from './list-cache.ts';
import type { NoteChange } from './note-change.ts';
import type { ChangeCursor, ChangesSince, NoteStorage } from './note-storage.ts';

/** Lists up to this length, in UTF-16 units, are sent whole even if they are not cached. */
const shortLength = 1024 * 1024;

/** A list that is being read, and what was committed meanwhile. */
interface Reading {
  /** Never rejects. */
  readonly ended: Promise<void>;
  readonly changes: NoteChange[];
  /** Whether changes were missed. What was read may be sent, but not cached. */
  isOutdated: boolean;
}

type LongList = Exclude<JsonList, { readonly kind: 'whole' }>;

/**
 * Lists as JSON, from memory. Before a list is returned, the storage is asked what was committed since the last time. That
 * takes microseconds in memory, and one question to a server, which waiting readers share.
 */
export class NoteLists {
  readonly #storage: NoteStorage;
  readonly #cache: ListCache;
  /** The cache shows everything that was committed up to here. */
  #cursor: ChangeCursor | undefined;
  /** By the key of the filter. */
  readonly #readings = new Map<string, Reading>();
  /** The question to the storage that is on its way, and the one after it, which is not sent yet. */
  #asking: Promise<void> | undefined;
  #askingNext: Promise<void> | undefined;

  /** `cacheBytes` is the memory limit of the cache; 0 disables it. */
  constructor(storage: NoteStorage, cacheBytes: number) {
    this.#storage = storage;
    this.#cache = new ListCache(storage.hasChangeLog ? cacheBytes : 0);
  }

  /** Returns the list as it is at some cursor after the call, or `unchanged` if it is at a `known` revision. */
  get(filter: NoteFilter, known: readonly string[]): JsonList | Promise<JsonList> {
    if (this.#cache.maxLength === 0) return this.#readUncached(filter, known, shortLength);
    const caughtUp = this.#catchUp();
    if (caughtUp === undefined) return this.#getCached(filter, known);
    return this.#withTimeout(caughtUp).then(() => this.#getCached(filter, known));
  }

  #getCached(filter: NoteFilter, known: readonly string[]): JsonList | Promise<JsonList> {
    const cached = this.#cache.find(filter);
    if (cached instanceof CachedList) return cached.toJsonList(known);
    if (cached === 'too long') return this.#readUncached(filter, known, this.#maxUncachedLength);
    const reading = this.#readings.get(filterKey(filter));
    if (reading === undefined) return this.#readToCache(filter, known);
    return reading.ended.then(() => this.get(filter, known));
  }

  /** Only a cache that is smaller than usual has lists that are too long for it, but short enough to be sent whole. */
  get #maxUncachedLength(): number {
    return this.#cache.maxLength < shortLength ? shortLength : 0;
  }

  /** Catches up again after the read, because it may or may not show what was committed during it. */
  async #readToCache(filter: NoteFilter, known: readonly string[]): Promise<JsonList> {
    const key = filterKey(filter);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const reading: Reading = { ended, changes: [], isOutdated: false };
    this.#readings.set(key, reading);
    try {
      const list = await this.#readList(filter, known, Math.max(this.#cache.maxLength, shortLength));
      const isCacheable = list instanceof CachedList && list.length <= this.#cache.maxLength;
      if (!isCacheable) this.#cache.set(filter, 'too long');
      if (!(list instanceof CachedList)) return list;
      await this.#catchUp();
      if (isCacheable && !reading.isOutdated) {
        this.#cache.set(filter, list);
        for (const change of reading.changes) this.#cache.apply(change);
      }
      return list.toJsonList(known);
    } finally {
      this.#readings.delete(key);
      end();
    }
  }

  async #readUncached(filter: NoteFilter, known: readonly string[], maxLength: number): Promise<JsonList> {
    const list = await this.#readList(filter, known, maxLength);
    return list instanceof CachedList ? list.toJsonList(known) : list;
  }

  /** Reads a list: whole up to `maxLength`, in UTF-16 units, else as chunks. */
  async #readList(filter: NoteFilter, known: readonly string[], maxLength: number): Promise<CachedList | LongList> {
    const present = known.length > 0 ? toRevision(await this.#storage.readNotesFingerprint(), filter) : undefined;
    if (present !== undefined && known.includes(present)) return { kind: 'unchanged', revision: present };
    const short = maxLength > 0 ? await this.#storage.readListIfShort(filter, maxLength) : undefined;
    if (short !== undefined) return new CachedList(filter, short.map(toNoteJson));
    const { fingerprint, pages } = await this.#storage.openListSnapshot(filter);
    const notes: NoteJson[] = [];
    let length = 0;
    for (let page = await pages.next(); !page.done; page = await pages.next()) {
      for (const note of page.value) {
        const json = toNoteJson(note);
        length += json.json.length;
        notes.push(json);
      }
      if (length > maxLength) {
        const revision = toRevision(fingerprint, filter) ?? crypto.randomUUID();
        return { kind: 'chunks', revision, chunks: createJsonChunks(notes, pages) };
      }
    }
    return new CachedList(filter, notes);
  }

  /** Brings the cache up to some cursor after the call. Undefined if it is there already. */
  #catchUp(): Promise<void> | undefined {
    if (this.#asking !== undefined) return this.#catchUpAfter(this.#asking);
    const changes = this.#storage.readChangesSince(this.#cursor);
    if (!(changes instanceof Promise)) {
      this.#applyChanges(changes);
      return undefined;
    }
    this.#asking = changes
      .then((later) => this.#applyChanges(later))
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  /** The question that is on its way may miss what was committed just now. All who come meanwhile share the next one. */
  #catchUpAfter(asking: Promise<void>): Promise<void> {
    this.#askingNext ??= asking
      .catch(() => {}) // who asked gets the error
      .then(() => {
        this.#askingNext = undefined;
        return this.#catchUp();
      });
    return this.#askingNext;
  }

  /** Limits the wait for a server that answers each question in time, but not all of them together. */
  async #withTimeout(caughtUp: Promise<void>): Promise<void> {
    const { waitMs, graceMs } = this.#storage.timeouts;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const error = new NoteError('unavailable', message.storeNotRead, { outcome: 'none', retry: true });
    const timer = setTimeout(() => reject(error), waitMs + graceMs);
    try {
      await Promise.race([caughtUp, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #applyChanges({ changes, cursor }: ChangesSince): void {
    if (cursor === this.#cursor && changes?.length === 0) return;
    this.#cursor = cursor;
    if (changes === undefined) {
      this.#cache.clear();
      for (const reading of this.#readings.values()) reading.isOutdated = true;
      return;
    }
    for (const change of changes) {
      this.#cache.apply(change);
      for (const reading of this.#readings.values()) reading.changes.push(change);
    }
  }
}

/** Names the list of a filter in a state of the store. */
const toRevision = (fingerprint: string | undefined, filter: NoteFilter): string | undefined =>
  fingerprint && Bun.hash.xxHash3(JSON.stringify([fingerprint, filter])).toString(36);
