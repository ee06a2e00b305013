import { categories, groups, type Note, type NoteFilter } from '../domain/note.ts';

/** One note of a list: its id, and its JSON text. */
export interface Entry {
  readonly id: number;
  readonly json: string;
}

/** What says in which lists a note is, and where. */
export type Listed = Pick<Note, 'id' | 'archived' | 'category' | 'group'>;

/** The notes that match and whose ids are in `from <= id < to`, in order of id. */
export type ReadRange = (filter: NoteFilter, from: number, to: number) => Iterable<Entry>;

/** The ids from `from` up to the next segment: the JSON of their notes, a comma before each. */
interface Segment {
  readonly from: number;
  /** Undefined once one of the notes has changed. */
  bytes: Uint8Array<ArrayBuffer> | undefined;
}

interface List {
  readonly filter: NoteFilter;
  /** Another one after every write to a note that is, or was, in the list. No two lists share one. */
  version: number;
  segments: Segment[];
  /** The whole list as it goes over the wire; undefined while a segment is. */
  body: Blob | undefined;
  bytes: number;
}

const segmentChars = 64 * 1024;
const encoder = new TextEncoder();

/**
 * Lists as they go over the wire. Ids only rise and notes are never deleted, so a list is a row of segments of ids, and
 * a write spoils one segment in each of the lists that its note is in or leaves; the others are laid end to end again.
 * Whoever writes says so by `touch` before the next read; when somebody else may have written, `clear` forgets all.
 * Keeps at most `maxBytes`, and no list that alone takes more than a quarter of them.
 */
export class ListCache {
  readonly #read: ReadRange;
  readonly #maxBytes: number;
  readonly #segmentNotes: number;
  /** By the key of the filter, the list that was asked for last at the end. */
  readonly #lists = new Map<number, List | 'too long'>();
  #bytes = 0;
  #versions = 0;

  constructor(read: ReadRange, maxBytes: number, segmentNotes = 64) {
    this.#read = read;
    this.#maxBytes = maxBytes;
    this.#segmentNotes = segmentNotes;
  }

  /** The version of a list, without reading it; undefined when it is too long to be kept. */
  version(filter: NoteFilter): number | undefined {
    return this.#find(filter)?.version;
  }

  /** The list as JSON; undefined when it is too long to be kept. */
  body(filter: NoteFilter): Blob | undefined {
    const list = this.#find(filter);
    if (list === undefined || list.body !== undefined) return list?.body;
    if (this.#refresh(list)) return list.body;
    this.#forget(keyOf(filter), list);
    this.#lists.set(keyOf(filter), 'too long');
    return undefined;
  }

  /** Spoils what shows a note; once as it was before a write and once as it is after. */
  touch({ id, archived, category, group }: Listed): void {
    if (this.#lists.size === 0) return;
    for (const flag of [undefined, archived]) {
      for (const one of [undefined, category]) {
        for (const other of [undefined, group]) {
          const list = this.#lists.get(filterKey(flag, one, other));
          if (list !== undefined && list !== 'too long') this.#spoil(list, id);
        }
      }
    }
  }

  clear(): void {
    this.#lists.clear();
    this.#bytes = 0;
  }

  #find(filter: NoteFilter): List | undefined {
    const key = keyOf(filter);
    const known = this.#lists.get(key);
    if (known === 'too long') return undefined;
    const list = known ?? {
      filter,
      version: ++this.#versions,
      segments: [{ from: 0, bytes: undefined }],
      body: undefined,
      bytes: 0,
    };
    this.#lists.delete(key);
    this.#lists.set(key, list);
    return list;
  }

  #spoil(list: List, id: number): void {
    const segment = list.segments[segmentOf(list.segments, id)];
    if (segment) segment.bytes = undefined;
    list.body = undefined;
    list.version = ++this.#versions;
  }

  /** Reads the spoiled segments again and lays all of them end to end; false when the list has become too long. */
  #refresh(list: List): boolean {
    const most = this.#maxBytes / 4;
    const segments: Segment[] = [];
    let bytes = 0;
    for (const [index, segment] of list.segments.entries()) {
      const to = list.segments[index + 1]?.from ?? Number.MAX_SAFE_INTEGER;
      for (const fresh of segment.bytes ? [segment] : this.#readSegments(list.filter, segment.from, to)) {
        segments.push(fresh);
        bytes += 2 * (fresh.bytes?.length ?? 0); // once as a segment, once in the body
        if (bytes > most) return false;
      }
    }
    list.segments = segments;
    list.body = new Blob(partsOf(segments));
    this.#bytes += bytes - list.bytes;
    list.bytes = bytes;
    this.#evict(list);
    return true;
  }

  *#readSegments(filter: NoteFilter, from: number, to: number): Generator<Segment, void, void> {
    let [start, notes, text] = [from, 0, ''];
    for (const { id, json } of this.#read(filter, from, to)) {
      text += `,${json}`;
      if (++notes < this.#segmentNotes && text.length < segmentChars) continue;
      yield { from: start, bytes: encoder.encode(text) };
      [start, notes, text] = [id + 1, 0, ''];
    }
    if (notes > 0 || start === from) yield { from: start, bytes: encoder.encode(text) };
  }

  #evict(spared: List): void {
    for (const [key, list] of this.#lists) {
      if (this.#bytes <= this.#maxBytes) return;
      if (list !== spared && list !== 'too long') this.#forget(key, list);
    }
  }

  #forget(key: number, list: List): void {
    this.#lists.delete(key);
    this.#bytes -= list.bytes;
  }
}

/** A number for each of the filters that there are. */
export const keyOf = ({ archived, category, group }: NoteFilter) => filterKey(archived, category, group);

function filterKey(
  archived: boolean | undefined,
  category: Note['category'] | undefined,
  group: Note['group'] | undefined,
): number {
  const flag = archived === undefined ? 0 : 1 + Number(archived);
  const one = category === undefined ? 0 : 1 + categories.indexOf(category);
  const other = group === undefined ? 0 : 1 + groups.indexOf(group);
  return (flag * (categories.length + 1) + one) * (groups.length + 1) + other;
}

/** The index of the segment that an id falls into: the last one that starts at or before it. */
function segmentOf(segments: readonly Segment[], id: number): number {
  let [low, high] = [0, segments.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((segments[middle]?.from ?? 0) <= id) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Brackets around the segments; the first note goes without its comma. */
function partsOf(segments: readonly Segment[]): (string | Uint8Array<ArrayBuffer>)[] {
  const [first, ...rest] = segments.flatMap(({ bytes }) => (bytes === undefined || bytes.length === 0 ? [] : [bytes]));
  return first === undefined ? ['[]'] : ['[', first.subarray(1), ...rest, ']'];
}
