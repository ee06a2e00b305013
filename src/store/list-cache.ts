import { categories, groups, type Note, type NoteFilter } from '../domain/note.ts';
import { type Entry, encoded, merged, partsOf, type Segment } from './segments.ts';

export type { Entry } from './segments.ts';

/** What says in which lists a note is, and where. */
export type Listed = Pick<Note, 'id' | 'archived' | 'category' | 'group'>;

/** A list as it goes over the wire. */
export interface CachedList {
  /** Another one after every write to a note that is, or was, in the list. No two lists share one. */
  readonly version: number;
  readonly body: Blob;
}

/** A list with more changes than these since it was last asked for is forgotten. */
const maxChanges = 2_000;

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
    const segments: Segment[] = [];
    let bytes = 0;
    for (const segment of encoded(entries, this.#segmentNotes)) {
      bytes += segment.bytes.length;
      if (bytes > this.maxListBytes) return this.#refuse(key);
      segments.push(segment);
    }
    const list = new List(++this.#versions, segments);
    this.#bytes += list.bytes;
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
  #segments: readonly Segment[];
  #body: Blob;
  /** By id, the note's JSON, or undefined where it is no longer listed. */
  readonly #changed = new Map<number, string | undefined>();
  #changedChars = 0;

  constructor(version: number, segments: readonly Segment[]) {
    this.version = version;
    this.#segments = segments;
    this.#body = this.#laid();
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
    this.#body = this.#laid();
  }

  #laid(): Blob {
    const body = new Blob(partsOf(this.#segments));
    this.bytes = 2 * body.size;
    return body;
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
