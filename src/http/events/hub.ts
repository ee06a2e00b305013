import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import type { ChangeFeed } from '../../domain/store.ts';
import { beat, greeting, type Piece, piecesOf, Ring, reset } from './ring.ts';

export interface HubOptions {
  /** Called with the reason why the store could not be read. */
  readonly onError?: (error: unknown) => void;
  readonly maxListeners?: number;
  readonly heartbeatMs?: number;
}

/** Interval at which changes are batched, in ms. */
const tickMs = 50;
/** Pause after a failure of the store, in ms. */
const pauseMs = 1_000;
/** Bounds the delay of other requests. */
const listenersPerTurn = 32;

/** Limits of missed events kept for one reconnecting listener, and for all, in bytes; beyond, it gets `reset`. */
const maxMissed = 1024 * 1024;
const maxAllMissed = 16 * 1024 * 1024;

interface Listener {
  /** Aborted once its connection is closed. */
  readonly signal: AbortSignal | undefined;
  controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  /** Events from before it connected that are not in the ring. */
  missed: Piece[];
  position: number;
  /** Whether its last piece ended within a frame. */
  isOpen: boolean;
}

/** The events between two cursors. */
interface Missed {
  readonly from: string;
  readonly pieces: Piece[];
  readonly to: string;
}

/**
 * Streams changes to listeners. One loop polls the store while there are any. A listener is a position in a ring of
 * bytes shared by all, and advances as its reader consumes. One that the ring overtakes gets `reset`.
 */
export class EventHub {
  readonly #feed: ChangeFeed;
  readonly #options: Required<HubOptions>;
  readonly #listeners = new Set<Listener>();
  /** Listeners whose readers have consumed everything. */
  readonly #idle = new Set<Listener>();
  #ring = new Ring();
  /** The cursor at the end of the ring; undefined without listeners. */
  #head: string | undefined;
  /** Serializes reads of the store, so that a later one never returns an earlier cursor. */
  #turn: Promise<unknown> = Promise.resolve();
  #missed = 0;
  #opening = 0;
  #isClosed = false;

