import type { ListBody } from '../../domain/store.ts';
import { inOnePart } from '../large-answers.ts';
import { type Compression, encode } from './compression.ts';

/** Lists compressed at once; each is in memory twice meanwhile. */
const maxAtOnce = 2;

/** Compressed copies of whole lists, kept as long as the lists. Each is made once, on another thread. */
export class CompressedLists {
  readonly #copies = new WeakMap<ListBody, Map<Compression, Promise<ListBody>>>();
  #making = 0;

  /** Returns the compressed copy of a list; undefined if too many are being made. */
  get(list: ListBody, coding: Compression): Promise<ListBody> | undefined {
    const copies = this.#copies.get(list) ?? new Map<Compression, Promise<ListBody>>();
    const known = copies.get(coding);
    if (known || this.#making >= maxAtOnce) return known;
    const making = this.#make(list, coding);
    copies.set(coding, making);
    this.#copies.set(list, copies);
    making.catch(() => copies.delete(coding));
    return making;
  }

  async #make(list: ListBody, coding: Compression): Promise<ListBody> {
    this.#making++;
    try {
      return inOnePart(new Uint8Array(await encode(coding, await new Blob([...list.parts]).bytes())));
    } finally {
      this.#making--;
    }
  }
}
