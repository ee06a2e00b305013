import { categories, groups, type Note, type NoteFilter } from '../domain/note.ts';

/** One note of a list: its id, and its JSON text. */
export interface Entry {
  readonly id: number;
  readonly json: string;
}

/** What says in which lists a note is, and where. */
export type Listed = Pick<Note, 'id' | 'archived' | 'category' | 'group'>;

/** The JSON of neighbouring notes, a comma before each. */
interface Segment {
  /** Rising. */
  readonly ids: readonly number[];
  /** For each id, where its JSON ends. */
  readonly ends: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A list as it goes over the wire. */
export interface CachedList {
  /** Another one after every write to a note that is, or was, in the list. No two lists share one. */
  readonly version: number;
  readonly body: Blob;
}

const segmentBytes = 64 * 1024;

/** A list with more changes than these since it was last asked for is forgotten. */
const maxChanges = 2_000;

const encoder = new TextEncoder();

/**
 * Lists as JSON bytes, for the engines (`sqlite/cached-lists.ts`, `postgres/replica.ts`). A list is a row of segments of
 * notes in order of id; a write replaces one segment of each list that shows the note, at the next request for it. Report
 * each write by `set` and `delete` before the next read; `clear` forgets all lists. Keeps at most `maxBytes`, and no list
 * of more than a quarter of them.
 */
export class ListCache {
  readonly #maxBytes: number;
  readonly #segmentNotes: number;
  /** By the key of the filter, the list that was asked for last at the end. */
  readonly #lists = new Map<number, List | 'too long'>();
  #bytes = 0;
  #versions = 0;

  constructor(maxBytes: number, segmentNotes = 64) {
    this.#maxBytes = maxBytes;
    this.#segmentNotes = segmentNotes;
  }

  /** The most bytes of JSON that a list may have to be kept: it is held once as segments and once as a whole. */
  get maxListBytes(): number {
    return this.#maxBytes / 8;
  }

  /** The list, if it is kept. */
  find(filter: NoteFilter): CachedList | undefined {
    const key = keyOf(filter);
    const list = this.#lists.get(key);
    if (list === undefined || list === 'too long') return undefined;
    this.#lists.delete(key);
    this.#lists.set(key, list);
    this.#bytes -= list.bytes;
    list.refresh(this.#segmentNotes);
    this.#bytes += list.bytes;
    if (list.bytes > this.#maxBytes / 4) return this.#refuse(key);
    this.#evict(list);
    return list;
  }

  /** The version of the list, if it is kept. */
  version(filter: NoteFilter): number | undefined {
    const list = this.#lists.get(keyOf(filter));
    return list === 'too long' ? undefined : list?.version;
  }

  /** Remembers that the list is too long to be kept. */
  refuse(filter: NoteFilter): void {
    this.#refuse(keyOf(filter));
  }

  /** Whether the list was found to be too long to be kept. */
  isTooLong(filter: NoteFilter): boolean {
    return this.#lists.get(keyOf(filter)) === 'too long';
  }

  /** Keeps a list, whose notes come in order of id; undefined when it is too long. */
  put(filter: NoteFilter, entries: Iterable<Entry>): CachedList | undefined {
    const key = keyOf(filter);
    this.#forget(key);
    const list = new List(++this.#versions);
    let bytes = 0;
    for (const { id, json } of entries) {
      bytes += json.length;
      if (bytes > this.maxListBytes) return this.#refuse(key);
      list.change(id, json);
    }
    this.#lists.set(key, list);
    return this.find(filter);
  }

  /** A note is listed here, with this JSON. */
  set(listed: Listed, json: string): void {
    this.#change(listed, json);
  }

  /** A note that was listed here is, here, no more. */
  delete(listed: Listed): void {
    this.#change(listed, undefined);
  }

  clear(): void {
    this.#lists.clear();
    this.#bytes = 0;
  }

  #change({ id, archived, category, group }: Listed, json: string | undefined): void {
    if (this.#lists.size === 0) return;
    for (const flag of [undefined, archived]) {
      for (const one of [undefined, category]) {
        for (const other of [undefined, group]) {
          const key = filterKey(flag, one, other);
          const list = this.#lists.get(key);
          if (list === undefined || list === 'too long') continue;
          list.change(id, json);
          list.version = ++this.#versions;
          if (list.changes > maxChanges || list.changedChars > this.maxListBytes) this.#forget(key);
        }
      }
    }
  }

  #evict(spared: List): void {
    for (const [key, list] of this.#lists) {
      if (this.#bytes <= this.#maxBytes) return;
      if (list !== spared && list !== 'too long') this.#forget(key);
    }
  }

  #refuse(key: number): undefined {
    this.#forget(key);
    this.#lists.set(key, 'too long');
    return undefined;
  }

  #forget(key: number): void {
    const list = this.#lists.get(key);
    if (list !== undefined && list !== 'too long') this.#bytes -= list.bytes;
    this.#lists.delete(key);
  }
}

/** One list, and what has changed of it since it was last asked for. */
class List implements CachedList {
  version: number;
  bytes = 0;
  #segments: readonly Segment[] = [];
  #body = new Blob(['[]']);
  /** By id, the note's JSON, or undefined where it is no longer listed. */
  readonly #changed = new Map<number, string | undefined>();
  #changedChars = 0;

