import { NoteError } from '../domain/error.ts';
import * as message from '../domain/message.ts';
import type { NoteFilter } from '../domain/note.ts';
import type { JsonChunks, NoteEngine } from '../domain/store.ts';
import type { FoundNotes, Wanted } from './search.ts';
import type { SearchReply, SearchTask } from './search-worker.ts';

/** How many searches may wait. */
const maxWaiting = 256;

/** After so many ms without a search, the thread and the list that it holds are given up. */
const idleMs = 60_000;

/** Searches lists on another thread, one at a time; the thread keeps the list that it has searched last. */
export class SearchThread {
  readonly #store: Pick<NoteEngine, 'listJson'>;
  #worker: Worker | undefined;
  #lastRevision: string | undefined;
  #lastSearch: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #idle: Timer | undefined;

  constructor(store: Pick<NoteEngine, 'listJson'>) {
    this.#store = store;
  }

  /** Fails with `busy` when too many searches wait. */
  find(filter: NoteFilter, wanted: Wanted): Promise<FoundNotes> {
    if (this.#waiting >= maxWaiting) return Promise.reject(new NoteError('busy', message.busy));
    this.#waiting++;
    clearTimeout(this.#idle);
    const search = this.#lastSearch.then(() => this.#find(filter, wanted));
    this.#lastSearch = search.then(
      () => this.#ended(),
      () => this.#ended(),
    );
    return search;
  }

  #ended(): void {
    if (--this.#waiting > 0) return;
    this.#idle = setTimeout(() => this.#giveUp(), idleMs);
    this.#idle.unref();
  }

  #giveUp(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#lastRevision = undefined;
  }

  async #find(filter: NoteFilter, wanted: Wanted): Promise<FoundNotes> {
    const known = this.#lastRevision === undefined ? [] : [this.#lastRevision];
    const list = await this.#store.listJson(filter, known);
    if (list.kind === 'unchanged') return this.#ask({ ...wanted, list: 'last' });
    if (list.kind === 'chunks') {
      this.#lastRevision = undefined;
      return this.#ask({ ...wanted, list: 'chunks' }, list.chunks).finally(() => list.chunks.close());
    }
    this.#lastRevision = list.revision;
    return this.#ask({ ...wanted, list: await list.body.bytes() });
  }

  async #ask(task: SearchTask, chunks?: JsonChunks): Promise<FoundNotes> {
    this.#worker ??= new Worker(new URL('./search-worker.ts', import.meta.url), { ref: false });
    const worker = this.#worker;
    const ended = Promise.withResolvers<FoundNotes>();
    worker.onmessage = ({ data }: MessageEvent<SearchReply>) => {
      if (data === 'next') chunks?.next().then((chunk) => worker.postMessage(chunk), ended.reject);
      else if ('found' in data) ended.resolve(data.found);
      else ended.reject(new Error(data.failure));
    };
    worker.onerror = ({ message: reason }) => ended.reject(new Error(reason));
    worker.postMessage(task, typeof task.list === 'string' ? [] : [task.list.buffer]);
    try {
      return await ended.promise;
    } catch (error) {
      this.#giveUp(); // it may wait for a chunk that never comes
      throw error;
    }
  }
}
