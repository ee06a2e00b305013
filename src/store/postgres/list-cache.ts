import type { Note, NoteFilter } from '../../domain/note.ts';
import { isSelected } from '../../domain/query.ts';
import type { JsonList, ListBody } from '../../domain/store.ts';
import { Recent } from '../recent.ts';
import type { Entry } from '../row.ts';
import { encoded, merged, revisionOf, type Segment, type Segments, SegmentsBody, sizeOf } from './segments.ts';

/** The fields that decide which lists contain a note. */
type Listed = Pick<Note, 'archived' | 'category' | 'group'>;

/** A list as sent to clients. */
export interface CachedList {
  /** Derived from the content: equal lists have equal revisions, in every process. */
  readonly revision: string;
  readonly body: ListBody;
}

/** A note as written. */
interface Change extends Entry {
  /** Undefined if the note was deleted. */
  readonly listed: Listed | undefined;
}

/**
 * Caches lists as JSON bytes, for both engines (`lists/cached-lists.ts`). A list consists of segments of notes in order
 * of id; changes are merged into them at the next request. Report each write by `set` and `delete` before the next
 * read; `clear` evicts all lists. Uses at most `maxBytes`, and at most a quarter of that for one list.
 */
export class ListCache {
  readonly #maxBytes: number;
  /** By the key of the filter, the most recently used last. */
  readonly #lists = new Map<string, List | 'too long'>();
  readonly #recent: Recent<Change>;
  /** Lists that are being read, by the key of the filter. */
  readonly #reading = new Map<string, Promise<unknown>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#recent = new Recent(this.maxListBytes);
  }

  /** Maximum size of a list in bytes of JSON. A list is stored twice, in segments and as a whole. */
  get maxListBytes(): number {
    return this.#maxBytes / 8;
  }

  /** Identifies the changes reported so far. */
  get moment(): number {
    return this.#recent.moment;
  }

  find(filter: NoteFilter): CachedList | undefined {
    const key = keyOf(filter);
    const list = this.#lists.get(key);
    if (list === undefined || list === 'too long') return undefined;
    this.#remove(key);
    const changes = list.moment === this.moment ? [] : this.#recent.after(list.moment);
    if (changes === undefined) return undefined;
    if (changes.length > 0) list.follow(changes);
    list.moment = this.moment;
    if (list.bytes > this.#maxBytes / 4) return this.#markTooLong(key);
    this.#lists.set(key, list);
    this.#bytes += list.bytes;
    this.#evict(list);
    return list;
  }

  /** Marks the list as too long to be cached. */
  markTooLong(filter: NoteFilter): void {
    this.#markTooLong(keyOf(filter));
  }

  isTooLong(filter: NoteFilter): boolean {
    return this.#lists.get(keyOf(filter)) === 'too long';
  }

  /**
   * Caches a list. The entries are in order of id and were read at or after `moment`; later changes are merged. Returns
   * undefined if the list is too long, or if some of these changes are gone.
   */
  put(filter: NoteFilter, entries: Iterable<Entry>, moment = this.moment): CachedList | undefined {
    const key = keyOf(filter);
    this.#remove(key);
    const segments = new Map<number, Segment>();
    let bytes = 0;
    for (const [range, segment] of encoded(entries)) {
      bytes += segment.bytes.length;
      if (bytes > this.maxListBytes) return this.#markTooLong(key);
      segments.set(range, segment);
    }
    const list = new List(filter, segments, moment);
    this.#bytes += list.bytes;
    this.#lists.set(key, list);
    return this.find(filter);
  }

  /** Reads a list once for concurrent callers: while it is being read, waits and then calls `again`. */
  async readOnce<Answer>(
    filter: NoteFilter,
    read: () => Promise<Answer>,
    again: () => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const key = keyOf(filter);
    const others = this.#reading.get(key);
    if (others !== undefined) {
      await others.catch(() => {}); // the first reader gets the error
      return again();
    }
    const mine = read();
    this.#reading.set(key, mine);
    try {
      return await mine;
    } finally {
      this.#reading.delete(key);
    }
  }

  /** Reports a note as written; lists that do not match it no longer contain it. */
  set(id: number, { archived, category, group }: Listed, json: string): void {
    this.#recent.add({ id, listed: { archived, category, group }, json });
  }

  delete(id: number): void {
    this.#recent.add({ id, listed: undefined, json: '' });
  }

  clear(): void {
    this.#recent.invalidate();
    this.#lists.clear();
    this.#bytes = 0;
  }

  #evict(spared: List): void {
    for (const [key, list] of this.#lists) {
      if (this.#bytes <= this.#maxBytes) return;
      if (list !== spared && list !== 'too long') this.#remove(key);
    }
  }

  #markTooLong(key: string): undefined {
    this.#remove(key);
    this.#lists.set(key, 'too long');
    return undefined;
  }

  #remove(key: string): void {
    const list = this.#lists.get(key);
    if (list !== undefined && list !== 'too long') this.#bytes -= list.bytes;
    this.#lists.delete(key);
  }
}

/** Creates a list without caching it. */
export const listOf = (entries: Iterable<Entry>): CachedList => new List({}, new Map(encoded(entries)), 0);

/** Answers a request that sent the revisions it knows. */
export const answerOf = (list: CachedList, known: readonly string[]): JsonList =>
  known.includes(list.revision)
    ? { kind: 'unchanged', revision: list.revision }
    : { kind: 'whole', revision: list.revision, body: list.body };

/** A list at one moment. */
class List implements CachedList {
  moment: number;
  revision = '';
  bytes = 0;
  readonly #filter: NoteFilter;
  #segments: Segments = new Map();
  #body: ListBody | undefined;

  constructor(filter: NoteFilter, segments: Segments, moment: number) {
    this.#filter = filter;
    this.moment = moment;
    this.#take(segments);
  }

  get body(): ListBody {
    this.#body ??= new SegmentsBody(this.#segments);
    return this.#body;
  }

  follow(changes: readonly Change[]): void {
    const latest = new Map(
      changes.map(({ id, listed, json }) => [id, listed && isSelected(listed, this.#filter) ? json : undefined]),
    );
    const segments = merged(this.#segments, latest);
    if (segments !== this.#segments) this.#take(segments);
  }

  #take(segments: Segments): void {
    this.#segments = segments;
    this.#body = undefined;
    this.revision = revisionOf(segments);
    this.bytes = 2 * sizeOf(segments);
  }
}

/** Equal for equal filters. */
export const keyOf = ({ archived, category, group }: NoteFilter) => `${archived}.${category}.${group}`;
