/**
 * Full-text search: scans folded notes for substrings, so that punctuation is searchable.
 *
 * Example: the query `cafe menu` in four notes, as title | content.
 * 1. `fold` makes both sides alike: `Café` becomes `cafe`. All four notes contain both words.
 * 2. Each note gets a rank, the sum of the penalties in `rankPenalties`:
 *    - `Cafe menu | x` has the phrase as whole words of the title: 0.
 *    - `Menu | of the cafe` has scattered words (16), one of them in the content (8): 24.
 *    - `Deploy | see the Café menu` has the phrase in the content (8), but only once folded (1024): 1032.
 *    - `Cafés | menus` has scattered words (16), the start of one in the title (1) and one in the content that begins a
 *      word (8), and only once folded (1024): 1049.
 * 3. The result is in the order of the ranks.
 *
 * No note contains `cafe mneu`. Then `searchMistyped` looks for what is one edit away: `mneu` with its middle swapped
 * is `menu`. The first three notes have it; `menus` does not count, as four letters must end where a word ends.
 */
import { fold, isAscii, type Match, sortAndDropOverlaps, toLowerCaseNfc, unfoldMatches } from './folding.ts';
import { createMistypedWord, findMistypedWordsAndSpendBudget, type MistypedWord } from './mistyped-words.ts';
import type { Note } from './note.ts';
import { createScan, isWordEdge, type Scan } from './scan-text.ts';

export type Searchable = Pick<Note, 'id' | 'title' | 'content' | 'updatedAt'>;

/**
 * Returns the notes that contain every word of `query`, best first: words as typed rank above words that only fold
 * alike, then the whole phrase above scattered words, the title above the content, a whole word of the title above the
 * start of one, and that above its inside. Equally good notes keep their order. If none match, up to `maxMistyped`
 * words may have one typing error each, or another ending. An empty query returns all notes.
 */
export function searchExactlyOrMistyped<N extends Searchable>(notes: readonly N[], query: string): N[] {
  const { bestFirst } = searchExactly(notes, query);
  return bestFirst.length > 0 ? bestFirst : searchMistyped(notes, query).bestFirst;
}

/** The notes that contain every word of a query, in the order of the call and in the order of their ranks. */
interface SearchResult<N> {
  readonly inGivenOrder: readonly N[];
  readonly bestFirst: N[];
}

/** Like `searchExactlyOrMistyped`, but without typing errors. */
export function searchExactly<N extends Searchable>(notes: readonly N[], query: string): SearchResult<N> {
  const folded = fold(query);
  const words = listDistinctWordsLongestFirst(folded);
  if (words.length === 0) return { inGivenOrder: notes, bestFirst: [...notes] };
  const phrase = collapseWhitespaceRuns(folded.trim());
  const typed = toLowerCaseNfc(query);
  const typedWords = typed === folded ? words : listDistinctWordsLongestFirst(typed);
  return matchAndSortByRank(notes, (text, note) => {
    if (!containsAllSubstrings(text, words)) return undefined;
    const typedText = typedNotes.get(note);
    const isTyped = (!typedText && typedWords === words) || containsAllSubstrings(typedText ?? text, typedWords);
    return getRankOfExactMatch(createScan(text), words, phrase) + (isTyped ? 0 : rankPenalties.folded);
  });
}

/**
 * Finds notes in which each word occurs as typed or, for up to `maxMistyped` of the words, with one typing error or
 * another ending.
 */
export function searchMistyped<N extends Searchable>(notes: readonly N[], query: string): SearchResult<N> {
  const exactFirst = (one: MistypedWord, other: MistypedWord) => one.parts.length - other.parts.length;
  const words = listDistinctWordsLongestFirst(fold(query)).map(createMistypedWord).sort(exactFirst);
  return matchAndSortByRank(notes, (text) => findMistypedRankAndSpendBudget(createScan(text), words));
}

function containsAllSubstrings(text: string, words: readonly string[]): boolean {
  for (const word of words) if (!text.includes(word)) return false;
  return true;
}

/** Folds a note before its first search. The folded text is cached as long as the note object lives. */
export function cacheFoldedText(note: Searchable): void {
  getFoldedText(note);
}

/**
 * Finds the words of `query` in `text`: the first `limit` matches, ascending, without overlaps. One or two letters
 * match only as a whole word, as they are inside of other words everywhere: `in` is not marked in `things`.
 */
export function findMatchesInText(text: string, query: string, limit = 1000): readonly Match[] {
  return unfoldMatches(text, findExactWords(fold(text), listDistinctWordsLongestFirst(fold(query)), limit));
}

function findExactWords(folded: string, words: readonly string[], limit: number): Match[] {
  if (words.length === 0) return [];
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  const found: Match[] = [];
  const anyWord = new RegExp(pattern, 'g');
  for (let match = anyWord.exec(folded); match !== null && found.length < limit; match = anyWord.exec(folded)) {
    const { 0: word, index: start } = match;
    const end = start + word.length;
    const isWholeWord = isWordEdge(folded, start) && isWordEdge(folded, end);
    if (isWholeWord || !shortWord.test(word)) found.push({ start, end });
    else anyWord.lastIndex = start + 1; // a longer word may begin inside of it
  }
  return found;
}

/** Lower case as folded; scripts without cases write words in one or two letters. */
const shortWord = /^[\p{Ll}\p{Nd}]{1,2}$/u;

/**
 * Like `findMatchesInText`, for a note found only by typing errors: finds words as typed, and where a text lacks one,
 * words one edit or another ending away.
 */
