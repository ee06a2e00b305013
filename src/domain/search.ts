/** The search of notes, for the page and the command line: a scan of folded texts, which takes punctuation as it is. */
import type { Note } from './note.ts';

/** What is searched. */
export type Searchable = Pick<Note, 'id' | 'title' | 'content' | 'updatedAt'>;

/** A part of a text, in UTF-16 units. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

/**
 * The notes that hold every word of `query`, the best first: the whole query in one piece above its words here and there,
 * in the title above in the content, where a word begins above inside of one. Of equally good notes the order stays.
 * If there are none, the notes that hold every word with one typing mistake at most. An empty query finds all notes.
 */
export function search<N extends Searchable>(notes: readonly N[], query: string): N[] {
  const found = searchExactly(notes, query);
  return found.length > 0 ? found : searchMistyped(notes, query);
}

/** What `search` finds if some of the notes hold every word as it was typed, else none. */
export const searchExactly = <N extends Searchable>(notes: readonly N[], query: string): N[] =>
  bestFirst(holding(notes, query), query);

/** The notes that hold every word of `query` as it was typed, in their order. */
export function holding<N extends Searchable>(notes: readonly N[], query: string): readonly N[] {
  const words = wordsOf(query).sort(byLength);
  if (words.length === 0) return notes;
  return notes.filter((note) => holdsAll(foldedOf(note), words));
}

function holdsAll(text: string, words: readonly string[]): boolean {
  for (const word of words) if (!text.includes(word)) return false;
  return true;
}

/** Ranks notes that hold every word of `query`. */
export function bestFirst<N extends Searchable>(notes: readonly N[], query: string): N[] {
  const words = wordsOf(query);
  if (words.length === 0) return [...notes];
  const phrase = words.join(' ');
  return ranked(notes, (text) => exactRank(text, words, phrase));
}

/** What `search` finds if none of the notes holds every word as it was typed. */
export function searchMistyped<N extends Searchable>(notes: readonly N[], query: string): N[] {
  const words = wordsOf(query).sort(byLength).map(mistypedWord);
  return ranked(notes, (text) => nearRank(text, words));
}

/** Folds a note before it is searched for the first time. What is folded is kept as long as the note is. */
export function prepare(note: Searchable): void {
  foldedOf(note);
}

/** Where the words of `query` stand in `text`: ascending, without overlaps, the first `limit` of them. */
export function matches(text: string, query: string, limit = 1000): readonly Match[] {
  const words = wordsOf(query).sort(byLength);
  if (words.length === 0) return [];
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  const found: Match[] = [];
  for (const { 0: match, index } of fold(text).matchAll(new RegExp(pattern, 'g'))) {
    if (found.length === limit) break;
    found.push({ start: index, end: index + match.length });
  }
  return unfolded(text, found);
}

/** What `matches` is, for a note that holds no word of `query`: where those stand that are one typing mistake away. */
export function nearMatches(text: string, query: string, limit = 1000): readonly Match[] {
  const folded = fold(text);
  const found = wordsOf(query).flatMap((word) => nearWords(folded, mistypedWord(word)));
  return unfolded(text, withoutOverlaps(found).slice(0, limit));
}

/** Whether a note holds every word of `query` as it was typed: `search` forgives typing mistakes where no note does. */
export const holdsEveryWord = ({ title, content }: Pick<Searchable, 'title' | 'content'>, query: string): boolean =>
  query
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => [title, content].some((text) => matches(text, word, 1).length > 0));

const beyondAscii = /[\u0080-\uffff]/;

/** Folds case and diacritics, each code point by itself, so that places can be found again: sigma knows no end of a word. */
function fold(text: string): string {
  if (!beyondAscii.test(text)) return text.toLowerCase();
  const bare = text.normalize('NFD').replace(/\p{M}+/gu, '');
  return bare.toLowerCase().replaceAll('ς', 'σ');
}

function wordsOf(query: string): string[] {
  return fold(query).split(/\s+/).filter(Boolean);
}

/** The longest first: it is the rarest as a rule, and of two words that begin alike it is the one to mark. */
const byLength = (a: string, b: string) => b.length - a.length;

/** What no note holds; two characters, so that no word with one mistake goes across. */
const titleEnd = '\0\0';

const foldedNotes = new WeakMap<Searchable, string>();

/** Title and content, with single blanks, so that a phrase is found across lines and in columns. */
function foldedOf(note: Searchable): string {
  let text = foldedNotes.get(note);
  if (text === undefined) {
    text = (fold(note.title) + titleEnd + fold(note.content)).replace(/\s\s+|[^\S ]/g, ' ');
    foldedNotes.set(note, text);
  }
  return text;
}

/** The notes that have a rank, the lowest first. Ranks are small: buckets spare comparing ten thousand notes. */
function ranked<N extends Searchable>(notes: readonly N[], rankOf: (text: string) => number | undefined): N[] {
  const ranks: N[][] = [];
  for (const note of notes) {
    const rank = rankOf(foldedOf(note));
    if (rank === undefined) continue;
    const equals = ranks[rank];
    if (equals) equals.push(note);
    else ranks[rank] = [note];
  }
  return ranks.flat();
}

/**
 * What makes a hit worse. A phrase is first looked for in titles; for words here and there it says more that they begin
 * there, because short ones are inside of others everywhere.
 */
const cost = { phraseInside: 1, content: 8, inside: 12, scattered: 16, mistyped: 24, unfinished: 8 };

function exactRank(text: string, words: readonly string[], phrase: string): number {
  if (words.length === 1 || text.includes(phrase)) return costOf(text, phrase, cost.phraseInside);
  return words.reduce((sum, word) => sum + costOf(text, word, cost.inside), cost.scattered);
}

