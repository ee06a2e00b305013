import { Semaphore } from '../../core/concurrency.ts';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { JsonChunks, JsonList, NoteEngine } from '../../core/store.ts';
import { WorkerClient, WorkerError } from '../../core/workers/worker-client.ts';
import type { ListSearchMethods } from './list-search-worker.ts';
import { encodeFittingNotes, type FoundJson, type SearchTask } from './search-results-json.ts';

/** Up to `maxWaiting` searches may wait, with and without words each, and up to `maxTogether` share a list. */
const maxWaiting = 256;
const maxTogether = 8;

/** A search without words waits this long for its turn, in ms. */
const permitWaitMs = 30_000;

/** After this many ms without a search, the thread and its list are released. */
const idleMs = 60_000;

interface Search {
  readonly task: SearchTask;
  readonly signal: AbortSignal | undefined;
  readonly ended: PromiseWithResolvers<FoundJson>;
}

const isSearchAborted = ({ signal }: Search) => signal?.aborted === true;

const nothingFound: FoundJson = { json: new TextEncoder().encode('[]'), count: 0, total: 0 };

/**
 * Searches a store on another thread. Each list is requested after the search, so that earlier writes are found. The
 * thread caches a short list until it changes, and searches a longer one as it arrives. Searches that arrive meanwhile
 * share the next list. Without words, the store finds the notes itself.
 */
