import type { Note } from '../../core/note.ts';
import type { SearchRequest } from '../../core/parse.ts';
import { filtered, isSelected, parseQuery, type Query } from '../../core/query.ts';
import { searchExactly, searchMistyped } from '../../core/search.ts';
import { newestFirst } from '../../core/sort.ts';
import { type Found, searchLimits } from '../../core/store.ts';

/**
 * Keeps the best of the notes added so far, ranked like a search of all at once; newest first at equal rank. Memory
 * is bounded by the results, not by the notes added.
 */
export class Best implements Found {
  notes: readonly Note[] = [];
  total = 0;
  readonly #wanted: SearchRequest;
  readonly #query: Query;
  #isExact = false;

  constructor(wanted: SearchRequest) {
    this.#wanted = wanted;
    this.#query = parseQuery(wanted.query);
  }

  /** Adds notes, newest first. Each note must be added only once. */
  add(notes: readonly Note[]): void {
    const { filter } = this.#wanted;
    const { words, filters } = this.#query;
    const given = Object.keys(filter).length === 0 ? notes : notes.filter((note) => isSelected(note, filter));
    const some = filtered(given, filters);
    const { found: exact } = searchExactly(some, words);
    if (exact.length > 0 && !this.#isExact) {
      this.#isExact = true;
      [this.notes, this.total] = [[], 0];
    }
    this.#keep(this.#isExact ? exact : searchMistyped(some, words).found);
  }

  #keep(hits: readonly Note[]): void {
    const { limit } = this.#wanted;
    this.total += hits.length;
    const ranked = this.#isExact ? searchExactly : searchMistyped;
    const first = hits.slice(0, limit);
    this.notes =
      this.notes.length === 0 ? first : ranked([...this.notes, ...first].sort(newestFirst), this.#query.words).found;
    this.notes = this.notes.slice(0, fitting(this.notes, limit));
  }
}

/** Searches batches of notes in any order. */
export async function findBest(batches: AsyncIterable<readonly Note[]>, wanted: SearchRequest): Promise<Found> {
  const best = new Best(wanted);
  for await (const notes of batches) best.add(notes.toSorted(newestFirst));
  return best;
}

/** How many notes to keep: at most `limit`, and no more than may fit into an answer. */
function fitting(notes: readonly Note[], limit: number): number {
  let characters = 0;
  const end = notes.findIndex(({ title, content }, index) => {
    characters += title.length + content.length;
    return index === limit || (index > 0 && characters > searchLimits.bytes);
  });
  return end < 0 ? notes.length : end;
}