  constructor(feed: ChangeFeed, options: HubOptions = {}) {
    this.#feed = feed;
    this.#options = {
      onError: () => {},
      maxListeners: 4_000,
      heartbeatMs: 15_000,
      ...options,
    };
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Streams changes from now on, or after `cursor`. Throws `busy` if there are too many listeners. */
  async listen(cursor: string | undefined, signal?: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    if (this.#isClosed) throw new NoteError('busy', message.storeClosed);
    if (this.#listeners.size + this.#opening >= this.#options.maxListeners)
      throw new NoteError('busy', message.tooManyListeners);
    this.#opening++;
    try {
      return await this.#inTurn(() => this.#begin(cursor, signal));
    } finally {
      this.#opening--;
    }
  }

  /** Ends all streams. Returns the signals of connections that stay open, as their readers are stuck. */
  close(): readonly AbortSignal[] {
    this.#isClosed = true;
    const ended = [...this.#listeners].filter((listener) => !this.#end(listener));
    return ended.flatMap(({ signal }) => signal ?? []);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }

  async #begin(
    cursor: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const head = this.#head ?? (await this.#feed.cursor());
    const known = cursor ?? head;
    const position = known === head ? this.#ring.end : this.#ring.positionOf(known);
    const missed = position === undefined ? await this.#missedSince(known) : { from: known, pieces: [], to: head };
    if (this.#isClosed) throw new NoteError('busy', message.storeClosed);
    const listener = {
      signal,
      controller: undefined,
      missed: missed.pieces,
      position: position ?? this.#ring.end,
      isOpen: false,
    };
    this.#missed += lengthOf(listener.missed);
    this.#listeners.add(listener);
    if (this.#head === undefined) {
      this.#head = missed.to;
      void this.#run();
    }
    return this.#streamTo(listener, greeting(missed.from));
  }

  /** Collects the changes after a cursor; if too many or unknown, `reset`. */
  async #missedSince(cursor: string): Promise<Missed> {
    const changes = isCursor(cursor) ? await this.#feed.changesAfter(cursor) : undefined;
    const pieces = changes && [...piecesOf(changes.notes, cursor, changes.cursor)];
    const bytes = lengthOf(pieces ?? []);
    if (changes && pieces && bytes <= maxMissed && this.#missed + bytes <= maxAllMissed) {
      return { from: cursor, pieces, to: changes.cursor };
    }
    const head = this.#head ?? (await this.#feed.cursor());
    return { from: head, pieces: [{ bytes: reset(head), isOpen: false }], to: head };
  }

  #streamTo(listener: Listener, first: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        listener.controller = controller;
        controller.enqueue(first);
      },
      pull: () => this.#give(listener),
      cancel: () => this.#remove(listener),
    });
  }

  /** Polls the store while there are listeners. */
  async #run(): Promise<void> {
    const heartbeat = setInterval(() => this.#beat(), this.#options.heartbeatMs);
    let askedAt = Number.NEGATIVE_INFINITY;
    for (let isWanted = true, isFailing = false; isWanted; ) {
      try {
        await this.#feed.changed(this.#head ?? '');
        await Bun.sleep(Math.max(0, askedAt + tickMs - performance.now()));
        askedAt = performance.now();
        isWanted = await this.#inTurn(() => this.#advance());
        isFailing = false;
      } catch (error) {
        if (!isFailing) this.#options.onError(error);
        isFailing = true;
        await Bun.sleep(pauseMs);
        isWanted = !this.#isClosed;
      }
    }
    clearInterval(heartbeat);
  }

  /** Appends new changes to the ring; returns false if there are no listeners left. */
  async #advance(): Promise<boolean> {
    const before = this.#head;
    if (this.#listeners.size === 0 || before === undefined) {
      this.#head = undefined;
      this.#ring = new Ring();
      return false;
    }
    const changes = await this.#feed.changesAfter(before);
    const head = changes?.cursor ?? (await this.#feed.cursor());
    const pieces = changes ? piecesOf(changes.notes, before, head) : [{ bytes: reset(head), isOpen: false }];
    this.#ring.push(pieces, head);
    this.#head = head;
    for (const [index, listener] of [...this.#idle].entries()) {
      if (index > 0 && index % listenersPerTurn === 0) await new Promise(setImmediate);
      if (this.#idle.delete(listener)) this.#give(listener);
    }
    return true;
  }

  #beat(): void {
    const bytes = beat(this.#head ?? '');
    for (const listener of [...this.#idle]) if (this.#idle.delete(listener)) listener.controller?.enqueue(bytes);
  }

  /** Sends the next piece to a listener whose reader is ready, or marks it as idle. */
  #give(listener: Listener): void {
    const piece = this.#next(listener);
    if (piece === undefined) this.#idle.add(listener);
    else if (piece === 'lost') this.#end(listener);
    else {
      listener.isOpen = piece.isOpen;
      listener.controller?.enqueue(piece.bytes);
    }
  }

  #next(listener: Listener): Piece | 'lost' | undefined {
    const missed = listener.missed.shift();
    if (missed !== undefined) {
      this.#missed -= missed.bytes.length;
      return missed;
    }
    if (this.#ring.has(listener.position)) {
      const piece = this.#ring.at(listener.position);
      if (piece !== undefined) listener.position++;
      return piece;
    }
    if (listener.isOpen) return 'lost'; // clients drop the partial frame and reconnect
    listener.position = this.#ring.end;
    return { bytes: reset(this.#head ?? ''), isOpen: false };
  }

  /** Ends a stream. Returns false if the reader is stuck: then the runtime keeps the connection open. */
  #end(listener: Listener): boolean {
    const { controller } = listener;
    const isTaken = this.#idle.has(listener) || (controller?.desiredSize ?? 0) > 0;
    this.#remove(listener);
    if (isTaken) controller?.close();
    else controller?.error(new Error('The reader of events took nothing'));
    return isTaken;
  }

  #remove(listener: Listener): void {
    if (!this.#listeners.delete(listener)) return;
    this.#idle.delete(listener);
    this.#missed -= lengthOf(listener.missed);
    listener.missed = [];
  }
}

const lengthOf = (pieces: readonly Piece[]) => pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);

/** Rejects text from clients that cannot be a cursor; it is never echoed. */
const isCursor = (text: string) => /^[\w.-]+$/.test(text);