export class SearchQueue implements Disposable {
  readonly #store: Pick<NoteEngine, 'listJson' | 'readLastChangedNotesAndTotal'>;
  /** Only one search without words runs at a time, as each delays writes. */
  readonly #permits = new Semaphore({
    max: 1,
    waitMs: permitWaitMs,
    createTimeoutError: () => new NoteError('busy', message.busy),
  });
  readonly #thread = new WorkerClient<ListSearchMethods>({
    startWorker: () => new Worker(new URL('./list-search-worker.ts', import.meta.url), { ref: false }),
    onCrash: () => this.#forgetListState(),
  });
  #waiting: Search[] = [];
  #isRunning = false;
  /** The list that the thread has cached has this revision; undefined if it has none. */
  #cachedRevision: string | undefined;
  /**
   * Whether the list of all notes is too long to cache. Then searches with equal filters share a filtered list.
   */
  #isLong = false;
  #idle: Timer | undefined;

  constructor(store: Pick<NoteEngine, 'listJson' | 'readLastChangedNotesAndTotal'>) {
    this.#store = store;
  }

  /** Rejects with `busy` if too many searches wait. An aborted search resolves empty, without further work. */
  search(task: SearchTask, signal?: AbortSignal): Promise<FoundJson> {
    if (task.query.trim() === '') return this.#readNewestNotesInTurn(task, signal);
    if (this.#waiting.length >= maxWaiting) this.#resolveAbortedSearches();
    if (this.#waiting.length >= maxWaiting) return Promise.reject(new NoteError('busy', message.busy));
    const ended = Promise.withResolvers<FoundJson>();
    this.#waiting.push({ task, signal, ended });
    if (!this.#isRunning) void this.#runWaitingSearches();
    return ended.promise;
  }

  /** Rejects all searches. */
  [Symbol.dispose](): void {
    const closed = new NoteError('busy', message.storeClosed);
    for (const { ended } of this.#waiting.splice(0)) ended.reject(closed);
    clearTimeout(this.#idle);
    this.#thread.close(closed);
  }

  async #readNewestNotesInTurn(task: SearchTask, signal?: AbortSignal): Promise<FoundJson> {
    if (this.#permits.waiting >= maxWaiting) throw new NoteError('busy', message.busy);
    const permit = await this.#permits.acquirePermitOrTimeOut();
    try {
      return signal?.aborted
        ? nothingFound
        : encodeFittingNotes(await this.#store.readLastChangedNotesAndTotal(task.filter, task.limit), task);
    } finally {
      permit.release();
    }
  }

  /** Resolves aborted searches that wait, which makes room for others. */
  #resolveAbortedSearches(): void {
    for (const { ended } of this.#waiting.filter(isSearchAborted)) ended.resolve(nothingFound);
    this.#waiting = this.#waiting.filter((search) => !isSearchAborted(search));
  }

  async #runWaitingSearches(): Promise<void> {
    this.#isRunning = true;
    clearTimeout(this.#idle);
    for (
      let searches = this.#resolveAbortedAndRemoveNextBatch();
      searches.length > 0;
      searches = this.#resolveAbortedAndRemoveNextBatch()
    ) {
      await this.#loadListAndSettleSearches(searches).catch((error) => {
        for (const { ended } of searches) ended.reject(error);
      });
    }
    this.#isRunning = false;
    this.#idle = setTimeout(() => {
      this.#thread.stopAndRejectAll();
      this.#forgetListState();
    }, idleMs);
    this.#idle.unref();
  }

  #forgetListState(): void {
    this.#cachedRevision = undefined;
    this.#isLong = false;
  }

  /** Resolves aborted searches, then removes the longest waiting ones that can share a list, and returns those. */
  #resolveAbortedAndRemoveNextBatch(): readonly Search[] {
    this.#resolveAbortedSearches();
    const [first] = this.#waiting;
    const sharesList = ({ task }: Search) => !this.#isLong || Bun.deepEquals(task.filter, first?.task.filter);
    const searches = this.#waiting.filter(sharesList).slice(0, maxTogether);
    this.#waiting = this.#waiting.filter((search) => !searches.includes(search));
    return searches;
  }

  async #loadListAndSettleSearches(searches: readonly Search[]): Promise<void> {
    const filter = this.#isLong ? (searches[0]?.task.filter ?? {}) : {};
    const known = this.#cachedRevision === undefined ? [] : [this.#cachedRevision];
    const list = await this.#store.listJson(filter, known);
    this.#cachedRevision = undefined; // until the thread is known to have this one
    if (await this.#cacheListOrSettleSearches(list, searches)) {
      await this.#searchCachedList(searches);
      this.#cachedRevision = list.revision;
    } else this.#isLong = true;
  }

  /**
   * Has the thread cache the list, and returns true. If the list is too long for that, the thread searches it as it
   * arrives: then the searches are settled, and it returns false.
   */
  async #cacheListOrSettleSearches(list: JsonList, searches: readonly Search[]): Promise<boolean> {
    if (list.kind === 'chunks')
      return this.#cacheOrSearchChunks(list.chunks, searches).finally(() => list.chunks.close());
    if (list.kind === 'whole') {
      const json = await new Blob([...list.body.parts]).bytes();
      await this.#thread.request('replaceList', [json], { moved: [json.buffer] });
    }
    return true;
  }

  async #searchCachedList(searches: readonly Search[]): Promise<void> {
    const search = async ({ task, ended }: Search) =>
      ended.resolve(await this.#thread.request('searchCachedList', [task]));
    await Promise.all(searches.map(search));
  }

  async #cacheOrSearchChunks(chunks: JsonChunks, searches: readonly Search[]): Promise<boolean> {
    try {
      await this.#thread.request('beginChunks', [searches.map(({ task }) => task)]);
      for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) {
        await this.#thread.request('addChunk', [chunk]);
        resolveEmptyAndThrowIfAllAborted(searches);
      }
      const found = await this.#thread.request('cacheListOrEncodeResults', []);
      if (found === 'cached') return true;
      for (const [index, { ended }] of searches.entries()) ended.resolve(found[index] ?? nothingFound);
      return false;
    } catch (error) {
      if (!(error instanceof WorkerError)) await this.#thread.request('abandonChunks', []);
      throw error;
    }
  }
}

/** Resolves the searches empty and throws if all of them were aborted, which ends the work on them. */
function resolveEmptyAndThrowIfAllAborted(searches: readonly Search[]): void {
  if (!searches.every(isSearchAborted)) return;
  for (const { ended } of searches) ended.resolve(nothingFound);
  throw new Error('All searches of the list were aborted');
}