  constructor(version: number) {
    this.version = version;
  }

  get body(): Blob {
    return this.#body;
  }

  get changes(): number {
    return this.#changed.size;
  }

  get changedChars(): number {
    return this.#changedChars;
  }

  change(id: number, json: string | undefined): void {
    this.#changedChars += (json?.length ?? 0) - (this.#changed.get(id)?.length ?? 0);
    this.#changed.set(id, json);
  }

  /** Lays what has changed into the segments, and all of them end to end. */
  refresh(segmentNotes: number): void {
    if (this.#changed.size === 0) return;
    const changes = [...this.#changed].sort(([one], [other]) => one - other);
    this.#changed.clear();
    this.#changedChars = 0;
    this.#segments = [...merged(this.#segments, changes, segmentNotes)];
    this.#body = new Blob(partsOf(this.#segments));
    this.bytes = 2 * this.#body.size;
  }
}

type Change = readonly [id: number, json: string | undefined];

/** The segments with the changes, which are in order of id; those without a change stay as they are. */
function* merged(
  segments: readonly Segment[],
  changes: readonly Change[],
  segmentNotes: number,
): Generator<Segment, void, void> {
  let from = 0;
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1]?.ids[0] ?? Number.POSITIVE_INFINITY;
    let to = from;
    while (to < changes.length && (changes[to]?.[0] ?? next) < next) to++;
    if (to === from) yield segment;
    else yield* divided(applied(segment, changes.slice(from, to)), segmentNotes);
    from = to;
  }
  if (from < changes.length) yield* divided(applied(undefined, changes.slice(from)), segmentNotes);
}

/** A note's id and its JSON with the comma before it. */
type Piece = readonly [id: number, bytes: Uint8Array<ArrayBuffer>];

/** The notes of a segment with the changes, in order of id. */
function applied(segment: Segment | undefined, changes: readonly Change[]): Piece[] {
  const pieces = new Map<number, Uint8Array<ArrayBuffer> | undefined>(segment ? piecesOf(segment) : []);
  const last = segment?.ids.at(-1) ?? 0;
  let isInOrder = true;
  for (const [id, json] of changes) {
    if (id < last && !pieces.has(id)) isInOrder = false;
    pieces.set(id, json === undefined ? undefined : encoder.encode(`,${json}`));
  }
  const listed = [...pieces].flatMap(([id, bytes]): Piece[] => (bytes === undefined ? [] : [[id, bytes]]));
  return isInOrder ? listed : listed.sort(([one], [other]) => one - other);
}

function* piecesOf({ ids, ends, bytes }: Segment): Generator<Piece, void, void> {
  for (const [index, id] of ids.entries()) yield [id, bytes.subarray(ends[index - 1] ?? 0, ends[index])];
}

/** Segments of at most so many notes, and not much more than `segmentBytes`. */
function* divided(pieces: readonly Piece[], segmentNotes: number): Generator<Segment, void, void> {
  let [start, bytes] = [0, 0];
  for (const [index, [, piece]] of pieces.entries()) {
    bytes += piece.length;
    if (index + 1 - start < segmentNotes && bytes < segmentBytes) continue;
    yield segmentOf(pieces.slice(start, index + 1));
    [start, bytes] = [index + 1, 0];
  }
  if (start < pieces.length) yield segmentOf(pieces.slice(start));
}

function segmentOf(pieces: readonly Piece[]): Segment {
  let end = 0;
  const ends = pieces.map(([, piece]) => {
    end += piece.length;
    return end;
  });
  return { ids: pieces.map(([id]) => id), ends, bytes: concatenated(pieces, end) };
}

function concatenated(pieces: readonly Piece[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const [, piece] of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
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

/** Brackets around the segments; the first note goes without its comma. */
function partsOf(segments: readonly Segment[]): (string | Uint8Array<ArrayBuffer>)[] {
  const [first, ...rest] = segments.map(({ bytes }) => bytes);
  return first === undefined ? ['[]'] : ['[', first.subarray(1), ...rest, ']'];
}
