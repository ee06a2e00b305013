import type { Note, NoteDraft, NoteFilter, NotePatch } from '../../../domain/note.ts';
import type { IfMatch, NoteStore, PortableStore } from '../../../domain/store.ts';

/**
 * A store that took longer than `quickMs` to open stays open for `lingerMs` after a visit, since another may follow, and
 * for `mostMs` while they follow each other. After the end, a visit may take `endMs`.
 */
const quickMs = 20;
const lingerMs = 500;
const mostMs = 2_000;
const endMs = 5_000;

/**
 * Notes that are opened when they are needed and closed soon after: whoever serves for hours does not keep others from
 * the file, and finds the service that has come, or gone, meanwhile.
 */
export class VisitingStore implements NoteStore, Pick<PortableStore, 'scan'> {
  readonly #open: () => Promise<PortableStore>;
  #opened: Promise<PortableStore> | undefined;
  #closed: Promise<void> = Promise.resolve();
  #visitors = 0;
  #since = 0;
  #isSlow = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(open: () => Promise<PortableStore>) {
    this.#open = open;
  }

  create(draft: NoteDraft): Promise<Note> {
    return this.#visit((store) => store.create(draft));
  }

  get(id: number): Promise<Note> {
    return this.#visit((store) => store.get(id));
  }

  list(filter?: NoteFilter): Promise<Note[]> {
    return this.#visit((store) => store.list(filter));
  }

  update(id: number, patch: NotePatch, ifMatch?: IfMatch): Promise<Note> {
    return this.#visit((store) => store.update(id, patch, ifMatch));
  }

  setArchived(id: number, archived: boolean, ifMatch?: IfMatch): Promise<Note> {
    return this.#visit((store) => store.setArchived(id, archived, ifMatch));
  }

  async *scan(filter?: NoteFilter): AsyncGenerator<readonly Note[], void, void> {
    const store = await this.#enter();
    try {
      yield* store.scan(filter);
    } finally {
      this.#leave();
    }
  }

  /** Opens the store once, to see that it can be. */
  async check(): Promise<void> {
    await this.#visit(async () => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const until = performance.now() + endMs;
    while (this.#visitors > 0 && performance.now() < until) await Bun.sleep(10);
    this.#close();
    await this.#closed;
  }

  async #visit<Result>(work: (store: PortableStore) => Promise<Result>): Promise<Result> {
    const store = await this.#enter();
    try {
      return await work(store);
    } finally {
      this.#leave();
    }
  }

  async #enter(): Promise<PortableStore> {
    clearTimeout(this.#timer);
    this.#visitors++;
    this.#opened ??= this.#closed.then(() => this.#openAnew());
    const opened = this.#opened;
    try {
      return await opened;
    } catch (error) {
      this.#visitors--;
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

  #leave(): void {
    this.#visitors--;
    if (this.#visitors > 0) return;
    const isLong = performance.now() - this.#since > mostMs;
    if (isLong || !this.#isSlow) this.#close();
    else this.#timer = setTimeout(() => this.#close(), lingerMs);
  }

  /** What was written is durable by now: nothing is lost when closing fails. */
  #close(): void {
    clearTimeout(this.#timer);
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    this.#closed = opened.then((store) => store[Symbol.asyncDispose]()).catch(() => {});
  }
}
