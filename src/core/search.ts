/**
 * Full-text search: scans folded notes for substrings, so that punctuation is searchable.
 *
 * Example: the query `cafe menu` in four notes, as title | content.
 * 1. `fold` makes both sides alike: `Café` becomes `cafe`. All four notes contain both words.
 * 2. Each note gets a rank, the sum of the penalties in `cost`:
 *    - `Cafe menu | x` has the phrase as whole words of the title: 0.
 *    - `Menu | of the cafe` has scattered words (16), one of them in the content (8): 24.
 *    - `Deploy | see the Café menu` has the phrase in the content (8), but only once folded (1024): 1032.
 *    - `Cafés | menus` has scattered words (16), the start of one in the title (1) and one in the content that begins a
 *      word (8), and only once folded (1024): 1049.
 * 3. The result is in the order of the ranks.
 *
 * No note contains `cafe mneu`. Then `searchMistyped` looks for what is one edit away: `mneu` with its middle swapped is
 * `menu`. The first three notes have it; `menus` does not count, as four letters must end where a word ends.
 */
import { fold, foldCaseOnly, isAscii, type Match, sortAndDropOverlaps, unfoldMatches } from './folding.ts';
import type { Note } from './note.ts';

export type Searchable = Pick<Note, 'id' | 'title' | 'content' | 'updatedAt'>;

/**
 * Returns the notes that contain every word of `query`, best first: words as typed rank above words that only fold
 * alike, then the whole phrase above scattered words, the title above the content, a whole word of the title above the
 * start of one, and that above its inside. Equally good notes keep their order. If none match, up to `maxMistyped`
 * words may have one typing error each, or another ending. An empty query returns all notes.
 */
export function search<N extends Searchable>(notes: readonly N[], query: string): N[] {
  const { found } = searchExactly(notes, query);
  return found.length > 0 ? found : searchMistyped(notes, query).found;
}

/** The notes that contain every word of a query: `matches` in their order, `found` best first. */
interface SearchResult<N> {
  readonly matches: readonly N[];
  readonly found: N[];
}

/** Like `search`, but without typing errors. */
export function searchExactly<N extends Searchable>(notes: readonly N[], query: string): SearchResult<N> {
  const folded = fold(query);
  const words = listWordsLongestFirst(folded);
  if (words.length === 0) return { matches: notes, found: [...notes] };
  const phrase = collapseWhitespace(folded.trim());
  const typed = foldCaseOnly(query);
  const typedWords = typed === folded ? words : listWordsLongestFirst(typed);
  return rankNotes(notes, (text, note) => {
    if (!containsAllWords(text, words)) return undefined;
    const typedText = typedNotes.get(note);
    const isTyped = (!typedText && typedWords === words) || containsAllWords(typedText ?? text, typedWords);
    return rankExactMatch(createScan(text), words, phrase) + (isTyped ? 0 : cost.folded);
  });
}

/** Like `search`, but with one typing error, or another ending, in each of up to `maxMistyped` words. */
export function searchMistyped<N extends Searchable>(notes: readonly N[], query: string): SearchResult<N> {
  const exactFirst = (one: MistypedWord, other: MistypedWord) => one.parts.length - other.parts.length;
  const words = listWordsLongestFirst(fold(query)).map(createMistypedWord).sort(exactFirst);
  return rankNotes(notes, (text) => rankMistypedMatch(createScan(text), words));
}

function containsAllWords(text: string, words: readonly string[]): boolean {
  for (const word of words) if (!text.includes(word)) return false;
  return true;
}

/** Folds a note before its first search. The folded text is cached as long as the note object lives. */
export function cacheFoldedText(note: Searchable): void {
  getFoldedText(note);
}

/**
 * Finds the words of `query` in `text`: the first `limit` matches, ascending, without overlaps. A single letter or
 * digit matches only as the first of a word: inside words it is everywhere.
 */
export function findMatches(text: string, query: string, limit = 1000): readonly Match[] {
  return unfoldMatches(text, findExactWords(fold(text), listWordsLongestFirst(fold(query)), limit));
}

function findExactWords(folded: string, words: readonly string[], limit: number): Match[] {
  if (words.length === 0) return [];
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  const found: Match[] = [];
  for (const { 0: match, index } of folded.matchAll(new RegExp(pattern, 'g'))) {
    if (found.length === limit) break;
    if (oneLetter.test(match) && !isWordEdge(folded, index)) continue;
    found.push({ start: index, end: index + match.length });
  }
  return found;
}

/** Lower case as folded; scripts without cases write words in one letter. */
const oneLetter = /^[\p{Ll}\p{Nd}]$/u;

