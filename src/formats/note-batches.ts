import type { PortableNote } from '../core/note.ts';

/** Limits of a batch, in notes and characters. Longer notes go alone, so that their rejection affects no other. */
const maxBatch = { notes: 1_000, length: 1024 * 1024, lengthAmongOthers: 256 * 1024 };

/** Limit of held items, in characters; beyond, they and all later ones are sent as they arrive. */
const maxHeldLength = 16 * 1024 * 1024;

interface Item {
  readonly note: PortableNote;
}

/** Collects items with notes into batches, and sends each batch that is full. */
export class NoteBatches<I extends Item> {
  readonly #send: (batch: readonly I[]) => Promise<void>;
  #batch: I[] = [];
  #length = 0;
  readonly #held: I[] = [];
  #heldLength = 0;
  #holds = true;

  constructor(send: (batch: readonly I[]) => Promise<void>) {
    this.#send = send;
  }

  async add(item: I): Promise<void> {
    const length = measureLength(item);
    const isLong = length > maxBatch.lengthAmongOthers;
    if (isLong) await this.flush();
    this.#batch.push(item);
    this.#length += length;
    if (isLong || this.#batch.length >= maxBatch.notes || this.#length >= maxBatch.length) await this.flush();
  }

  /** Holds a note without id until those with ids are sent: it could get an id that one of them has. */
  async hold(item: I): Promise<void> {
    if (!this.#holds) return this.add(item);
    this.#held.push(item);
    this.#heldLength += measureLength(item);
    if (this.#heldLength > maxHeldLength) await this.#release();
  }

  /** Sends the present batch. */
  async flush(): Promise<void> {
    const batch = this.#batch;
    [this.#batch, this.#length] = [[], 0];
    if (batch.length > 0) await this.#send(batch);
  }

  /** Sends all items, also those that are added meanwhile. */
  async finish(): Promise<void> {
    await this.flush();
    await this.#release();
    while (this.#batch.length > 0) await this.flush();
  }

  /** Sends the held items, and holds no more, so that ids follow the order of the source. */
  async #release(): Promise<void> {
    this.#holds = false;
    for (const item of this.#held.splice(0)) await this.add(item);
  }
}

const measureLength = ({ note: { title, content } }: Item) => title.length + content.length;
