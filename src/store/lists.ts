import { filterKey, type Note, type NoteFilter } from '../core/note.ts';
import { isSelected } from '../core/query.ts';
import type { JsonChunks, JsonList, ListBody } from '../core/store.ts';
import { jsonOf } from '../core/tools/json.ts';
import { type AnyRow, type NoteJson, noteJsonOf } from './row.ts';

export type Listed = Pick<Note, 'archived' | 'category' | 'group'>;

/** Notes per block. A write encodes one block anew: 10,000 notes are joined in 0.9 ms then, in 2.5 ms note by note. */
const blockNotes = 128;

const encoder = new TextEncoder();
const [opening, comma, closing] = [encoder.encode('['), encoder.encode(','), encoder.encode(']')];

/** Up to twice `blockNotes` consecutive notes of a list, in ascending order of id. */
class Block {
  readonly ids: number[];
  readonly texts: string[];
  #bytes: Uint8Array<ArrayBuffer> | undefined;
  #digest: bigint | undefined;

  constructor(ids: number[], texts: string[]) {
    this.ids = ids;
    this.texts = texts;
  }

  /** The JSON of the notes, each after a comma. */
  get bytes(): Uint8Array<ArrayBuffer> {
    this.#bytes ??= encoder.encode(`,${this.texts.join()}`);
    return this.#bytes;
  }

  /** The sum of the hashes of the notes, which is the same however they are divided into blocks. */
  get digest(): bigint {
    this.#digest ??= this.texts.reduce((sum, text) => sum + Bun.hash.xxHash3(text), 0n);
    return this.#digest;
  }

  /** Replaces `count` notes from `at` on. */
  splice(at: number, count: number, ...added: readonly NoteJson[]): void {
    this.ids.splice(at, count, ...added.map(({ id }) => id));
    this.texts.splice(at, count, ...added.map(({ json }) => json));
    this.#changed();
  }

  splitOff(): Block {
    this.#changed();
    return new Block(this.ids.splice(blockNotes), this.texts.splice(blockNotes));
  }

  #changed(): void {
    this.#bytes = undefined;
    this.#digest = undefined;
  }
}