/**
 * Like `matches`, for a note found only by typing errors: finds words as typed, and where a text lacks one, words one
 * edit or another ending away.
 */
export function findMistypedMatches(text: string, query: string, limit = 1000): readonly Match[] {
  const folded = createScan(fold(text));
  const { exact = [], near = [] } = Object.groupBy(listWordsLongestFirst(fold(query)), (word) =>
    folded.text.includes(word) ? 'exact' : 'near',
  );
  const found = near.flatMap((word) => findMistypedWords(folded, createMistypedWord(word)));
  return unfoldMatches(
    text,
    sortAndDropOverlaps([...findExactWords(folded.text, exact, limit), ...found]).slice(0, limit),
  );
}

/** Whether a note contains every word of `query`; otherwise `search` found it by typing errors. */
export const noteContainsEveryWord = (note: Searchable, query: string): boolean =>
  containsAllWords(getFoldedText(note), listWordsLongestFirst(fold(query)));

/** How many different words of a query count, and how many of them may be mistyped. */
const maxWords = 32;
const maxMistyped = 4;

/** Collapses whitespace. A function, as V8 leaves the joining of plain replacements to the first search: 30 ms. */
const collapseWhitespace = (text: string): string => text.replace(/\s\s+|[^\S ]/g, () => ' ');

/** The different words of a text, longest first: usually the rarest, and the one to mark before a prefix of it. */
function listWordsLongestFirst(text: string): string[] {
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
      const typed = foldCaseOnly(source);
      if (typed !== text) typedNotes.set(note, typed);
    }
    text = collapseWhitespace(text);
    foldedNotes.set(note, text);
  }
  return text;
}

/** A folded text, and how many more of its characters may be compared with words. */
interface Scan {
  readonly text: string;
  left: number;
}

/** Half of its length: the words that people type, and similar ones, fill less of a text. */
const createScan = (text: string): Scan => ({ text, left: 128 + (text.length >> 1) });

/** The notes with a rank, lowest first. Ranks are small integers, so buckets replace a comparison sort. */
function rankNotes<N extends Searchable>(
  notes: readonly N[],
  rankOf: (text: string, note: N) => number | undefined,
): SearchResult<N> {
  const matches: N[] = [];
  const ranks: N[][] = [];
  for (const note of notes) {
    const rank = rankOf(getFoldedText(note), note);
    if (rank === undefined) continue;
    matches.push(note);
    const equals = ranks[rank];
    if (equals) equals.push(note);
    else ranks[rank] = [note];
  }
  return { matches, found: ranks.flat() };
}

/**
 * Penalties of a match. For a phrase, the title matters most; for scattered words, the start of a word does, as short
 * words occur inside others everywhere. `folded` outweighs all that `maxWords` words can cost.
 */
const cost = {
  beginning: 1,
  phraseInside: 2,
  content: 8,
  inside: 12,
  scattered: 16,
  mistyped: 24,
  unfinished: 8,
  folded: 1024,
};

function rankExactMatch(note: Scan, words: readonly string[], phrase: string): number {
  if (phrase === words[0] || note.text.includes(phrase)) return rankWordAndSpendBudget(note, phrase, cost.phraseInside);
  return words.reduce((sum, word) => sum + rankWordAndSpendBudget(note, word, cost.inside), cost.scattered);
}

/** The lowest cost of `word` in a note that contains it; adds `inside` if no word begins with it. */
function rankWordAndSpendBudget(note: Scan, word: string, inside: number): number {
  const { text } = note;
  const contentStart = text.indexOf(titleEnd);
  const first = text.indexOf(word);
  const isInTitle = first < contentStart;
  const [end, fieldCost] = isInTitle ? [contentStart, 0] : [text.length, cost.content];
  let least = inside;
  for (let at = first; at >= 0 && at < end && note.left > 0; at = text.indexOf(word, at + 1)) {
    note.left -= word.length;
    if (!isWordEdge(text, at)) continue;
    if (!isInTitle || isWordEdge(text, at + word.length)) return fieldCost;
    least = cost.beginning;
  }
  return fieldCost + least;
}

/** A typed word and its parts. A text one edit away contains a part; `offsets` are its distances from the start. */
interface MistypedWord {
  readonly typed: string;
  /** What it begins with before an ending, as in `listen|ing`; undefined if that is short. */
  readonly stem: string | undefined;
  readonly parts: readonly { readonly part: string; readonly offsets: readonly number[] }[];
}

