import { shareNextRun } from '../../core/concurrency.ts';
import { encodeFilterKey, type NoteFilter } from '../../core/note.ts';
import type { JsonChunks, JsonList, NoteEngine } from '../../core/store.ts';
import { type ContentCoding, createCompressionStream } from './compression.ts';
import { divideChunksIntoPieces } from './large-responses.ts';

/** All copies together have at most `maxBytes`, and each has at most `maxCopyBytes`. */
interface CopyLimits {
  readonly maxBytes: number;
  readonly maxCopyBytes: number;
}

const defaultCopyLimits: CopyLimits = { maxBytes: 64 * 1024 * 1024, maxCopyBytes: 16 * 1024 * 1024 };

/** A list whose copy would be too large is not tried again for this long, in ms. */
const retryTooLongMs = 60_000;

type ListStore = Pick<NoteEngine, 'listJson'>;

/**
 * Requests that share a list get a compressed copy, or the list itself once it is short. Undefined means that they
 * cannot share.
 */
type SharedList = CompressedListCopy | Extract<JsonList, { kind: 'whole' }> | undefined;

/**
 * Reads lists that are too long for the store to cache. All requests that wait for the same list in the same coding
 * share one compressed copy.
 *
 * Example: request 1 asks the store, and the copy is made. Requests 2 to 50 arrive meanwhile and wait. Then the store
 * is asked once for all of them: if nothing was written since, they share the copy of request 1; else one new copy is
 * made.
 */
export class SharedListCache {
  readonly #store: ListStore;
  readonly #memory: CopyMemory;
  /** The filters whose lists were long when they were last read. */
  readonly #longFilters = new Set<string>();
  /** The key consists of filter and coding. The most recently used list is the last. */
  readonly #refreshers = new Map<string, ListCopyRefresher>();

  constructor(store: ListStore, limits = defaultCopyLimits) {
    this.#store = store;
    this.#memory = new CopyMemory(limits);
  }

  /** Says whether the list was too long for the store to cache when it was last read. */
  isListKnownToBeLong(filter: NoteFilter): boolean {
    return this.#longFilters.size > 0 && this.#longFilters.has(encodeFilterKey(filter));
  }

  /** Resolves to the list at some moment after the call; to undefined if it is too long to share. */
  async tryReadCompressedOrShortList(filter: NoteFilter, coding: ContentCoding): Promise<SharedList> {
    const key = `${encodeFilterKey(filter)}.${coding}`;
    const refresher = this.#refreshers.get(key) ?? this.#createRefresher(filter, coding);
    this.#refreshers.delete(key);
    this.#refreshers.set(key, refresher);
    const list = await refresher.readOrJoinNextRead();
    const isLong = list === undefined || list instanceof CompressedListCopy;
    if (isLong) this.#longFilters.add(encodeFilterKey(filter));
    else this.#longFilters.delete(encodeFilterKey(filter));
    return list;
  }

  #createRefresher(filter: NoteFilter, coding: ContentCoding): ListCopyRefresher {
    const makeRoom = () => this.#tryToDropCopiesForRoom();
    return new ListCopyRefresher(filter, coding, {
      store: this.#store,
      memory: this.#memory,
      tryToDropCopiesForRoom: makeRoom,
    });
  }

  /** Makes room for another copy, if necessary by dropping those used longest ago. Returns whether there is enough. */
  #tryToDropCopiesForRoom(): boolean {
    for (const refresher of this.#refreshers.values()) {
      if (this.#memory.hasRoomForLargestCopy) return true;
      refresher.dropCopy();
    }
    return this.#memory.hasRoomForLargestCopy;
  }
}

/** Counts the bytes of copies that are being made, are held by lists, or are still being sent. */
class CopyMemory {
  readonly limits: CopyLimits;
  #used = 0;

  constructor(limits: CopyLimits) {
    this.limits = limits;
  }

  /** Whether a copy of any size fits. */
  get hasRoomForLargestCopy(): boolean {
    return this.#used + this.limits.maxCopyBytes <= this.limits.maxBytes;
  }

  addBytes(bytes: number): void {
    this.#used += bytes;
  }

  releaseBytes(bytes: number): void {
    this.#used -= bytes;
  }
}

interface ListCopyRefresherDeps {
  readonly store: ListStore;
  readonly memory: CopyMemory;
  /** Makes room for a copy of any size. Returns whether there is enough. */
  readonly tryToDropCopiesForRoom: () => boolean;
}

