const encoder = new TextEncoder();

/** Bytes sent to every listener; `isOpen` if they end within a frame. */
export interface Piece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isOpen: boolean;
}

/** Limit of a piece: the runtime copies what a slow reader has not consumed. */
const pieceBytes = 64 * 1024;

/** Limit of memory for the events of a ring. */
const maxBytes = 16 * 1024 * 1024;

/** Limit of cursors at which a listener can resume. */
const maxCursors = 4_096;

/** Keeps the connection alive, and passes on the current cursor. */
export const beat = (cursor: string) => encoder.encode(`:\nid: ${cursor}\n\n`);

/** The first event of a stream. */
export const greeting = (cursor: string) => encoder.encode(`retry: 1000\nid: ${cursor}\n\n`);

/** Tells a listener to read the list again. */
export const reset = (cursor: string) => encoder.encode(`id: ${cursor}\nevent: reset\ndata: {}\n\n`);

/** Formats notes as frames: the last one has the cursor `after`, all others still `before`. */
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

/** Recent events, shared by all listeners. A position is the number of all pieces ever pushed before it. */
export class Ring {
  #pieces: Piece[] = [];
  #dropped = 0;
  #bytes = 0;
  /** Positions by cursor, latest last: later notes follow the position. */
  readonly #positions = new Map<string, number>();

  /** The position of the next piece. */
  get end(): number {
    return this.#dropped + this.#pieces.length;
  }

  has(position: number): boolean {
    return position >= this.#dropped;
  }

  at(position: number): Piece | undefined {
    return this.#pieces[position - this.#dropped];
  }

  /** The position at which a listener with this cursor resumes; undefined if evicted. */
  positionOf(cursor: string): number | undefined {
    const position = this.#positions.get(cursor);
    return position !== undefined && this.has(position) ? position : undefined;
  }

  /** Appends pieces that lead up to this cursor. */
  push(pieces: Iterable<Piece>, cursor: string): void {
    for (const piece of pieces) {
      this.#pieces.push(piece);
      this.#bytes += piece.bytes.length;
    }
    this.#positions.delete(cursor);
    this.#positions.set(cursor, this.end);
    this.#trim();
  }

  #trim(): void {
    let count = 0;
    while (this.#bytes > maxBytes) this.#bytes -= this.#pieces[count++]?.bytes.length ?? 0;
    if (count > 0) this.#pieces = this.#pieces.slice(count);
    this.#dropped += count;
    for (const [cursor, position] of this.#positions) {
      if (this.has(position) && this.#positions.size <= maxCursors) break;
      this.#positions.delete(cursor);
    }
  }
}
