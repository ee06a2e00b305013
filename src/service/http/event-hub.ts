import { singleFlight } from '../../core/concurrency.ts';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { PinStore, Pins } from '../../core/pins.ts';
import type { ChangeFeed } from '../../core/store.ts';
import { tooManyListeners } from './http-messages.ts';

/**
 * These functions encode the frames of server-sent events. A frame ends with an empty line, and only then does a client
 * store the cursor in its `id:`. All notes up to that cursor stand before it, so a connection may break at any byte:
 * the client continues after the last cursor that it stored. The stream has no empty line before its first `id:`,
 * because `EventSource` would forget the cursor of the previous connection there.
 *
 * Example of a stream with one note: `retry: 1000`, `id: 41`, empty line, `event: note`, `data: {…}`, `id: 42`, empty
 * line.
 */

/** This precedes the first frame of each stream. The client connects again 1,000 ms after a break. */
const streamPrologue = 'retry: 1000\n';

/** A frame with only a cursor is also the heartbeat that shows proxies that the connection is alive. */
const formatCursorFrame = (cursor: string) => `id: ${cursor}\n\n`;

/** A reset tells a listener to read the list again. */
const formatResetFrameWithCursor = (cursor: string) => `event: reset\ndata: {}\n${formatCursorFrame(cursor)}`;

/**
 * Encodes the pins as a frame. Its cursor is the one that the listener has already, as pins are in no cursor: who
 * connects again reads them again.
 */
const formatPinsFrame = ({ ids }: Pins, cursor: string) =>
  `event: pins\ndata: ${JSON.stringify({ ids })}\n${formatCursorFrame(cursor)}`;

/** Encodes notes in JSON as frames. Only the last one has a cursor: that after all of them. */
function formatNoteFrames(notes: readonly string[], cursor: string): string {
  const frames = notes.map((json) => `event: note\ndata: ${json}\n`);
  return frames.length > 0 ? frames.join('\n') + formatCursorFrame(cursor) : '';
}

const encoder = new TextEncoder();

/**
 * A piece has at most this many bytes. The runtime copies what a slow reader has not consumed, which is then one piece.
 */
const pieceBytes = 64 * 1024;

/** All pieces of the ring together have at most this many bytes; the oldest are dropped. */
const maxRingBytes = 16 * 1024 * 1024;

/**
 * Holds the latest bytes of a stream, in pieces. A position is the number of all pieces before it, dropped ones
 * included.
 */
export class PieceRing {
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];
  #droppedPieces = 0;
  #bytes = 0;

  /** The next piece that is appended gets this position. */
  get endPosition(): number {
    return this.#droppedPieces + this.#pieces.length;
  }

  canReadFrom(position: number): boolean {
    return position >= this.#droppedPieces;
  }

  findPieceAt(position: number): Uint8Array<ArrayBuffer> | undefined {
    return this.#pieces[position - this.#droppedPieces];
  }

  appendAndDropOldest(text: string): void {
    const bytes = encoder.encode(text);
    for (let at = 0; at < bytes.length; at += pieceBytes) this.#pieces.push(bytes.slice(at, at + pieceBytes));
    this.#bytes += bytes.length;
    for (; this.#bytes > maxRingBytes; this.#droppedPieces++) this.#bytes -= this.#pieces.shift()?.length ?? 0;
  }
}

export interface EventHubOptions {
  /** Is called with the reason why the store could not be read. */
  readonly onError?: (error: unknown) => void;
  readonly maxListeners?: number;
  readonly heartbeatMs?: number;
  /** How often the pins are read while there are listeners. */
  readonly pinsMs?: number;
  /** Changes that are written within this time, in ms, are sent together. */
  readonly tickMs?: number;
}

/** After a failure of the store, the loop pauses for this long, in ms. */
const retryPauseMs = 1_000;
/** Other requests run after this many listeners, which bounds their delay. */
const listenersPerTurn = 32;
/**
 * A listener that connects gets at most this many bytes that it has missed, as its stream holds them in memory. If it
 * has missed more, it gets `reset`.
 */
