import type { ListBody } from '../../domain/store.ts';
import { inOnePart } from '../large-answers.ts';
import { type Compression, encode } from './compression.ts';

/** Lists compressed at once; each is in memory twice meanwhile. */
const maxAtOnce = 2;

/**
 * Caches compressed copies of whole lists, up to `maxBytes`, least recently used evicted first. Each is made once, on
 * another thread. Tags identify the bytes, so copies never go stale.
 */
export class CompressedLists {
  readonly #maxBytes: number;
  /** By entity tag, most recently used last. */
  readonly #cached = new Map<string, ListBody>();
  readonly #coming = new Map<string, Promise<ListBody>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the compressed copy of `list` with entity tag `tag`; undefined if too many are being made. */
  get(tag: string, coding: Compression, list: ListBody): ListBody | Promise<ListBody> | undefined {
    const cached = this.#cached.get(tag);
    if (cached) {
      this.#cached.delete(tag);
      this.#cached.set(tag, cached);
      return cached;
    }
    const coming = this.#coming.get(tag);
    if (coming || this.#coming.size >= maxAtOnce) return coming;
    const making = this.#make(tag, coding, list).finally(() => this.#coming.delete(tag));
    this.#coming.set(tag, making);
    return making;
  }

  async #make(tag: string, coding: Compression, list: ListBody): Promise<ListBody> {
    const copy = inOnePart(new Uint8Array(await encode(coding, await new Blob([...list.parts]).bytes())));
    this.#cached.set(tag, copy);
    this.#bytes += copy.size;
    for (const [oldest, { size }] of this.#cached) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#cached.delete(oldest);
      this.#bytes -= size;
    }
    return copy;
  }
}