/** One edit leaves one half intact, or swaps the two middle characters. */
function createMistypedWord(typed: string): MistypedWord {
  if (typed.length < 4) return { typed, stem: undefined, parts: [] };
  const middle = typed.length >> 1;
  const [left, right] = [typed.slice(0, middle), typed.slice(middle)];
  const swapped = left.slice(0, -1) + right.slice(0, 1) + left.slice(-1) + right.slice(1);
  const stem = typed.replace(/(?:ing|ies|ied|es|ed|s|y)$/, '');
  return {
    typed,
    stem: stem.length >= 4 && stem !== typed ? stem : undefined,
    parts: [
      { part: left, offsets: [0] },
      { part: right, offsets: [middle - 1, middle, middle + 1] },
      { part: swapped, offsets: [0] },
    ],
  };
}

function rankMistypedMatch(note: Scan, words: readonly MistypedWord[]): number | undefined {
  const { text } = note;
  let rank = 0;
  let mistyped = 0;
  for (const word of words) {
    if (text.includes(word.typed)) rank += rankWordAndSpendBudget(note, word.typed, cost.inside);
    else {
      const near = mistyped++ < maxMistyped ? findMistypedWords(note, word) : [];
      if (near.length === 0) return undefined;
      const contentStart = text.indexOf(titleEnd);
      const costs = near.map(
        ({ start, end }) => (start < contentStart ? 0 : 1) + (isWordEdge(text, end) ? 0 : cost.unfinished),
      );
      rank += cost.mistyped + costs.reduce((a, b) => Math.min(a, b));
    }
  }
  return rank;
}

/**
 * Finds words one edit away, unordered: a character added, removed or replaced, or two neighbours swapped; and words
 * that differ in their ending.
 */
function findMistypedWords(note: Scan, { typed, stem, parts }: MistypedWord): Match[] {
  const { text } = note;
  const found: Match[] = stem === undefined ? [] : findWordsWithStem(note, stem);
  for (const { part, offsets } of parts) {
    for (let at = text.indexOf(part); at >= 0 && note.left > 0; at = text.indexOf(part, at + 1)) {
      note.left -= typed.length;
      for (const offset of offsets) {
        const start = at - offset;
        const end = canMatchBegin(text, start) ? findMistypedEnd(text, start, typed) : undefined;
        if (end !== undefined && isPlausibleEnd(text, end, typed)) found.push({ start, end });
      }
    }
  }
  return found;
}

/** The longest ending: `ing`. */
const maxEnding = 3;

/** Finds the words that consist of `stem` and an ending. */
function findWordsWithStem(note: Scan, stem: string): Match[] {
  const { text } = note;
  const found: Match[] = [];
  for (let at = text.indexOf(stem); at >= 0 && note.left > 0; at = text.indexOf(stem, at + 1)) {
    note.left -= stem.length;
    if (!isWordEdge(text, at)) continue;
    const last = at + stem.length + maxEnding;
    let end = at + stem.length;
    while (end <= last && isWordCharacterAt(text, end)) end++;
    if (end <= last) found.push({ start: at, end });
  }
  return found;
}

/** Nearly every word begins with something one edit away from four letters: it ends with them, too. */
const isPlausibleEnd = (text: string, end: number, typed: string) => typed.length > 4 || isWordEdge(text, end);

/** The edits, as the characters each skips in the typed word and in the text. */
const edits = [
  { typed: 1, text: 0 },
  { typed: 1, text: 1 },
  { typed: 0, text: 1 },
  { typed: 2, text: 2 },
] as const;

/** Where `typed` with one edit ends in `text` if it begins at `start`; prefers an end of a word. */
function findMistypedEnd(text: string, start: number, typed: string): number | undefined {
  let same = 0;
  while (same < typed.length && text[start + same] === typed[same]) same++;
  const at = start + same;
  if (same === typed.length) return at;
  const isSwapped = text[at] === typed[same + 1] && text[at + 1] === typed[same];
  let end: number | undefined;
  for (const skipped of edits) {
    const rest = same + skipped.typed;
    if (skipped.typed === 2 && !isSwapped) continue;
    if (!text.startsWith(typed.slice(rest), at + skipped.text)) continue;
    end = at + skipped.text + typed.length - rest;
    if (isWordEdge(text, end)) return end;
  }
  return end;
}

/** Whether `at` is not inside a word. */
function isWordEdge(text: string, at: number): boolean {
  return !(isWordCharacterAt(text, at - 1) && isWordCharacterAt(text, at));
}

/** Whether a match can begin at `at`: not at whitespace and not before the text. */
const canMatchBegin = (text: string, at: number) => text.charCodeAt(at) > 0x20 && isWordEdge(text, at);

const wordCharacter = /[\p{L}\p{M}\p{N}]/u;

function isWordCharacterAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
  return wordCharacter.test(text.charAt(at));
}
