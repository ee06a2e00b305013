import type { Note } from '../../core/note.ts';
import { compareNewestFirst } from '../../core/note-order.ts';
import type { SearchRequest } from '../../core/request-parameters.ts';
import { searchExactly, searchMistyped, sortHitsByRank } from '../../core/search.ts';
import { filterNotes, matchesNoteFilter, parseQuery, type Query } from '../../core/search-line.ts';
import { type Found, searchLimits } from '../../core/store.ts';

/**
 * Collects the best of the notes added so far. They are ranked like those of a search of all notes at once, with the
 * newest first at equal rank. The memory needed depends on the number of results, not on that of the notes added.
 *
 * Example: the query is `needle`, and the first notes added have only `neddle`: they count as mistyped hits. Then a
 * note with `needle` is added. From now on only exact hits count, so those found before are dropped.
 */
export class BestNotesCollector implements Found {
  notes: readonly Note[] = [];
  total = 0;
  readonly #request: SearchRequest;
  readonly #query: Query;
  #isExact = false;

  constructor(request: SearchRequest) {
    this.#request = request;
    this.#query = parseQuery(request.query);
  }

  /** Adds notes, newest first. Each note must be added only once. */
  addBatchNewestFirst(notes: readonly Note[]): void {
    const { filter } = this.#request;
    const { words, filters } = this.#query;
    const selected = Object.keys(filter).length === 0 ? notes : notes.filter((note) => matchesNoteFilter(note, filter));
    const candidates = filterNotes(selected, filters);
    const exact = searchExactly(candidates, words);
    if (exact.notes.length > 0 && !this.#isExact) {
      this.#isExact = true;
      this.notes = [];
      this.total = 0;
    }
    this.#addHits(sortHitsByRank(this.#isExact ? exact : searchMistyped(candidates, words)));
  }

  /** Adds hits, best first. */
  #addHits(hits: readonly Note[]): void {
    const { limit } = this.#request;
    this.total += hits.length;
    const best = hits.slice(0, limit);
    const ranked = this.notes.length === 0 ? best : this.#rankNotes([...this.notes, ...best]);
    this.notes = ranked.slice(0, countNotesWithinLimits(ranked, limit));
  }

  #rankNotes(notes: readonly Note[]): readonly Note[] {
    const search = this.#isExact ? searchExactly : searchMistyped;
    return sortHitsByRank(search(notes.toSorted(compareNewestFirst), this.#query.words));
  }
}

/** Searches batches of notes in any order. */
export async function searchBatchesForBestNotes(
  batches: AsyncIterable<readonly Note[]>,
  request: SearchRequest,
): Promise<Found> {
  const best = new BestNotesCollector(request);
  for await (const notes of batches) best.addBatchNewestFirst(notes.toSorted(compareNewestFirst));
  return best;
}

/** Counts the first notes that are worth holding: at most `limit`, and no more than may fit into a response. */
function countNotesWithinLimits(notes: readonly Note[], limit: number): number {
  let characters = 0;
  const end = notes.findIndex(({ title, content }, index) => {
    characters += title.length + content.length;
    return index === limit || (index > 0 && characters > searchLimits.bytes);
  });
  return end < 0 ? notes.length : end;
}
