import type { PortableNote } from '../core/note.ts';

/** Limits of a batch, in notes and characters. Longer notes go alone, so that their rejection affects no other. */
const maxBatch = { notes: 1_000, length: 1024 * 1024, lengthAmongOthers: 256 * 1024 };

interface Item {
  readonly note: PortableNote;
}

/** Collects items with notes into batches, and sends each batch that is full. */
export class NoteBatches<I extends Item> {
  readonly #send: (batch: readonly I[]) => Promise<void>;
  #batch: I[] = [];
  #length = 0;
  constructor(send: (batch: readonly I[]) => Promise<void>) {
    this.#send = send;
  }

  async addAndSendWhenFull(item: I): Promise<void> {
    const length = measureTextLength(item);
    const isLong = length > maxBatch.lengthAmongOthers;
    if (isLong) await this.sendBatch();
    this.#batch.push(item);
    this.#length += length;
    if (isLong || this.#batch.length >= maxBatch.notes || this.#length >= maxBatch.length) await this.sendBatch();
  }

  get isPending(): boolean {
    return this.#batch.length > 0;
  }

  /** Sends the present batch. */
  async sendBatch(): Promise<void> {
    const batch = this.#batch;
    [this.#batch, this.#length] = [[], 0];
    if (batch.length > 0) await this.#send(batch);
  }
}

const measureTextLength = ({ note: { title, content } }: Item) => title.length + content.length;
