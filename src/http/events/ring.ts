const encoder = new TextEncoder();

/** Bytes that go to every listener. One that `isOpen` ends in the middle of a frame. */
export interface Piece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isOpen: boolean;
}

/** The most that a connection is given at once: the runtime copies it when the reader does not take it. */
const pieceBytes = 64 * 1024;

/** How many cursors are known at which a listener may go on. */
const maxCursors = 4_096;

/** A comment that keeps the connection, and the moment up to which the listener knows everything. */
export const beat = (cursor: string) => encoder.encode(`:\nid: ${cursor}\n\n`);

/** What a listener gets first. */
export const greeting = (cursor: string) => encoder.encode(`retry: 1000\nid: ${cursor}\n\n`);

/** Tells a listener to read the list anew. */
export const reset = (cursor: string) => encoder.encode(`id: ${cursor}\nevent: reset\ndata: {}\n\n`);

/** The notes as frames. Who has read them all is at the cursor `after`; who has not, still at the one `before`. */
export function* piecesOf(notes: readonly string[], before: string, after: string): Generator<Piece, void, void> {
  let text = '';
  for (const [index, json] of notes.entries()) {
    const cursor = index === notes.length - 1 ? after : before;
    text += `id: ${cursor}\nevent: note\ndata: ${json}\n\n`;
    if (text.length < pieceBytes / 2 && index < notes.length - 1) continue;
    yield* cut(encoder.encode(text));
    text = '';
  }
}

function* cut(bytes: Uint8Array<ArrayBuffer>): Generator<Piece, void, void> {
  if (bytes.length <= pieceBytes) return yield { bytes, isOpen: false };
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield { bytes: bytes.slice(at, at + pieceBytes), isOpen: at + pieceBytes < bytes.length };
  }
}

/**
 * What was told of late, held once for all listeners: at most `maxBytes`. A place counts the pieces that were told before
 * it, ever.
 */
export class Ring {
  readonly #maxBytes: number;
  #pieces: Piece[] = [];
  #dropped = 0;
  #bytes = 0;
  /** By cursor, the place behind which its later notes are; the latest at the end. */
  readonly #places = new Map<string, number>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The place of the next piece. */
  get end(): number {
    return this.#dropped + this.#pieces.length;
  }

  has(place: number): boolean {
    return place >= this.#dropped;
  }

  at(place: number): Piece | undefined {
    return this.#pieces[place - this.#dropped];
  }

  /** Where a listener that is at this cursor goes on; undefined where that is not known. */
  placeOf(cursor: string): number | undefined {
    const place = this.#places.get(cursor);
    return place !== undefined && this.has(place) ? place : undefined;
  }

  /** Takes pieces, after which a listener is at this cursor. */
  push(pieces: Iterable<Piece>, cursor: string): void {
    for (const piece of pieces) {
      this.#pieces.push(piece);
      this.#bytes += piece.bytes.length;
    }
    this.#places.delete(cursor);
    this.#places.set(cursor, this.end);
    this.#forget();
  }

  #forget(): void {
    let count = 0;
    while (this.#bytes > this.#maxBytes) this.#bytes -= this.#pieces[count++]?.bytes.length ?? 0;
    if (count > 0) this.#pieces = this.#pieces.slice(count);
    this.#dropped += count;
    for (const [cursor, place] of this.#places) {
      if (this.has(place) && this.#places.size <= maxCursors) break;
      this.#places.delete(cursor);
    }
  }
}
