import { type Compression, encode } from './compression.ts';

/** How many lists are coded at once: each is held twice meanwhile. */
const maxAtOnce = 2;

/**
 * Coded copies of whole lists: each is made once, on another thread, and kept for those who ask next, within `maxBytes`;
 * the one that was not asked for longest goes first. A tag names the bytes, so a copy is never out of date.
 */
export class CompressedLists {
  readonly #maxBytes: number;
  /** By entity tag, the copy that was asked for last at the end. */
  readonly #kept = new Map<string, Blob>();
  readonly #coming = new Map<string, Promise<Blob>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The coded copy of `list`, whose entity tag is `tag`; undefined when too many are being made. */
  get(tag: string, coding: Compression, list: Blob): Blob | Promise<Blob> | undefined {
    const kept = this.#kept.get(tag);
    if (kept) {
      this.#kept.delete(tag);
      this.#kept.set(tag, kept);
      return kept;
    }
    const coming = this.#coming.get(tag);
    if (coming || this.#coming.size >= maxAtOnce) return coming;
    const making = this.#make(tag, coding, list).finally(() => this.#coming.delete(tag));
    this.#coming.set(tag, making);
    return making;
  }

  async #make(tag: string, coding: Compression, list: Blob): Promise<Blob> {
    const copy = new Blob([await encode(coding, await list.bytes())]);
    this.#kept.set(tag, copy);
    this.#bytes += copy.size;
    for (const [oldest, { size }] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#kept.delete(oldest);
      this.#bytes -= size;
    }
    return copy;
  }
}
