import { NoteError } from '../../core/error.ts';
import * as message from '../../core/message.ts';
import type { JsonChunks, JsonList, NoteEngine } from '../../core/store.ts';
import { Semaphore } from '../../core/tools/concurrency.ts';
import { type FoundJson, foundJson, type SearchTask } from './best.ts';
import type { SearchMessage, SearchReply } from './search-worker.ts';

/** Limits of waiting searches, with and without words, and of searches that share a list. */
const maxWaiting = 256;
const maxTogether = 8;

/** How long a search without words waits for its turn, in ms. */
const turnWaitMs = 30_000;

/** After this many ms without a search, the thread and its list are released. */
const idleMs = 60_000;

interface Search {
  readonly task: SearchTask;
  readonly signal: AbortSignal | undefined;
  readonly ended: PromiseWithResolvers<FoundJson>;
}

const isAborted = ({ signal }: Search) => signal?.aborted === true;

const nothing: FoundJson = { json: new TextEncoder().encode('[]'), count: 0, total: 0 };

/**
 * Searches a store on another thread. Each list is requested after the search, so earlier writes are found. The thread
 * keeps a short list until it changes, and searches a longer one as it arrives. Searches that arrive meanwhile share
 * the next list. Without words, the store finds the notes itself.
 */
export class Searches implements Disposable {
  readonly #store: Pick<NoteEngine, 'listJson' | 'newest'>;
  /** One search without words at a time, as each delays writes. */
  readonly #turn = new Semaphore({
    max: 1,
    waitMs: turnWaitMs,
    refuse: () => new NoteError('busy', message.busy),
  });
  #waiting: Search[] = [];
  #isRunning = false;
  #worker: Worker | undefined;
  /** Of the list that the thread keeps. */
  #revision: string | undefined;
  /** Whether the list of all notes is too long to keep: then searches with equal filters share a filtered list. */
  #isLong = false;
  #idle: Timer | undefined;
  /** Rejects the current order. */
  #stop: ((reason: Error) => void) | undefined;

  constructor(store: Pick<NoteEngine, 'listJson' | 'newest'>) {
    this.#store = store;
  }

  /** Fails with `busy` if too many searches wait. An aborted search resolves empty, without further work. */
  find(task: SearchTask, signal?: AbortSignal): Promise<FoundJson> {
    if (task.query.trim() === '') return this.#newest(task, signal);
    if (this.#waiting.length >= maxWaiting) this.#leaveAborted();
    if (this.#waiting.length >= maxWaiting) return Promise.reject(new NoteError('busy', message.busy));
    const ended = Promise.withResolvers<FoundJson>();
    this.#waiting.push({ task, signal, ended });
    if (!this.#isRunning) void this.#run();
    return ended.promise;
  }

  /** Rejects waiting searches. */
  [Symbol.dispose](): void {
    const closed = new NoteError('busy', message.storeClosed);
    for (const { ended } of this.#waiting) ended.reject(closed);
    this.#waiting = [];
    this.#stop?.(closed);
    this.#giveUp();
  }

  async #newest(task: SearchTask, signal?: AbortSignal): Promise<FoundJson> {
    if (this.#turn.waiting >= maxWaiting) throw new NoteError('busy', message.busy);
    const turn = await this.#turn.acquire();
    try {
      return signal?.aborted ? nothing : foundJson(await this.#store.newest(task.filter, task.limit), task);
    } finally {
      turn.release();
    }
  }

  #leaveAborted(): void {
    for (const { ended } of this.#waiting.filter(isAborted)) ended.resolve(nothing);
    this.#waiting = this.#waiting.filter((search) => !isAborted(search));
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    clearTimeout(this.#idle);
    for (let searches = this.#next(); searches.length > 0; searches = this.#next()) {
      await this.#together(searches).catch((error) => {
        for (const { ended } of searches) ended.reject(error);
      });
    }
    this.#isRunning = false;
    this.#idle = setTimeout(() => this.#giveUp(), idleMs);
    this.#idle.unref();
  }

  #giveUp(): void {
    clearTimeout(this.#idle);
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#revision = undefined;
    this.#isLong = false;
  }

  /** Takes the longest waiting searches that can share a list. */
  #next(): readonly Search[] {
    this.#leaveAborted();
    const [first] = this.#waiting;
    const shares = ({ task }: Search) => !this.#isLong || (first && Bun.deepEquals(task.filter, first.task.filter));
    const searches = this.#waiting.filter(shares).slice(0, maxTogether);
    this.#waiting = this.#waiting.filter((search) => !searches.includes(search));
    return searches;
  }

  async #together(searches: readonly Search[]): Promise<void> {
    const filter = this.#isLong ? (searches[0]?.task.filter ?? {}) : {};
    const list = await this.#store.listJson(filter, this.#revision === undefined ? [] : [this.#revision]);
    this.#revision = undefined;
    const isCached = await this.#searchIn(list, searches);
    if (isCached) this.#revision = list.revision;
    else this.#isLong = true;
  }

  async #searchIn(list: JsonList, searches: readonly Search[]): Promise<boolean> {
    if (list.kind === 'unchanged') return this.#order(searches, 'cached');
    if (list.kind === 'whole') return this.#order(searches, await new Blob([...list.body.parts]).bytes());
    return this.#order(searches, 'chunks', list.chunks).finally(() => list.chunks.close());
  }

  /** Settles the searches and returns whether the thread keeps the list. */
  async #order(
    searches: readonly Search[],
    list: 'cached' | 'chunks' | Uint8Array<ArrayBuffer>,
    chunks?: JsonChunks,
  ): Promise<boolean> {
    this.#worker ??= new Worker(new URL('./search-worker.ts', import.meta.url), { ref: false });
    const worker = this.#worker;
    const send = (data: SearchMessage, transferred: ArrayBuffer[] = []) => worker.postMessage(data, transferred);
    const ended = Promise.withResolvers<boolean>();
    this.#stop = ended.reject;
    let failure: unknown;

    const sendChunk = async () => {
      try {
        if (searches.every(isAborted)) {
          for (const { ended } of searches) ended.resolve(nothing);
          return send('broken');
        }
        send((await chunks?.next()) ?? 'end');
      } catch (error) {
        failure = error;
        send('broken');
      }
    };
    worker.onmessage = ({ data }: MessageEvent<SearchReply>) => {
      if (data === 'next') void sendChunk();
      else if ('found' in data) searches[data.task]?.ended.resolve(data.found);
      else if ('isCached' in data) ended.resolve(data.isCached);
      else ended.reject(failure ?? new Error(data.failure));
    };
    worker.onerror = ({ message: reason }) => {
      this.#giveUp();
      ended.reject(new Error(reason));
    };
    const tasks = searches.map(({ task }) => task);
    send({ tasks, list }, typeof list === 'string' ? [] : [list.buffer]);
    return ended.promise;
  }
}