/** The index of the first of so many entries, in ascending order of id, that is not below an id. */
function firstFrom(id: number, length: number, idAt: (index: number) => number | undefined): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((idAt(middle) ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The matching notes as JSON, in ascending order of id. */
export class CachedList {
  readonly filter: NoteFilter;
  revision: string;
  /** Length of the JSON in UTF-16 units. */
  length = 0;
  readonly #blocks: Block[] = [];
  #body: ListBody | undefined;
  #tag: string | undefined;

  constructor(filter: NoteFilter, entries: Iterable<NoteJson>, revision: string) {
    this.filter = filter;
    this.revision = revision;
    for (const entry of entries) this.set(entry, revision);
  }

  get body(): ListBody {
    this.#body ??= bodyOf(this.#blocks.map(({ bytes }) => bytes));
    return this.#body;
  }

  /** A revision that follows from the notes: equal lists have equal ones in every process. */
  get tag(): string {
    const sum = () => this.#blocks.reduce((sum, { digest }) => sum + digest, 0n);
    this.#tag ??= BigInt.asUintN(64, sum()).toString(36);
    return this.#tag;
  }

  answer(known: readonly string[], revision = this.revision): JsonList {
    return known.includes(revision) ? { kind: 'unchanged', revision } : { kind: 'whole', revision, body: this.body };
  }

  set(entry: NoteJson, revision: string): void {
    const at = this.#blockAt(entry.id);
    const block = this.#blocks[at] ?? new Block([], []);
    if (at === this.#blocks.length) this.#blocks.push(block);
    const index = firstFrom(entry.id, block.ids.length, (one) => block.ids[one]);
    const former = block.ids[index] === entry.id ? block.texts[index] : undefined;
    block.splice(index, former === undefined ? 0 : 1, entry);
    if (block.ids.length > 2 * blockNotes) this.#blocks.splice(at + 1, 0, block.splitOff());
    this.#changed(revision, entry.json.length - (former?.length ?? 0));
  }

  delete(id: number, revision: string): void {
    const at = this.#blockAt(id);
    const block = this.#blocks[at];
    const index = block === undefined ? -1 : block.ids.indexOf(id);
    if (block === undefined || index < 0) return;
    const length = block.texts[index]?.length ?? 0;
    block.splice(index, 1);
    if (block.ids.length === 0) this.#blocks.splice(at, 1);
    this.#changed(revision, -length);
  }

  #changed(revision: string, difference: number): void {
    this.revision = revision;
    this.length += difference;
    this.#body = undefined;
    this.#tag = undefined;
  }

  /** The index of the block that contains the id, or to which it would be added. */
  #blockAt(id: number): number {
    const at = firstFrom(id, this.#blocks.length, (one) => this.#blocks[one]?.ids.at(-1));
    const last = this.#blocks.at(-1);
    return at === this.#blocks.length && last !== undefined && last.ids.length < blockNotes ? at - 1 : at;
  }
}

function bodyOf([first = comma, ...rest]: readonly Uint8Array<ArrayBuffer>[]): ListBody {
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

const textOf = (entries: readonly NoteJson[]) => entries.map(({ json }) => json).join();

/** A JSON array in chunks: the first notes, then those of further pages, which end or are closed. */
export function chunksOf(first: readonly NoteJson[], pages: AsyncGenerator<readonly AnyRow[], void, void>): JsonChunks {
  const texts = (async function* () {
    yield `[${textOf(first)}`;
    for await (const page of pages) yield `,${textOf(page.map(noteJsonOf))}`;
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

/** Memory of a list per UTF-16 unit of its JSON: as texts, in blocks, and as a whole. */
const copies = 3;

/** The lists asked for last, kept up to date by reporting every write. */
export class ListCache {
  readonly #maxBytes: number;
  readonly #session = crypto.randomUUID().slice(0, 8);
  #changes = 0;
  /** By the key of the filter, the most recently used last. */
  readonly #lists = new Map<string, CachedList | 'too long'>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The maximal length of a list in UTF-16 units. */
  get maxLength(): number {
    return this.#maxBytes / 8;
  }

  /** Equal revisions of one filter promise equal lists. */
  get revision(): string {
    return `${this.#session}-${this.#changes}`;
  }

  find(filter: NoteFilter): CachedList | 'too long' | undefined {
    const key = filterKey(filter);
    const list = this.#lists.get(key);
    if (list === undefined) return undefined;
    this.#lists.delete(key);
    this.#lists.set(key, list);
    return list;
  }

  /** Keeps a list; undefined: it is too long. */
  put(filter: NoteFilter, list: CachedList | undefined): void {
    this.#lists.set(filterKey(filter), list ?? 'too long');
    this.#makeRoom(list);
  }

  /** Forgets the lists used longest ago until all fit; not `kept`. */
  #makeRoom(kept?: CachedList): void {
    let bytes = 0;
    for (const one of this.#lists.values()) if (one !== 'too long') bytes += one.length * copies;
    for (const [key, one] of this.#lists) {
      if (bytes <= this.#maxBytes) return;
      if (one === kept || one === 'too long') continue;
      bytes -= one.length * copies;
      this.#lists.delete(key);
    }
  }

  /** Takes a written note, and what decided before in which lists it was, if known; undefined for a new note. */
  applyWrite(note: Note, before: Listed | 'unknown' | undefined): void {
    this.#changes++;
    const { revision } = this;
    let entry: NoteJson | undefined;
    for (const [key, list] of this.#lists) {
      if (list === 'too long') continue;
      if (isSelected(note, list.filter)) {
        entry ??= { id: note.id, json: jsonOf(note) };
        list.set(entry, revision);
        if (list.length > this.maxLength) this.#lists.set(key, 'too long');
      } else if (before === 'unknown' || (before && isSelected(before, list.filter))) list.delete(note.id, revision);
    }
    if (entry) this.#makeRoom();
  }

  delete(id: number): void {
    this.#changes++;
    for (const list of this.#lists.values()) if (list !== 'too long') list.delete(id, this.revision);
  }

  /** Forgets all lists, after writes that are not known note by note. */
  clear(): void {
    this.#changes++;
    this.#lists.clear();
  }
}
