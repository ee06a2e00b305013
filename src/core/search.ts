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

/** What is searched of a note. */
export interface FoldedNote {
  /** Folded title and content; whitespace is collapsed, so that phrases match across lines and columns. */
  readonly text: string;
  /** Where the title ends in it. */
  readonly titleLength: number;
  /** Title and content as typed except for their case, where folding changes more. */
  readonly typed: string | undefined;
}

/**
 * The notes that match a query, in the order of the call. They are ranked when somebody needs their order, as ranking
 * takes longer than matching, and few are looked at while a word is still being typed.
 */
export interface Hits<N> {
  readonly notes: readonly N[];
  /** For each note its rank, lowest first; undefined if not computed yet, and then `rankPenalties.content` or more. */
  readonly ranks: (number | undefined)[];
  readonly getRank: (note: N) => number;
  /** The notes, best first, once `sortHitsByRank` has sorted them: a letter that is taken back shows former hits again. */
  bestFirst?: readonly N[];
}

/**
 * Returns the notes that contain every word of `query`, best first: words as typed rank above words that only fold
 * alike, then the whole phrase above scattered words, the title above the content, a whole word of the title above the
 * start of one, and that above its inside. Equally good notes keep their order. If none match, up to `maxMistyped`
 * words may have one typing error each, or another ending. An empty query returns all notes.
 */
export function searchExactlyOrMistyped<N extends Searchable | FoldedNote>(notes: readonly N[], query: string): N[] {
  const exact = searchExactly(notes, query);
  return [...sortHitsByRank(exact.notes.length > 0 ? exact : searchMistyped(notes, query))];
}

/** Finds what `searchExactlyOrMistyped` finds, but without typing errors. */
export function searchExactly<N extends Searchable | FoldedNote>(notes: readonly N[], query: string): Hits<N> {
  const folded = fold(query);
  const words = listDistinctWordsLongestFirst(folded);
  const [longest, ...others] = words;
  if (longest === undefined) return createUnrankedHits(notes);
  const phrase = collapseWhitespaceRuns(folded.trim());
  const typedQuery = toLowerCaseNfc(query);
  const typedWords = typedQuery === folded ? words : listDistinctWordsLongestFirst(typedQuery);
  const getRank = (note: N): number => {
    const foldedNote = getFoldedNote(note);
    const { text, typed = text } = foldedNote;
    const isTyped = (typed === text && typedWords === words) || containsAllSubstrings(typed, typedWords);
    return getRankOfExactMatch(createNoteScan(foldedNote), words, phrase) + (isTyped ? 0 : rankPenalties.folded);
  };
  const found: N[] = [];
  const ranks: (number | undefined)[] = [];
  for (const note of notes) {
    const { text, titleLength } = getFoldedNote(note);
    const first = text.indexOf(longest);
    if (first < 0 || !containsAllSubstrings(text, others)) continue;
    found.push(note);
    ranks.push(first < titleLength ? getRank(note) : undefined);
  }
  return { notes: found, ranks, getRank };
}

/** Notes as equally good hits. */
export const createUnrankedHits = <N>(notes: readonly N[]): Hits<N> => ({
  notes,
  ranks: [],
  getRank: () => 0,
  bestFirst: notes,
});

/**
 * Finds notes in which each word occurs as typed or, for up to `maxMistyped` of the words, with one typing error or
 * another ending.
 */
export function searchMistyped<N extends Searchable | FoldedNote>(notes: readonly N[], query: string): Hits<N> {
  const exactFirst = (one: MistypedWord, other: MistypedWord) => one.parts.length - other.parts.length;
  const words = listDistinctWordsLongestFirst(fold(query)).map(createMistypedWord).sort(exactFirst);
  const found: N[] = [];
  const ranks: number[] = [];
  for (const note of notes) {
    const rank = findMistypedRank(createNoteScan(getFoldedNote(note)), words);
    if (rank === undefined) continue;
    found.push(note);
    ranks.push(rank);
  }
  return { notes: found, ranks, getRank: () => 0 };
}

/** Returns the notes, best first. Ranks are small integers, so buckets replace a comparison sort. */
export function sortHitsByRank<N>(hits: Hits<N>): readonly N[] {
  if (hits.bestFirst) return hits.bestFirst;
  const notesByRank: N[][] = [];
  hits.notes.forEach((note, index) => {
    const rank = rankHit(hits, note, index);
    if (notesByRank[rank]) notesByRank[rank].push(note);
    else notesByRank[rank] = [note];
  });
  hits.bestFirst = notesByRank.flat();
  return hits.bestFirst;
}

/** Ranks the hits from one index to before another. */
export function rankHits<N>(hits: Hits<N>, from: number, to: number): void {
  for (const [index, note] of hits.notes.slice(from, to).entries()) rankHit(hits, note, from + index);
}

function rankHit<N>({ ranks, getRank }: Hits<N>, note: N, index: number): number {
  const known = ranks[index];
  if (known !== undefined) return known;
  const rank = getRank(note);
  ranks[index] = rank;
  return rank;
}

