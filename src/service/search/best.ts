/** The best notes of a search, and what is shown of them. */
import type { Note } from '../../core/note.ts';
import type { SearchRequest } from '../../core/parse.ts';
import { filtered, isSelected, parseQuery, type Query } from '../../core/query.ts';
import { holdsEveryWord, matches, nearMatches, searchExactly, searchMistyped } from '../../core/search.ts';
import { newestFirst } from '../../core/sort.ts';
import { type Found, searchLimits } from '../../core/store.ts';
import { excerpt, part } from '../../core/tools/text.ts';

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

const max = { title: 200, excerpt: 300 };

/** A search result without the whole content. */
export type Excerpt = ReturnType<typeof excerptOf>;

/** Excerpts around the words of a query, as many as fit into `maxCharacters` of JSON. */
export function excerptsOf(notes: readonly Note[], query: string, maxCharacters: number): readonly Excerpt[] {
  const { words } = parseQuery(query);
  const shown: Excerpt[] = [];
  let characters = 2;
  for (const note of notes) {
    const next = excerptOf(note, words);
    characters += JSON.stringify(next).length + 1;
    if (characters > maxCharacters) break;
    shown.push(next);
  }
  return shown;
}

function excerptOf(note: Note, words: string) {
  const { id, category, group, archived, updatedAt } = note;
  const start = Math.max(0, offsetIn(note, words) - max.excerpt / 4);
  const title = part(note.title, max.title);
  return { id, title, category, group, archived, updatedAt, excerpt: excerpt(note.content, max.excerpt, start) };
}

/** The first offset of a word in the content; 0 if only the title matches. */
export function offsetIn(note: Note, words: string): number {
  const find = holdsEveryWord(note, words) ? matches : nearMatches;
  return find(note.content, words, 1)[0]?.start ?? 0;
}

export interface SearchTask extends SearchRequest {
  /** Returns excerpts instead of notes, with at most this many characters of JSON. */
  readonly excerptCharacters?: number;
}

/** The best notes or excerpts as a JSON array, their count, and the number of all matches. */
export interface FoundJson {
  readonly json: Uint8Array<ArrayBuffer>;
  readonly count: number;
  readonly total: number;
}

/** The first notes that fit into an answer, at least one. */
export function foundJson({ notes, total }: Found, { query, excerptCharacters }: SearchTask): FoundJson {
  const shown = excerptCharacters === undefined ? notes : excerptsOf(notes, query, excerptCharacters);
  const texts: string[] = [];
  let bytes = '[]'.length;
  for (const note of shown) {
    const text = JSON.stringify(note);
    bytes += Buffer.byteLength(text) + ','.length;
    if (bytes > searchLimits.bytes && texts.length > 0) break;
    texts.push(text);
  }
  return { json: new TextEncoder().encode(`[${texts.join()}]`), count: texts.length, total };
}