/** What `word` costs where it stands best in `text`, which holds it; `inside` is added where no word begins with it. */
function costOf(text: string, word: string, inside: number): number {
  const contentStart = text.indexOf(titleEnd);
  const first = text.indexOf(word);
  const [end, place] = first < contentStart ? [contentStart, 0] : [text.length, cost.content];
  for (let at = first; at >= 0 && at < end; at = text.indexOf(word, at + 1)) if (isEdge(text, at)) return place;
  return place + inside;
}

/** A typed word, and parts of it: in a text that is one edit away from it, one of them stands, `offsets` after its start. */
interface MistypedWord {
  readonly typed: string;
  readonly parts: readonly { readonly part: string; readonly offsets: readonly number[] }[];
}

/** The edit is in one half, so the other one stands; or the two characters in the middle are swapped. */
function mistypedWord(typed: string): MistypedWord {
  if (typed.length < 4) return { typed, parts: [] };
  const middle = typed.length >> 1;
  const [left, right] = [typed.slice(0, middle), typed.slice(middle)];
  const swapped = left.slice(0, -1) + right.slice(0, 1) + left.slice(-1) + right.slice(1);
  const parts = [
    { part: left, offsets: [0] },
    { part: right, offsets: [middle - 1, middle, middle + 1] },
    { part: swapped, offsets: [0] },
  ];
  return { typed, parts };
}

function nearRank(text: string, words: readonly MistypedWord[]): number | undefined {
  let rank = 0;
  for (const word of words) {
    const wordCost = nearCost(text, word);
    if (wordCost === undefined) return undefined;
    rank += wordCost;
  }
  return rank;
}

function nearCost(text: string, word: MistypedWord): number | undefined {
  if (text.includes(word.typed)) return costOf(text, word.typed, cost.inside);
  const near = nearWords(text, word);
  if (near.length === 0) return undefined;
  const contentStart = text.indexOf(titleEnd);
  const costs = near.map(
    ({ start, end }) => (start < contentStart ? 0 : 1) + (isEdge(text, end) ? 0 : cost.unfinished),
  );
  return cost.mistyped + Math.min(...costs);
}

/** Where words begin in `text` that are one edit away, in no order: a character more, less or another, or two swapped. */
function nearWords(text: string, { typed, parts }: MistypedWord): Match[] {
  const found: Match[] = [];
  for (const { part, offsets } of parts) {
    for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
      for (const offset of offsets) {
        const start = at - offset;
        const end = canBegin(text, start) ? nearEnd(text, start, typed) : undefined;
        if (end !== undefined) found.push({ start, end });
      }
    }
  }
  return found;
}

/** The edits, as what each skips of the typed word and of the text. */
const edits = [
  { typed: 1, text: 0 },
  { typed: 1, text: 1 },
  { typed: 0, text: 1 },
  { typed: 2, text: 2 },
] as const;

/** Where `typed` ends in `text` when it begins at `start` and has one edit; if it can be, where a word ends. */
function nearEnd(text: string, start: number, typed: string): number | undefined {
  let same = 0;
  while (same < typed.length && text[start + same] === typed[same]) same++;
  const at = start + same;
  if (same === typed.length) return at;
  const isSwapped = text[at] === typed[same + 1] && text[at + 1] === typed[same];
  let end: number | undefined;
  for (const skipped of edits) {
    const rest = same + skipped.typed;
    if (skipped.typed === 2 && !isSwapped) continue;
    if (!standsAt(text, at + skipped.text, typed, rest)) continue;
    end = at + skipped.text + typed.length - rest;
    if (isEdge(text, end)) return end;
  }
  return end;
}

/** Whether `word` from `from` on stands in `text` at `at`. */
function standsAt(text: string, at: number, word: string, from: number): boolean {
  for (let i = from; i < word.length; i++) if (text[at + i - from] !== word[i]) return false;
  return true;
}

/** Whether a word begins or ends at `at`, or none is there. */
function isEdge(text: string, at: number): boolean {
  return !(isInWord(text, at - 1) && isInWord(text, at));
}

/** Not at a blank, and not before the text. */
const canBegin = (text: string, at: number) => text.charCodeAt(at) > 0x20 && isEdge(text, at);

const wordCharacter = /[\p{L}\p{N}]/u;

function isInWord(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
  return wordCharacter.test(text.charAt(at));
}

/** Ascending; of two that overlap the first, of two with one start the longer one. */
function withoutOverlaps(found: Match[]): Match[] {
  let end = 0;
  const kept: Match[] = [];
  for (const match of found.sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (match.start < end) continue;
    kept.push(match);
    end = match.end;
  }
  return kept;
}

/** Matches in the folded text as matches in `text`: a code point is in a match with all that it folds to. */
function unfolded(text: string, found: readonly Match[]): readonly Match[] {
  if (!beyondAscii.test(text)) return found;
  let at = 0;
  let foldedAt = 0;
  /** Goes to the code point of which what is at `target` in the folded text is a part. */
  const go = (target: number) => {
    while (at < text.length) {
      const next = foldedAt + foldedLength(text, at);
      if (next > target) break;
      at += lengthAt(text, at);
      foldedAt = next;
    }
    return at;
  };
  const places = found.map(({ start, end }) => {
    const place = go(start);
    const last = go(end);
    return { start: place, end: foldedAt < end ? last + lengthAt(text, last) : last };
  });
  return withoutOverlaps(places);
}

const lengthAt = (text: string, at: number) => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

const foldedLength = (text: string, at: number) =>
  text.charCodeAt(at) < 0x80 ? 1 : fold(text.slice(at, at + lengthAt(text, at))).length;