/**
 * Returns the first `limit` notes of `sortHitsByRank`, and ranks no more of them than that takes.
 *
 * Example: two are wanted of the hits a, b, c and d. The word is in the title of d, whose rank is 1. a has it in the
 * content, but inside of another word: 10. b begins a word with it: 8, and nothing after b that is not ranked yet can
 * be better. The best two are d and b, and c is not looked at.
 */
export function listBestHits<N>(hits: Hits<N>, limit: number): readonly N[] {
  const { notes, ranks, getRank } = hits;
  const { content } = rankPenalties;
  const isBelowContent = (rank: number | undefined) => rank !== undefined && rank < content;
  let goodHits = ranks.filter(isBelowContent).length;
  const end = notes.findIndex((note, index) => {
    if (goodHits >= limit) return true;
    if (rankHit(hits, note, index) === content) goodHits++;
    return false;
  });
  if (end < 0) return sortHitsByRank(hits).slice(0, limit);
  const isGood = (_: unknown, index: number) => index < end || isBelowContent(ranks[index]);
  return sortHitsByRank({ notes: notes.filter(isGood), ranks: ranks.filter(isGood), getRank }).slice(0, limit);
}

function containsAllSubstrings(text: string, words: readonly string[]): boolean {
  for (const word of words) if (!text.includes(word)) return false;
  return true;
}

/** Folds a note before its first search. The folded text is cached as long as the note object lives. */
export const cacheFoldedText: (note: Searchable) => void = getFoldedNote;

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
  containsAllSubstrings(getFoldedNote(note).text, listDistinctWordsLongestFirst(fold(query)));

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

const foldedNotes = new WeakMap<Searchable, FoldedNote>();

function getFoldedNote(note: Searchable | FoldedNote): FoldedNote {
  if ('titleLength' in note) return note;
  let folded = foldedNotes.get(note);
  if (folded === undefined) {
    folded = foldNote(note);
    foldedNotes.set(note, folded);
  }
  return folded;
}

export function foldNote({ title, content }: Pick<Searchable, 'title' | 'content'>): FoldedNote {
  const source = title + titleEnd + content;
  const folded = fold(source);
  const typed = isAscii(source) ? folded : toLowerCaseNfc(source);
  const text = collapseWhitespaceRuns(folded);
  return { text, titleLength: text.indexOf(titleEnd), typed: typed === folded ? undefined : typed };
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

interface NoteScan extends Scan {
  readonly titleLength: number;
}

const createNoteScan = ({ text, titleLength }: FoldedNote): NoteScan => ({
  text,
  titleLength,
  remainingCharacters: createScan(text).remainingCharacters,
});

function getRankOfExactMatch(note: NoteScan, words: readonly string[], phrase: string): number {
  if (phrase === words[0] || note.text.includes(phrase))
    return rankWordAndSpendBudget(note, phrase, rankPenalties.phraseInside);
  return words.reduce(
    (sum, word) => sum + rankWordAndSpendBudget(note, word, rankPenalties.inside),
    rankPenalties.scattered,
  );
}

/** The lowest cost of `word` in a note that contains it; adds `inside` if no word begins with it. */
function rankWordAndSpendBudget(note: NoteScan, word: string, inside: number): number {
  const { text, titleLength } = note;
  const first = text.indexOf(word);
  const isInTitle = first < titleLength;
  const [end, fieldCost] = isInTitle ? [titleLength, 0] : [text.length, rankPenalties.content];
  let least = inside;
  for (let at = first; at >= 0 && at < end && note.remainingCharacters > 0; at = text.indexOf(word, at + 1)) {
    note.remainingCharacters -= word.length;
    if (!isWordEdge(text, at)) continue;
    if (!isInTitle || isWordEdge(text, at + word.length)) return fieldCost;
    least = rankPenalties.beginning;
  }
  return fieldCost + least;
}

/** The rank of a note in which each word occurs, some of them mistyped. */
function findMistypedRank(note: NoteScan, words: readonly MistypedWord[]): number | undefined {
  let rank = 0;
  let mistyped = 0;
  for (const word of words) {
    if (note.text.includes(word.typed)) {
      rank += rankWordAndSpendBudget(note, word.typed, rankPenalties.inside);
      continue;
    }
    const near = mistyped++ < maxMistyped ? findMistypedWordsAndSpendBudget(note, word) : [];
    if (near.length === 0) return undefined;
    rank += rankPenalties.mistyped + getLowestMatchCost(note, near);
  }
  return rank;
}

/** The cost of the best of several words that may have been meant: in the title, and complete. */
function getLowestMatchCost({ text, titleLength }: NoteScan, words: readonly Match[]): number {
  const costs = words.map(
    ({ start, end }) => (start < titleLength ? 0 : 1) + (isWordEdge(text, end) ? 0 : rankPenalties.unfinished),
  );
  return costs.reduce((lowest, each) => Math.min(lowest, each));
}
