import type { ListBody } from '../../../core/store.ts';
import { inOnePart } from '../large-answers.ts';
import { type Compression, encode } from './compression.ts';

/** Compressed copies of whole lists, kept as long as the lists. Each is made once, on another thread. */
export class CompressedLists {
  readonly #copies = new WeakMap<ListBody, Map<Compression, Promise<ListBody>>>();
  readonly #mayMake: () => boolean;
  #isMaking = false;
  /** The list that is being compressed. Kept, as the garbage of one per list grew faster than it was collected. */
  #joined = Buffer.alloc(0);

  /** `mayMake`: whether memory may be taken for another copy. */
  constructor(mayMake: () => boolean) {
    this.#mayMake = mayMake;
  }

  /** Returns the compressed copy of a list; undefined if none is made now. */
  get(list: ListBody, coding: Compression): Promise<ListBody> | undefined {
    const copies = this.#copies.get(list) ?? new Map<Compression, Promise<ListBody>>();
    const known = copies.get(coding);
    if (known || this.#isMaking || !this.#mayMake()) return known;
    const making = this.#make(list, coding);
    copies.set(coding, making);
    this.#copies.set(list, copies);
    making.catch(() => copies.delete(coding));
    return making;
  }

  async #make(list: ListBody, coding: Compression): Promise<ListBody> {
    this.#isMaking = true;
    try {
      return inOnePart(new Uint8Array(await encode(coding, this.#join(list))));
    } finally {
      this.#isMaking = false;
    }
  }

  #join({ size, parts }: ListBody): Uint8Array<ArrayBuffer> {
    if (this.#joined.length < size) this.#joined = Buffer.alloc(size);
    let at = 0;
    for (const part of parts) {
      this.#joined.set(part, at);
      at += part.length;
    }
    return this.#joined.subarray(0, size);
  }
}
