const encoder = new TextEncoder();

/** Limit of a piece: the runtime copies what a slow reader has not consumed. */
const pieceBytes = 64 * 1024;

/** Limit of memory for all pieces. */
const maxBytes = 16 * 1024 * 1024;

/** The latest bytes of a stream, in pieces. A position is the number of all pieces before it. */
export class Ring {
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];
  #dropped = 0;
  #bytes = 0;

  /** The position of the next piece. */
  get end(): number {
    return this.#dropped + this.#pieces.length;
  }

  has(position: number): boolean {
    return position >= this.#dropped;
  }

  at(position: number): Uint8Array<ArrayBuffer> | undefined {
    return this.#pieces[position - this.#dropped];
  }

  push(text: string): void {
    const bytes = encoder.encode(text);
    for (let at = 0; at < bytes.length; at += pieceBytes) this.#pieces.push(bytes.slice(at, at + pieceBytes));
    this.#bytes += bytes.length;
    for (; this.#bytes > maxBytes; this.#dropped++) this.#bytes -= this.#pieces.shift()?.length ?? 0;
  }
}