export function findMistypedMatchesInText(text: string, query: string, limit = 1000): readonly Match[] {
  const folded = createScan(fold(text));
  const { exact = [], near = [] } = Object.groupBy(listDistinctWordsLongestFirst(fold(query)), (word) =>
    folded.text.includes(word) ? 'exact' : 'near',
  );
  const found = near.flatMap((word) => findMistypedWordsAndSpendBudget(folded, createMistypedWord(word)));
  return unfoldMatches(
    text,
    sortAndDropOverlaps([...findExactWords(folded.text, exact, limit), ...found]).slice(0, limit),
  );
}

/** Whether a note contains every word of `query`; otherwise `searchMistyped` found it. */
export const noteContainsAllQueryWords = (note: Searchable, query: string): boolean =>
  containsAllSubstrings(getFoldedText(note), listDistinctWordsLongestFirst(fold(query)));

/** How many different words of a query count, and how many of them may be mistyped. */
const maxWords = 32;
const maxMistyped = 4;

/** Collapses whitespace. A function, as V8 leaves the joining of plain replacements to the first search: 30 ms. */
const collapseWhitespaceRuns = (text: string): string => text.replace(/\s\s+|[^\S ]/g, () => ' ');

/** The different words of a text, longest first: usually the rarest, and the one to mark before a prefix of it. */
function listDistinctWordsLongestFirst(text: string): string[] {
  const words = new Set(text.split(/\s+/).filter(Boolean));
  return [...words].slice(0, maxWords).sort((a, b) => b.length - a.length);
}

/** Separates title and content; no note contains it. Two characters, so that no one-edit match spans it. */
const titleEnd = '\0\0';

const foldedNotes = new WeakMap<Searchable, string>();

/** Titles and contents as typed except for their case, where folding changes more. */
const typedNotes = new WeakMap<Searchable, string>();

/** Folded title and content; whitespace is collapsed, so that phrases match across lines and columns. */
function getFoldedText(note: Searchable): string {
  let text = foldedNotes.get(note);
  if (text === undefined) {
    const source = note.title + titleEnd + note.content;
    if (isAscii(source)) text = source.toLowerCase();
    else {
      text = fold(source);
      const typed = toLowerCaseNfc(source);
      if (typed !== text) typedNotes.set(note, typed);
    }
    text = collapseWhitespaceRuns(text);
    foldedNotes.set(note, text);
  }
  return text;
}

/** The notes with a rank, lowest first. Ranks are small integers, so buckets replace a comparison sort. */
function matchAndSortByRank<N extends Searchable>(
  notes: readonly N[],
  findRank: (text: string, note: N) => number | undefined,
): SearchResult<N> {
  const inGivenOrder: N[] = [];
  const ranks: N[][] = [];
  for (const note of notes) {
    const rank = findRank(getFoldedText(note), note);
    if (rank === undefined) continue;
    inGivenOrder.push(note);
    const equals = ranks[rank];
    if (equals) equals.push(note);
    else ranks[rank] = [note];
  }
  return { inGivenOrder, bestFirst: ranks.flat() };
}

/**
 * Penalties of a match. For a phrase, the title matters most; for scattered words, the start of a word does, as short
 * words occur inside others everywhere. `folded` outweighs all that `maxWords` words can cost.
 */
const rankPenalties = {
  beginning: 1,
  phraseInside: 2,
  content: 8,
  inside: 12,
  scattered: 16,
  mistyped: 24,
  unfinished: 8,
  folded: 1024,
};

function getRankOfExactMatch(note: Scan, words: readonly string[], phrase: string): number {
  if (phrase === words[0] || note.text.includes(phrase))
    return rankWordAndSpendBudget(note, phrase, rankPenalties.phraseInside);
  return words.reduce(
    (sum, word) => sum + rankWordAndSpendBudget(note, word, rankPenalties.inside),
    rankPenalties.scattered,
  );
}

/** The lowest cost of `word` in a note that contains it; adds `inside` if no word begins with it. */
function rankWordAndSpendBudget(note: Scan, word: string, inside: number): number {
  const { text } = note;
  const contentStart = text.indexOf(titleEnd);
  const first = text.indexOf(word);
  const isInTitle = first < contentStart;
  const [end, fieldCost] = isInTitle ? [contentStart, 0] : [text.length, rankPenalties.content];
  let least = inside;
  for (let at = first; at >= 0 && at < end && note.remainingCharacters > 0; at = text.indexOf(word, at + 1)) {
    note.remainingCharacters -= word.length;
    if (!isWordEdge(text, at)) continue;
    if (!isInTitle || isWordEdge(text, at + word.length)) return fieldCost;
    least = rankPenalties.beginning;
  }
  return fieldCost + least;
}

function findMistypedRankAndSpendBudget(note: Scan, words: readonly MistypedWord[]): number | undefined {
  let rank = 0;
  let mistyped = 0;
  for (const word of words) {
    if (note.text.includes(word.typed)) {
      rank += rankWordAndSpendBudget(note, word.typed, rankPenalties.inside);
      continue;
    }
    const near = mistyped++ < maxMistyped ? findMistypedWordsAndSpendBudget(note, word) : [];
    if (near.length === 0) return undefined;
    rank += rankPenalties.mistyped + getLowestMatchCost(note.text, near);
  }
  return rank;
}

/** The cost of the best of several words that may have been meant: in the title, and complete. */
function getLowestMatchCost(text: string, words: readonly Match[]): number {
  const contentStart = text.indexOf(titleEnd);
  const costs = words.map(
    ({ start, end }) => (start < contentStart ? 0 : 1) + (isWordEdge(text, end) ? 0 : rankPenalties.unfinished),
  );
  return costs.reduce((lowest, each) => Math.min(lowest, each));
}
