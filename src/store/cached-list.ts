import type { Note, NoteFilter } from '../core/note.ts';
import type { JsonChunks, JsonList, ListBody } from '../core/store.ts';

/** A note as lists send it. */
export interface NoteJson {
  readonly id: number;
  readonly json: string;
}

export const toIdAndJson = (note: Note): NoteJson => ({ id: note.id, json: JSON.stringify(note) });

/**
 * Notes per block. A write encodes the notes of one block again. To join the blocks of 10,000 notes then takes 0.9 ms;
 * to join as many notes one by one would take 2.5 ms.
 */
const blockNotes = 128;

const encoder = new TextEncoder();
const [opening, comma, closing] = [encoder.encode('['), encoder.encode(','), encoder.encode(']')];

/** Consecutive notes of a list, at most `2 * blockNotes`, in ascending order of id. */
class Block {
  readonly ids: number[];
  readonly texts: string[];
  #bytesWithLeadingComma: Uint8Array<ArrayBuffer> | undefined;

  constructor(ids: number[], texts: string[]) {
    this.ids = ids;
    this.texts = texts;
  }

  /** The JSON of the notes, each after a comma. Encoded at the first use after a change. */
  get bytes(): Uint8Array<ArrayBuffer> {
    this.#bytesWithLeadingComma ??= encoder.encode(`,${this.texts.join()}`);
    return this.#bytesWithLeadingComma;
  }

  /** Replaces `count` notes from `index` on. */
  splice(index: number, count: number, ...added: readonly NoteJson[]): void {
    this.ids.splice(index, count, ...added.map(({ id }) => id));
    this.texts.splice(index, count, ...added.map(({ json }) => json));
    this.#bytesWithLeadingComma = undefined;
  }

  /** Removes all but the first `blockNotes` notes, and returns those as a block of their own. */
  splitOffSecondHalf(): Block {
    this.#bytesWithLeadingComma = undefined;
    return new Block(this.ids.splice(blockNotes), this.texts.splice(blockNotes));
  }
}

/** Finds the index of the first of `length` ids in ascending order that is not below `id`. */
function getLowerBoundIndex(id: number, length: number, idAt: (index: number) => number | undefined): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((idAt(middle) ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The notes that a filter selects, as JSON, in ascending order of id. They are held in blocks, so that a change of one
 * note among 10,000 encodes one block of about 128 notes again, and reuses the bytes of the others.
 *
 * Example with `blockNotes` = 2, from the blocks [1, 2] [4, 5]:
 * 1. Note 4 changes. Only the bytes of [4, 5] are encoded again.
 * 2. Note 6 is created. The last block has 2 notes already, so note 6 gets one of its own: [1, 2] [4, 5] [6].
 * 3. Note 3 is unarchived. It goes into the first block with a higher id: [1, 2] [3, 4, 5] [6].
 * 4. A block that grows to 5 notes, more than 2 * 2, is divided after its second note.
 */
export class CachedList {
  readonly filter: NoteFilter;
  /** Length of the JSON in UTF-16 units. */
  length = 0;
  readonly #blocks: Block[] = [];
  /** The sum of the hashes of the notes: it does not depend on the order in which they were added. */
  #hashSum = 0n;
  #body: ListBody | undefined;
  #revision: string | undefined;

  constructor(filter: NoteFilter, notes: Iterable<NoteJson>) {
    this.filter = filter;
    for (const note of notes) this.insertOrReplaceNote(note);
  }

  get body(): ListBody {
    this.#body ??= joinBlocksToListBody(this.#blocks.map(({ bytes }) => bytes));
    return this.#body;
  }

  /** Is computed from the notes alone: equal lists have equal revisions in every process. */
  get revision(): string {
    this.#revision ??= BigInt.asUintN(64, this.#hashSum).toString(36);
    return this.#revision;
  }

  /** Returns the list, or only `unchanged` if its revision is one of the `known` ones. */
  toJsonListUnlessKnown(known: readonly string[]): JsonList {
    const { revision } = this;
    return known.includes(revision) ? { kind: 'unchanged', revision } : { kind: 'whole', revision, body: this.body };
  }

  /** Adds a note, or replaces the one with its id. */
  insertOrReplaceNote(note: NoteJson): void {
    const blockIndex = this.#findBlockIndex(note.id);
    const block = this.#blocks[blockIndex] ?? new Block([], []);
    if (blockIndex === this.#blocks.length) this.#blocks.push(block);
    const index = getLowerBoundIndex(note.id, block.ids.length, (at) => block.ids[at]);
    const former = block.ids[index] === note.id ? block.texts[index] : undefined;
    if (former === note.json) return;
    block.splice(index, former === undefined ? 0 : 1, note);
    if (block.ids.length > 2 * blockNotes) this.#blocks.splice(blockIndex + 1, 0, block.splitOffSecondHalf());
    this.#applyTextChangeAndInvalidate(former, note.json);
  }

  deleteNote(id: number): void {
    const blockIndex = this.#findBlockIndex(id);
    const block = this.#blocks[blockIndex];
    const index = block === undefined ? -1 : block.ids.indexOf(id);
    if (block === undefined || index < 0) return;
    const former = block.texts[index];
    block.splice(index, 1);
    if (block.ids.length === 0) this.#blocks.splice(blockIndex, 1);
    this.#applyTextChangeAndInvalidate(former, undefined);
  }

  /** Is called after the JSON of one note was replaced, added or deleted: an absent text is empty. */
  #applyTextChangeAndInvalidate(former = '', text = ''): void {
    this.length += text.length - former.length;
    this.#hashSum += hashNoteJson(text) - hashNoteJson(former);
    this.#body = undefined;
    this.#revision = undefined;
  }

  /**
   * Finds the block that contains the id, or to which it would be added; the number of blocks if it needs a new one.
   */
  #findBlockIndex(id: number): number {
    const index = getLowerBoundIndex(id, this.#blocks.length, (at) => this.#blocks[at]?.ids.at(-1));
    const last = this.#blocks.at(-1);
    return index === this.#blocks.length && last !== undefined && last.ids.length < blockNotes ? index - 1 : index;
  }
}

const hashNoteJson = (text: string): bigint => (text === '' ? 0n : Bun.hash.xxHash3(text));

function joinBlocksToListBody([first = comma, ...rest]: readonly Uint8Array<ArrayBuffer>[]): ListBody {
  const parts = [opening, first.subarray(1), ...rest, closing];
  let whole: Blob | undefined;
  return {
    size: parts.reduce((size, { length }) => size + length, 0),
    parts,
    whole: () => {
      whole ??= new Blob(parts);
      return whole;
    },
  };
}

const joinNoteJson = (notes: readonly NoteJson[]) => notes.map(({ json }) => json).join();

/** Creates a JSON array in chunks: of the first notes, which were read already, and of each further page. */
export function createJsonChunkReader(
  first: readonly NoteJson[],
  pages: AsyncGenerator<readonly Note[], void, void>,
): JsonChunks {
  const texts = (async function* () {
    yield `[${joinNoteJson(first)}`;
    for await (const page of pages) yield `,${joinNoteJson(page.map(toIdAndJson))}`;
    yield ']';
  })();
  return {
    async next() {
      const { value } = await texts.next();
      return value === undefined ? undefined : encoder.encode(value);
    },
    async close() {
      await texts.return();
      await pages.return();
    },
  };
}
