import type { Known } from './plan-record.ts';
import type { NoteRecord } from './record.ts';

/** A record, and what the store has of its source or its id. */
export interface KnownRecord {
  readonly record: NoteRecord;
  readonly known: Known;
}

/** The limit of the characters of the records whose duplicates are not read yet. */
const maxDeferredLength = 16 * 1024 * 1024;

/** The records of an import whose duplicates are not read yet, as they are read for many records at once. */
export class DeferredRecords {
  readonly #records: KnownRecord[] = [];
  /** The characters of all records. */
  #length = 0;

  get isEmpty(): boolean {
    return this.#records.length === 0;
  }

  /** Whether the records are longer together than the memory of an import should hold. */
  get isFull(): boolean {
    return this.#length > maxDeferredLength;
  }

  add(known: KnownRecord): void {
    const { title, content } = known.record.note;
    this.#records.push(known);
    this.#length += title.length + content.length;
  }

  /** Removes all records, and returns them in the order in which they were added. */
  removeAll(): KnownRecord[] {
    this.#length = 0;
    return this.#records.splice(0);
  }
}
