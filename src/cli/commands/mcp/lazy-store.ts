import type { Labels } from '../../../domain/labels/labels.ts';
import type { Note, NoteDraft, NoteFilter, NotePatch } from '../../../domain/note.ts';
import type { Found, IfMatch, PortableStore, SearchOptions } from '../../../domain/store.ts';
import type { McpStore } from '../../../mcp/store.ts';

/**
 * A store that took longer than `quickMs` to open stays open for `lingerMs` after a use, and for at most about
 * `maxOpenMs`. Disposal waits up to `endMs` for uses in progress.
 */
const quickMs = 20;
const lingerMs = 500;
const maxOpenMs = 2_000;
const endMs = 5_000;

/**
 * Opens a store when it is needed and closes it soon after, so that a long-running program does not lock the file, and
 * notices a service that has started or ended.
 */
export class LazyStore implements McpStore, AsyncDisposable {
  readonly #open: () => Promise<PortableStore>;
  #opened: Promise<PortableStore> | undefined;
  #closed: Promise<void> = Promise.resolve();
  #users = 0;
  #since = 0;
  #isSlow = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(open: () => Promise<PortableStore>) {
    this.#open = open;
  }

  create(draft: NoteDraft): Promise<Note> {
    return this.#use((store) => store.create(draft));
  }

  get(id: number): Promise<Note> {
    return this.#use((store) => store.get(id));
  }

  update(id: number, patch: NotePatch, ifMatch?: IfMatch): Promise<Note> {
    return this.#use((store) => store.update(id, patch, ifMatch));
  }

  setArchived(id: number, archived: boolean, ifMatch?: IfMatch): Promise<Note> {
    return this.#use((store) => store.setArchived(id, archived, ifMatch));
  }

  labels(): Promise<Labels> {
    return this.#use((store) => store.labels());
  }

  search(query: string, options?: SearchOptions): Promise<Found | undefined> {
    return this.#use(async (store) => store.search?.(query, options));
  }

  scan(filter?: NoteFilter): AsyncGenerator<readonly Note[], void, void> {
    return this.#useAll((store) => store.scan(filter));
  }

  history(id: number, limit?: number): AsyncGenerator<readonly Note[], void, void> {
    return this.#useAll((store) => store.history(id, limit));
  }

  /** Opens the store once to see whether that works. */
  async check(): Promise<void> {
    await this.#use(async () => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const until = performance.now() + endMs;
    while (this.#users > 0 && performance.now() < until) await Bun.sleep(10);
    this.#close();
    await this.#closed;
  }

  async #use<Result>(work: (store: PortableStore) => Promise<Result>): Promise<Result> {
    const store = await this.#acquire();
    try {
      return await work(store);
    } finally {
      this.#release();
    }
  }

  async *#useAll(
    read: (store: PortableStore) => AsyncIterable<readonly Note[]>,
  ): AsyncGenerator<readonly Note[], void, void> {
    const store = await this.#acquire();
    try {
      yield* read(store);
    } finally {
      this.#release();
    }
  }

  async #acquire(): Promise<PortableStore> {
    clearTimeout(this.#timer);
    this.#users++;
    this.#opened ??= this.#closed.then(() => this.#openAnew());
    const opened = this.#opened;
    try {
      return await opened;
    } catch (error) {
      this.#users--;
      if (this.#opened === opened) this.#opened = undefined;
      throw error;
    }
  }

  async #openAnew(): Promise<PortableStore> {
    const started = performance.now();
    const store = await this.#open();
    this.#since = performance.now();
    this.#isSlow = this.#since - started > quickMs;
    return store;
  }

  #release(): void {
    this.#users--;
    if (this.#users > 0) return;
    const isLong = performance.now() - this.#since > maxOpenMs;
    if (isLong || !this.#isSlow) this.#close();
    else this.#timer = setTimeout(() => this.#close(), lingerMs);
  }

  /** Ignores errors of closing: all writes are durable by now. */
  #close(): void {
    clearTimeout(this.#timer);
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    this.#closed = opened.then((store) => store[Symbol.asyncDispose]()).catch(() => {});
  }
}
