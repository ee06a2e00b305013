/** This thread searches for `SearchQueue`. It has one list, which the queue replaces when the notes have changed. */
import { JsonArrayError, JsonArraySplitter } from '../../core/json/json-array.ts';
import type { Note } from '../../core/note.ts';
import { compareNewestFirst } from '../../core/note-order.ts';
import { MovedResult, serveWorkerMethods } from '../../core/workers/serve-worker.ts';
import { BestNotesCollector } from './best-notes.ts';
import { IncrementalListParser } from './incremental-list-parser.ts';
import { encodeFittingNotes, type FoundJson, type SearchTask } from './search-results-json.ts';

declare const self: Worker;

/** A cached list has at most this many bytes of JSON. In memory it needs three to five times as much. */
const maxCachedBytes = 32 * 1024 * 1024;

/**
 * Searches a list as it arrives in chunks, for tasks that are known beforehand. Up to `maxCachedBytes` it only collects
 * the chunks, as a list that proves short is cached instead.
 */
class ArrivingListSearch {
  readonly #searches: readonly { readonly task: SearchTask; readonly best: BestNotesCollector }[];
  readonly #splitter = new JsonArraySplitter();
  readonly #collected: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;

  constructor(tasks: readonly SearchTask[]) {
    this.#searches = tasks.map((task) => ({ task, best: new BestNotesCollector(task) }));
  }

  get isLong(): boolean {
    return this.#bytes > maxCachedBytes;
  }

  addChunk(chunk: Uint8Array<ArrayBuffer>): void {
    this.#collected.push(chunk);
    this.#bytes += chunk.length;
    if (!this.isLong) return;
    for (const collected of this.#collected.splice(0)) this.#searchChunk(collected);
  }

  /** Joins the chunks of a list that is not long to its JSON. */
  joinChunksOfShortList(): Uint8Array<ArrayBuffer> {
    return Buffer.concat(this.#collected);
  }

  /** Encodes what each task has found in a long list. Throws if the list is not complete. */
  encodeResultsOfLongList(): readonly FoundJson[] {
    this.#splitter.assertComplete();
    return this.#searches.map(({ task, best }) => encodeFittingNotes(best, task));
  }

  #searchChunk(chunk: Uint8Array<ArrayBuffer>): void {
    const elements = this.#splitter.splitChunk(chunk);
    if (elements.length === 0) return;
    const notes: Note[] = JSON.parse(`[${elements}]`);
    notes.sort(compareNewestFirst);
    for (const { best } of this.#searches) best.addBatchNewestFirst(notes);
  }
}

let cachedList: IncrementalListParser | undefined;
let arrivingList: ArrivingListSearch | undefined;

const methods = {
  /** Replaces the cached list by one in JSON. */
  replaceList(json: Uint8Array<ArrayBuffer>): void {
    const list = cachedList ?? new IncrementalListParser();
    cachedList = undefined; // a list that cannot be parsed leaves none
    list.parseAndReplaceNotes(json);
    cachedList = list;
  },

  searchCachedList(task: SearchTask): MovedResult<FoundJson> {
    if (cachedList === undefined) throw new Error('There is no list to search');
    const best = new BestNotesCollector(task);
    best.addBatchNewestFirst(cachedList.notes);
    const found = encodeFittingNotes(best, task);
    return new MovedResult(found, [found.json.buffer]);
  },

  /** Begins a list that arrives in chunks. */
  beginChunks(tasks: readonly SearchTask[]): void {
    arrivingList = new ArrivingListSearch(tasks);
  },

  addChunk(chunk: Uint8Array<ArrayBuffer>): void {
    runAndConvertJsonArrayError(() => arrivingList?.addChunk(chunk));
    if (arrivingList?.isLong) cachedList = undefined; // makes room
  },

  /** Forgets the chunks of a list whose end will not arrive. */
  abandonChunks(): void {
    arrivingList = undefined;
  },

  /** Ends the list. A short one is cached; of a long one, returns what each task has found. */
  cacheListOrEncodeResults(): MovedResult<readonly FoundJson[]> | 'cached' {
    const arrived = arrivingList;
    arrivingList = undefined;
    if (arrived === undefined) throw new Error('No list has begun');
    if (!arrived.isLong) {
      methods.replaceList(arrived.joinChunksOfShortList());
      return 'cached';
    }
    const found = runAndConvertJsonArrayError(() => arrived.encodeResultsOfLongList());
    return new MovedResult(
      found,
      found.map(({ json }) => json.buffer),
    );
  },
};

/**
 * Runs work on a list of the store. Throws another error in place of `JsonArrayError`, which would blame the request
 * for a broken list of the store.
 */
function runAndConvertJsonArrayError<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof JsonArrayError ? new SyntaxError(error.message, { cause: error }) : error;
  }
}

export type ListSearchMethods = typeof methods;

serveWorkerMethods(self, methods);
