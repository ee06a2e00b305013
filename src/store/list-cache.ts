import { encodeFilterKey, type NoteFilter } from '../core/note.ts';
import { matchesNoteFilter } from '../core/search-line.ts';
import type { CachedList } from './cached-list.ts';
import type { NoteChange } from './note-change.ts';

/** The memory of a list in bytes per UTF-16 unit of its JSON, which is stored as texts, as blocks and as one body. */
const bytesPerUnit = 3;

/**
 * The lists that were requested last. They are up to date as long as every change is passed to `applyChangeToLists`.
 */
export class ListCache {
  readonly #maxBytes: number;
  /** By the key of the filter, the most recently used last. */
  readonly #lists = new Map<string, CachedList | 'too long'>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The maximal length of a list in UTF-16 units. */
  get maxJsonLength(): number {
    return this.#maxBytes / 8;
  }

  /** Whether the list was found to be too long for the cache. It does not count as used. */
  isListKnownTooLong(filter: NoteFilter): boolean {
    return this.#lists.get(encodeFilterKey(filter)) === 'too long';
  }

  /** Finds a list, which then counts as the most recently used one. */
  findAndTouchListOrTooLong(filter: NoteFilter): CachedList | 'too long' | undefined {
    const key = encodeFilterKey(filter);
    const list = this.#lists.get(key);
    if (list === undefined) return undefined;
    this.#lists.delete(key);
    this.#lists.set(key, list);
    return list;
  }

  set(filter: NoteFilter, list: CachedList | 'too long'): void {
    this.#lists.set(encodeFilterKey(filter), list);
    this.#evictLeastRecentlyUsed(list);
  }

  /** Updates all lists. A change that a list shows already, or that was applied before, changes nothing. */
  applyChangeToLists({ id, json, listed, listedBefore }: NoteChange): void {
    let hasGrown = false;
    for (const [key, list] of this.#lists) {
      if (list === 'too long') continue;
      if (json !== undefined && listed !== undefined && matchesNoteFilter(listed, list.filter)) {
        hasGrown = true;
        list.insertOrReplaceNote({ id, json });
        if (list.length > this.maxJsonLength) this.#lists.set(key, 'too long');
      } else if (listedBefore === 'unknown' || (listedBefore && matchesNoteFilter(listedBefore, list.filter)))
        list.deleteNote(id);
    }
    if (hasGrown) this.#evictLeastRecentlyUsed();
  }

  /** Forgets all lists. Used after changes that are not known note by note. */
  clear(): void {
    this.#lists.clear();
  }

  /** Forgets the lists that were used longest ago until the others fit into the memory; never `newest`. */
  #evictLeastRecentlyUsed(newest?: CachedList | 'too long'): void {
    let bytes = 0;
    for (const list of this.#lists.values()) if (list !== 'too long') bytes += list.length * bytesPerUnit;
    for (const [key, list] of this.#lists) {
      if (bytes <= this.#maxBytes) return;
      if (list === newest || list === 'too long') continue;
      bytes -= list.length * bytesPerUnit;
      this.#lists.delete(key);
    }
  }
}
