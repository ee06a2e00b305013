/** These functions choose what is shown of the notes that a search has found. */
import type { Note } from '../../core/note.ts';
import type { SearchRequest } from '../../core/request-parameters.ts';
import { findMatchesInText, findMistypedMatchesInText, noteContainsAllQueryWords } from '../../core/search.ts';
import { parseQuery } from '../../core/search-line.ts';
import { type Found, searchLimits } from '../../core/store.ts';
import { truncateText, truncateToOneLine } from '../../core/text/truncate-text.ts';

/** At most this much is shown of a note, in characters. */
const excerptLimits = { title: 200, excerpt: 300 };

/** An excerpt is a search result with a part of the content. */
export type Excerpt = ReturnType<typeof createNoteExcerpt>;

/** Creates excerpts around the words of a query, as many as fit into `maxCharacters` of JSON. */
export function createExcerptsUpToLimit(
  notes: readonly Note[],
  query: string,
  maxCharacters: number,
): readonly Excerpt[] {
  const { words } = parseQuery(query);
  const shown: Excerpt[] = [];
  let characters = 2;
  for (const note of notes) {
    const next = createNoteExcerpt(note, words);
    characters += JSON.stringify(next).length + 1;
    if (characters > maxCharacters) break;
    shown.push(next);
  }
  return shown;
}

function createNoteExcerpt(note: Note, words: string) {
  const { id, category, group, archived, updatedAt } = note;
  const start = Math.max(0, getWordOffsetOrZero(note, words) - excerptLimits.excerpt / 4);
  const title = truncateText(note.title, excerptLimits.title);
  return {
    id,
    title,
    category,
    group,
    archived,
    updatedAt,
    excerpt: truncateToOneLine(note.content, excerptLimits.excerpt, start),
  };
}

/** Finds the first offset of a word in the content; 0 if only the title matches. */
export function getWordOffsetOrZero(note: Note, words: string): number {
  const find = noteContainsAllQueryWords(note, words) ? findMatchesInText : findMistypedMatchesInText;
  return find(note.content, words, 1)[0]?.start ?? 0;
}

export interface SearchTask extends SearchRequest {
  /** Returns excerpts instead of notes, with at most this many characters of JSON. */
  readonly excerptCharacters?: number;
}

/** `json` is an array of the best notes or excerpts, `count` is their number, and `total` the number of all matches. */
export interface FoundJson {
  readonly json: Uint8Array<ArrayBuffer>;
  readonly count: number;
  readonly total: number;
}

/** Encodes the first notes that fit into a response, at least one. */
export function encodeFittingNotes({ notes, total }: Found, { query, excerptCharacters }: SearchTask): FoundJson {
  const shown = excerptCharacters === undefined ? notes : createExcerptsUpToLimit(notes, query, excerptCharacters);
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