/** Refreshes the copy of one list in one coding. */
class ListCopyRefresher {
  /** Requests that arrive while the list is read share the next reading. */
  readonly readOrJoinNextRead = shareNextRun(() => this.#refreshCopyOrReadShortList());
  readonly #filter: NoteFilter;
  readonly #coding: ContentCoding;
  readonly #deps: ListCopyRefresherDeps;
  #copy: CompressedListCopy | undefined;
  #retryAt = 0;

  constructor(filter: NoteFilter, coding: ContentCoding, deps: ListCopyRefresherDeps) {
    this.#filter = filter;
    this.#coding = coding;
    this.#deps = deps;
  }

  dropCopy(): void {
    this.#copy?.release();
    this.#copy = undefined;
  }

  async #refreshCopyOrReadShortList(): Promise<SharedList> {
    if (performance.now() < this.#retryAt) return undefined;
    const copy = this.#copy;
    const list = await this.#deps.store.listJson(this.#filter, copy === undefined ? [] : [copy.revision]);
    if (list.kind === 'unchanged') return copy;
    this.dropCopy();
    if (list.kind === 'whole') return list;
    if (this.#deps.tryToDropCopiesForRoom()) return this.#tryCompressAndReplaceCopy(list.revision, list.chunks);
    await list.chunks.close();
    return undefined;
  }

  /** Resolves to undefined if the copy would be larger than `maxCopyBytes`, which are reserved for it meanwhile. */
  async #tryCompressAndReplaceCopy(revision: string, chunks: JsonChunks): Promise<CompressedListCopy | undefined> {
    const { memory } = this.#deps;
    const { maxCopyBytes } = memory.limits;
    memory.addBytes(maxCopyBytes);
    try {
      const pieces = await this.#tryCompressWithinBytes(chunks, maxCopyBytes);
      if (pieces === undefined) this.#retryAt = performance.now() + retryTooLongMs;
      else this.#copy = new CompressedListCopy(revision, pieces, memory);
      return this.#copy;
    } finally {
      memory.releaseBytes(maxCopyBytes);
    }
  }

  async #tryCompressWithinBytes(
    chunks: JsonChunks,
    maxBytes: number,
  ): Promise<readonly Uint8Array<ArrayBuffer>[] | undefined> {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    const list = createChunkStream(divideChunksIntoPieces(chunks)); // else a piece could decompress to a note of 8 MB
    for await (const piece of list.pipeThrough(createCompressionStream(this.#coding))) {
      size += piece.length;
      if (size > maxBytes) return undefined; // leaving the loop closes the chunks
      pieces.push(piece);
    }
    return pieces;
  }
}

/** Creates a stream of chunks that lets other requests run between two of them. */
function createChunkStream(chunks: JsonChunks): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      await new Promise(setImmediate);
      const chunk = await chunks.next();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: () => chunks.close(),
  });
}

/** A compressed revision of a list. Its bytes count as memory until neither its list nor a reader holds it. */
export class CompressedListCopy {
  readonly revision: string;
  readonly #pieces: readonly Uint8Array<ArrayBuffer>[];
  readonly #size: number;
  readonly #memory: CopyMemory;
  #holders = 0;

  /** The list that creates the copy holds it from the beginning. */
  constructor(revision: string, pieces: readonly Uint8Array<ArrayBuffer>[], memory: CopyMemory) {
    this.revision = revision;
    this.#pieces = pieces;
    this.#size = pieces.reduce((size, { length }) => size + length, 0);
    this.#memory = memory;
    this.#retain();
  }

  /** Opens the copy from its beginning for a reader, who holds it until the end. */
  openChunks(): JsonChunks {
    this.#retain();
    const rest = this.#pieces.values();
    let isOpen = true;
    const close = () => {
      if (isOpen) this.release();
      isOpen = false;
    };
    return {
      async next() {
        const { value: piece } = rest.next();
        if (piece === undefined) close();
        return piece;
      },
      async close() {
        close();
      },
    };
  }

  /** Ends the hold of the list, or of a reader. The last one releases the memory. */
  release(): void {
    if (--this.#holders === 0) this.#memory.releaseBytes(this.#size);
  }

  #retain(): void {
    if (this.#holders++ === 0) this.#memory.addBytes(this.#size);
  }
}