const maxMissedBytes = 64 * 1024;

/** Says whether a listener may still read notes: its token may be removed, and its session end, while it listens. */
export type HasAccess = () => Promise<boolean>;

interface Listener {
  /** The next piece of the ring that this listener gets has this position. */
  position: number;
  readonly hasAccess: HasAccess;
  /** Undefined while the stream is being opened. */
  controller?: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
}

/**
 * Streams changes to listeners. One loop polls the store while there are any. A listener is a position in a ring of
 * bytes shared by all, and advances as its reader consumes. The stream of one that the ring overtakes ends: it connects
 * again, and gets `reset`.
 */
export class EventHub {
  readonly #feed: ChangeFeed;
  readonly #pinStore: Pick<PinStore, 'readPins'>;
  readonly #options: Required<EventHubOptions>;
  readonly #listeners = new Set<Listener>();
  #ring = new PieceRing();
  /** The cursor at the end of the ring; undefined without listeners. */
  #headCursor: string | undefined;
  /** The pins that the listeners know, or read after they have connected. */
  #sentPins: Pins = { ids: [], revision: '' };
  #pinsReadAt = 0;
  #isClosed = false;
  /** Begins to follow the feed and the pins. Returns the cursor after which changes are appended to the ring. */
  readonly #startFollowing = singleFlight(async () => {
    const head = await this.#feed.readCursor();
    this.#sentPins = await this.#pinStore.readPins();
    this.#headCursor = head;
    void this.#followFeedUntilNoListeners(head);
    return head;
  });

  constructor(feed: ChangeFeed, pinStore: Pick<PinStore, 'readPins'>, options: EventHubOptions = {}) {
    this.#feed = feed;
    this.#pinStore = pinStore;
    const defaults = { onError: () => {}, maxListeners: 4_000, heartbeatMs: 15_000, tickMs: 50, pinsMs: 250 };
    this.#options = { ...defaults, ...options };
  }

  /** Counts the streams; after `close`, those whose readers are stuck. */
  get listenerCount(): number {
    return this.#listeners.size;
  }

  /**
   * Streams changes from now on, or after `cursor`. The stream ends at the first heartbeat without access. Throws
   * `busy` if there are too many listeners.
   */
  async openEventStream(
    cursor: string | undefined,
    hasAccess: HasAccess = async () => true,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    if (this.#listeners.size >= this.#options.maxListeners) throw new NoteError('busy', tooManyListeners);
    // The position is that before the store is read, so that what is written meanwhile follows from the ring.
    const listener: Listener = { position: this.#ring.endPosition, hasAccess };
    this.#listeners.add(listener);
    try {
      const head = this.#headCursor ?? (await this.#startFollowing());
      const first = new TextEncoder().encode(streamPrologue + (await this.#readMissedFrames(cursor, head)));
      if (this.#isClosed) throw new NoteError('busy', message.storeClosed);
      return new ReadableStream<Uint8Array<ArrayBuffer>>({
        start: (controller) => {
          listener.controller = controller;
          controller.enqueue(first);
        },
        pull: () => this.#sendNextPieceOrClose(listener),
        cancel: () => void this.#listeners.delete(listener),
      });
    } catch (error) {
      this.#listeners.delete(listener);
      throw error;
    }
  }

  /** Ends all streams. That of a stuck reader ends once it reads on. */
  close(): void {
    this.#isClosed = true;
    void this.#sendToReadyListeners();
  }

  /**
   * Reads the frames that a listener has missed: the notes written after its `cursor`. The frame is a reset if the
   * cursor is unknown or too much was missed. What is written after `head` follows from the ring.
   */
  async #readMissedFrames(cursor: string | undefined, head: string): Promise<string> {
    if (cursor === undefined || cursor === head) return formatCursorFrame(head);
    const changes = canBeCursor(cursor) ? await this.#feed.readChangesAfter(cursor) : undefined;
    const frames = changes && formatCursorFrame(cursor) + formatNoteFrames(changes.notes, changes.cursor);
    return frames === undefined || Buffer.byteLength(frames) > maxMissedBytes
      ? formatResetFrameWithCursor(head)
      : frames;
  }

  /** Appends what is written after the cursor `first` to the ring, while there are listeners. */
  async #followFeedUntilNoListeners(first: string): Promise<void> {
    let head = first;
    const { tickMs, heartbeatMs, onError } = this.#options;
    let tick = Bun.sleep(0);
    let beatAt = performance.now();
    let isFailing = false;
    while (this.#listeners.size > 0 && !this.#isClosed) {
      try {
        await Promise.all([this.#feed.waitForPossibleChanges(head), tick]);
        tick = Bun.sleep(tickMs);
        head = await this.#readFeedIntoRingAndGetCursor(head);
        await this.#readPinsIntoRingIfDue(head);
        isFailing = false;
      } catch (error) {
        if (!isFailing && !this.#isClosed) onError(error);
        isFailing = true;
        await Bun.sleep(retryPauseMs);
      }
      if (performance.now() - beatAt >= heartbeatMs) {
        beatAt = performance.now();
        this.#ring.appendAndDropOldest(formatCursorFrame(head));
        for (const listener of this.#listeners) void this.#closeStreamUnlessAllowed(listener);
      }
      await this.#sendToReadyListeners();
    }
    this.#headCursor = undefined;
    this.#ring = new PieceRing();
  }

  /** Appends what is written after a cursor to the ring, or a reset if that is not known. Returns the new cursor. */
  async #readFeedIntoRingAndGetCursor(after: string): Promise<string> {
    const changes = await this.#feed.readChangesAfter(after);
    const head = changes?.cursor ?? (await this.#feed.readCursor());
    this.#ring.appendAndDropOldest(changes ? formatNoteFrames(changes.notes, head) : formatResetFrameWithCursor(head));
    this.#headCursor = head;
    return head;
  }

  /** Asks for the pins instead of being told, as another instance or program may have set them. */
  async #readPinsIntoRingIfDue(cursor: string): Promise<void> {
    const now = performance.now();
    if (now - this.#pinsReadAt < this.#options.pinsMs) return;
    this.#pinsReadAt = now;
    const pins = await this.#pinStore.readPins();
    if (pins.revision === this.#sentPins.revision) return;
    this.#sentPins = pins;
    this.#ring.appendAndDropOldest(formatPinsFrame(pins, cursor));
  }

  async #closeStreamUnlessAllowed(listener: Listener): Promise<void> {
    const hasAccess = await listener.hasAccess().catch(() => true); // a database that cannot be asked reports no writes
    if (!hasAccess && this.#listeners.delete(listener)) listener.controller?.close();
  }

  async #sendToReadyListeners(): Promise<void> {
    let sent = 0;
    for (const listener of this.#listeners) {
      if ((listener.controller?.desiredSize ?? 0) <= 0) continue; // its reader has not consumed the last piece
      this.#sendNextPieceOrClose(listener);
      if (++sent % listenersPerTurn === 0) await new Promise(setImmediate);
    }
  }

  /**
   * Sends the next piece, if any, to a listener whose reader is ready. Ends its stream if the ring has dropped that
   * piece, or if the hub is closed.
   */
  #sendNextPieceOrClose(listener: Listener): void {
    const { position, controller } = listener;
    if (this.#isClosed || !this.#ring.canReadFrom(position)) {
      this.#listeners.delete(listener);
      controller?.close();
      return;
    }
    const piece = this.#ring.findPieceAt(position);
    if (piece === undefined) return;
    listener.position++;
    controller?.enqueue(piece);
  }
}

/**
 * Says whether a text from a client can be a cursor. Other texts would break the frame into which the cursor is
 * written.
 */
const canBeCursor = (text: string) => /^[\w.-]+$/.test(text);
