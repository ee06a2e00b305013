import type { PortableNote } from '../core/note.ts';

/**
 * The limits of a batch, in notes and characters. A note longer than `lengthAmongOthers` is sent alone, so that its
 * rejection affects no other.
 */
const maxImportBatch = { notes: 1_000, length: 1024 * 1024, lengthAmongOthers: 256 * 1024 };

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

  async addItemAndSendWhenFull(item: I): Promise<void> {
    const length = measureTextLength(item);
    const isLong = length > maxImportBatch.lengthAmongOthers;
    if (isLong) await this.sendPendingBatch();
    this.#batch.push(item);
    this.#length += length;
    if (isLong || this.#batch.length >= maxImportBatch.notes || this.#length >= maxImportBatch.length)
      await this.sendPendingBatch();
  }

  get hasPendingItems(): boolean {
    return this.#batch.length > 0;
  }

  /** Sends the items that were added since the last batch, if there are any. */
  async sendPendingBatch(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#length = 0;
    if (batch.length > 0) await this.#send(batch);
  }
}

const measureTextLength = ({ note: { title, content } }: Item) => title.length + content.length;
