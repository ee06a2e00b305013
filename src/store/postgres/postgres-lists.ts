import { filterKey, type NoteFilter } from '../../core/note.ts';
import type { JsonList } from '../../core/store.ts';
import { CachedList, ListCache } from '../lists.ts';
import { noteOf } from '../row.ts';
import type { Connections } from './connections.ts';
import { type ChangeRow, type Moment, selectChanges, selectMoment } from './postgres-log.ts';
import type { Listing, PageReader } from './postgres-pages.ts';

/** Lists from memory. Before each answer the database is asked what was written since; waiting lists share a question. */
export class PostgresLists {
  readonly #connections: Connections;
  readonly #pages: PageReader;
  readonly #cache: ListCache;
  #moment: Moment | undefined;
  /** Settled once the last question is answered. */
  #last: Promise<void> = Promise.resolve();
  /** A question that is not sent yet. */
  #next: Promise<void> | undefined;
  /** Lists being read, by the key of the filter, and the changes reported meanwhile. */
  readonly #reads = new Map<string, { readonly ended: Promise<unknown>; readonly changes: ChangeRow[] }>();

  /** `cacheBytes` is the memory limit of the cache; 0 disables it. */
  constructor(connections: Connections, pages: PageReader, cacheBytes: number) {
    this.#connections = connections;
    this.#pages = pages;
    this.#cache = new ListCache(cacheBytes);
  }

  /** Returns the list at some moment after the call, or `unchanged` if it is at a `known` revision. */
  async answer(filter: NoteFilter, known: readonly string[]): Promise<JsonList> {
    const key = filterKey(filter);
    while (this.#cache.maxLength > 0 && this.#cache.find(filter) !== 'too long') {
      await this.#caughtUp();
      const cached = this.#cache.find(filter);
      if (cached instanceof CachedList) return cached.answer(known, cached.tag);
      if (cached === 'too long') break;
      const read = this.#reads.get(key);
      if (read === undefined) return this.#readToCache(filter, known);
      await read.ended.catch(() => {}); // who reads gets the error
    }
    return this.#answerWith(filter, await this.#read(filter, known), known);
  }

  /** The question after the read finds what was written meanwhile; to apply a change again is harmless. */
  async #readToCache(filter: NoteFilter, known: readonly string[]): Promise<JsonList> {
    const key = filterKey(filter);
    const changes: ChangeRow[] = [];
    const reading = this.#read(filter, known, this.#cache.maxLength);
    const ended = reading.then(() => this.#caughtUp());
    this.#reads.set(key, { ended, changes });
    try {
      const listing = await reading;
      if (listing.long !== undefined) {
        this.#cache.put(filter, undefined);
        return this.#answerWith(filter, listing, known);
      }
      await ended;
      const list = new CachedList(filter, listing.entries, this.#cache.revision);
      this.#cache.put(filter, list);
      for (const change of changes) this.#apply(change);
      return list.answer(known, list.tag);
    } finally {
      ended.catch(() => {});
      this.#reads.delete(key);
    }
  }

  #read(filter: NoteFilter, known: readonly string[], maxLength?: number): Promise<Listing> {
    const discarded = ({ long }: Listing) => void long?.chunks?.close().catch(() => {});
    return this.#connections.inTime(this.#pages.read(filter, known, maxLength), { discarded });
  }

  #answerWith(filter: NoteFilter, { entries, long }: Listing, known: readonly string[]): JsonList {
    if (long === undefined) {
      const list = new CachedList(filter, entries, '');
      return list.answer(known, list.tag);
    }
    const { revision, chunks } = long;
    return chunks === undefined ? { kind: 'unchanged', revision } : { kind: 'chunks', revision, chunks };
  }

  /** Resolves when the cache has all that was written before the call: an earlier question may have missed it. */
  #caughtUp(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const asking = this.#last.then(() => {
      this.#next = undefined;
      return this.#ask();
    });
    this.#last = asking.catch(() => {});
    this.#next = this.#connections.inTime(asking).catch((error) => {
      this.#next = undefined; // it may still wait for the last one; later callers start a new one
      throw error;
    });
    return this.#next;
  }

  async #ask(): Promise<void> {
    const known = this.#moment;
    const rows =
      known === undefined
        ? (await this.#connections.read<Moment>(selectMoment)).map((moment) => ({ ...moment, ...everything }))
        : await this.#connections.read<ChangeRow>(selectChanges, [known.snapshot, this.#cache.maxLength]);
    for (const row of rows) {
      const change = row.epoch === (known?.epoch ?? row.epoch) ? row : { ...row, ...everything };
      this.#moment = { snapshot: row.snapshot, epoch: row.epoch };
      this.#apply(change);
      for (const { changes } of this.#reads.values()) changes.push(change);
    }
  }

  #apply(row: ChangeRow): void {
    if (row.everything) this.#cache.clear();
    else if (row.changed === null) return;
    else if (row.id === null) this.#cache.delete(Number(row.changed));
    else this.#cache.applyWrite(noteOf(row), 'unknown');
  }
}

const everything = { everything: true, changed: null, id: null } as const;
