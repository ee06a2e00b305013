import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import type { ChangeFeed } from '../../domain/store.ts';
import { beat, greeting, type Piece, piecesOf, Ring, reset } from './ring.ts';

export interface HubOptions {
  /** Told how many listeners there are, whenever that changes. */
  readonly onCount?: (listeners: number) => void;
  /** Told why the store could not be asked. */
  readonly onError?: (error: unknown) => void;
  readonly maxListeners?: number;
  /** Most memory for what was told of late, shared by all listeners. */
  readonly ringBytes?: number;
  readonly heartbeatMs?: number;
}

/** Changes are collected for so long, in ms, so that one piece holds many. */
const tickMs = 50;
/** After a failure of the store, in ms. */
const pauseMs = 1_000;
/** So many listeners are served in one turn of the event loop: other requests wait no longer. */
const served = 32;

/** What one listener who comes back may have missed, and all of them together, in bytes; who missed more reads the list. */
const maxMissed = 1024 * 1024;
const maxAllMissed = 16 * 1024 * 1024;

interface Listener {
  /** Aborted once its connection is closed. */
  readonly signal: AbortSignal | undefined;
  controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  /** What it missed before it came, and is not in the ring. */
  missed: Piece[];
  place: number;
  /** Whether the last piece ended in the middle of a frame. */
  isOpen: boolean;
}

/** What happened between two cursors. */
interface Missed {
  readonly from: string;
  readonly pieces: Piece[];
  readonly to: string;
}

/**
 * Tells listeners what is written. One loop asks the store while there are any; a listener is a place in a ring of bytes that
 * all share, and takes from there when its reader has taken what came before. Who is overtaken by the ring is told to read the list anew.
 */
export class EventHub {
  readonly #feed: ChangeFeed;
  readonly #options: Required<HubOptions>;
  readonly #listeners = new Set<Listener>();
  /** Those whose readers have taken everything. */
  readonly #idle = new Set<Listener>();
  #ring: Ring;
  /** The moment up to which the ring tells everything; undefined while nobody listens. */
  #head: string | undefined;
  /** Questions to the store come one after the other: the answer to a later one never shows an earlier moment. */
  #turn: Promise<unknown> = Promise.resolve();
  #missed = 0;
  #opening = 0;
  #isClosed = false;

  constructor(feed: ChangeFeed, options: HubOptions = {}) {
    this.#feed = feed;
    this.#options = {
      onCount: () => {},
      onError: () => {},
      maxListeners: 4_000,
      ringBytes: 16 * 1024 * 1024,
      heartbeatMs: 15_000,
      ...options,
    };
    this.#ring = new Ring(this.#options.ringBytes);
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** What is written from now on, or after `cursor`. Throws `busy` when there are too many listeners. */
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

  /** Ends all streams at once, but those whose readers take nothing: of their connections, what tells that they are closed. */
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
    const place = known === head ? this.#ring.end : this.#ring.placeOf(known);
    const missed = place === undefined ? await this.#missedSince(known) : { from: known, pieces: [], to: head };
    if (this.#isClosed) throw new NoteError('busy', message.storeClosed);
    const listener = {
      signal,
      controller: undefined,
      missed: missed.pieces,
      place: place ?? this.#ring.end,
      isOpen: false,
    };
    this.#missed += lengthOf(listener.missed);
    this.#listeners.add(listener);
    this.#options.onCount(this.#listeners.size);
    if (this.#head === undefined) {
      this.#head = missed.to;
      void this.#run();
    }
    return this.#streamTo(listener, greeting(missed.from));
  }

  /** What tells a listener at this cursor the notes up to a later one, or to read the list anew. */
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

  /** As long as anybody listens. */
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

  /** Tells what was written since the last time; false when nobody listens any more. */
  async #advance(): Promise<boolean> {
    const before = this.#head;
    if (this.#listeners.size === 0 || before === undefined) {
      this.#head = undefined;
      this.#ring = new Ring(this.#options.ringBytes);
      return false;
    }
    const changes = await this.#feed.changesAfter(before);
    const head = changes?.cursor ?? (await this.#feed.cursor());
    const pieces = changes ? piecesOf(changes.notes, before, head) : [{ bytes: reset(head), isOpen: false }];
    this.#ring.push(pieces, head);
    this.#head = head;
    await this.#serve([...this.#idle], (listener) => this.#give(listener));
    return true;
  }

  async #serve(listeners: readonly Listener[], give: (listener: Listener) => void): Promise<void> {
    for (let at = 0; at < listeners.length; at += served) {
      if (at > 0) await new Promise(setImmediate);
      for (const listener of listeners.slice(at, at + served)) if (this.#idle.delete(listener)) give(listener);
    }
  }

  #beat(): void {
    const bytes = beat(this.#head ?? '');
    for (const listener of [...this.#idle]) if (this.#idle.delete(listener)) listener.controller?.enqueue(bytes);
  }

  /** Gives a listener, whose reader can take something, what comes next; if there is nothing, as soon as there is. */
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
    if (this.#ring.has(listener.place)) {
      const piece = this.#ring.at(listener.place);
      if (piece !== undefined) listener.place++;
      return piece;
    }
    if (listener.isOpen) return 'lost'; // a frame without its end is nothing: the reader comes back and is told
    listener.place = this.#ring.end;
    return { bytes: reset(this.#head ?? ''), isOpen: false };
  }

  /** False where its reader has not taken what it was given: the runtime then waits for it before it closes the connection. */
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
    this.#options.onCount(this.#listeners.size);
  }
}

const lengthOf = (pieces: readonly Piece[]) => pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);

/** What comes from elsewhere and looks otherwise is none, and never sent back. */
const isCursor = (text: string) => /^[\w.-]+$/.test(text);
