import type { Note, NoteFilter } from '../domain/note.ts';
import { filtered, parseQuery, type Query } from '../domain/query.ts';
import { searchExactly, searchMistyped } from '../domain/search.ts';
import { newestFirst } from '../domain/sort.ts';
import type { Found } from '../domain/store.ts';

/** What is looked for, in which notes, and how many of those that are found are wanted. */
export interface Wanted {
  /** A line as `parseQuery` reads it: its filters and `filter` narrow together. */
  readonly query: string;
  readonly filter: NoteFilter;
  readonly limit: number;
}

/** Characters of titles and contents that the best notes have together at most; a single note may have more. */
const maxCharacters = 8 * 1024 * 1024;

/**
 * The best of the notes that were added so far, as the search of all of them at once ranks them; of equally good ones the
 * newest first. Holds the best alone, however many are added.
 */
export class Best implements Found {
  notes: readonly Note[] = [];
  total = 0;
  readonly #wanted: Wanted;
  readonly #query: Query;
  #isExact = false;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
    this.#query = parseQuery(wanted.query);
  }

  /** Adds notes that were not added before, the newest first. */
  add(notes: readonly Note[]): void {
    const { filter } = this.#wanted;
    const { words, filters } = this.#query;
    const given = Object.keys(filter).length === 0 ? notes : notes.filter((note) => isIn(filter, note));
    const some = filtered(given, filters);
    const exact = searchExactly(some, words);
    if (exact.length > 0 && !this.#isExact) {
      this.#isExact = true;
      [this.notes, this.total] = [[], 0];
    }
    this.#keep(this.#isExact ? exact : searchMistyped(some, words));
  }

  #keep(hits: readonly Note[]): void {
    const { limit } = this.#wanted;
    this.total += hits.length;
    const ranked = this.#isExact ? searchExactly : searchMistyped;
    const first = hits.slice(0, limit);
    this.notes =
      this.notes.length === 0 ? first : ranked([...this.notes, ...first].sort(newestFirst), this.#query.words);
    this.notes = this.notes.slice(0, fitting(this.notes, limit));
  }
}

/** Adds notes as they come, in any order. */
export async function findBest(batches: AsyncIterable<readonly Note[]>, wanted: Wanted): Promise<Found> {
  const best = new Best(wanted);
  for await (const notes of batches) best.add(notes.toSorted(newestFirst));
  return best;
}

function isIn(filter: NoteFilter, { category, group, archived }: Note): boolean {
  return (
    (filter.category ?? category) === category &&
    (filter.group ?? group) === group &&
    (filter.archived ?? archived) === archived
  );
}

/** How many of the first `limit` notes are held. */
function fitting(notes: readonly Note[], limit: number): number {
  let characters = 0;
  const end = notes.findIndex(({ title, content }, index) => {
    characters += title.length + content.length;
    return index === limit || (index > 0 && characters > maxCharacters);
  });
  return end < 0 ? notes.length : end;
}
