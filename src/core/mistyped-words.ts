/**
 * Finds words with a typing error or another ending.
 *
 * Example: somebody typed `mneu`. Its parts are `mn`, `eu`, and `menu`, which is the word with its two middle
 * characters swapped. A text that is one edit away from `mneu` contains one of these parts, so only their places are
 * compared.
 */
import type { Match } from './folding.ts';
import { isFoldedWordCharacterAt, isWordEdge, type Scan } from './scan-text.ts';

/** A typed word and its parts. A text one edit away contains a part; `offsets` are its distances from the start. */
export interface MistypedWord {
  readonly typed: string;
  /** What it begins with before an ending, as in `listen|ing`; undefined if that is short. */
  readonly stem: string | undefined;
  readonly parts: readonly { readonly part: string; readonly offsets: readonly number[] }[];
}

/** One edit leaves one half intact, or swaps the two middle characters. */
export function createMistypedWord(typed: string): MistypedWord {
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

/**
 * Finds words one edit away, unordered: a character added, removed or replaced, or two neighbours swapped; and words
 * that differ in their ending.
 */
export function findMistypedWordsAndSpendBudget(note: Scan, { typed, stem, parts }: MistypedWord): Match[] {
  const { text } = note;
  const found: Match[] = stem === undefined ? [] : findWordsWithStemAndSpendBudget(note, stem);
  for (const { part, offsets } of parts) {
    for (let at = text.indexOf(part); at >= 0 && note.remainingCharacters > 0; at = text.indexOf(part, at + 1)) {
      note.remainingCharacters -= typed.length;
      for (const offset of offsets) {
        const word = findMistypedWordAt(text, at - offset, typed);
        if (word !== undefined) found.push(word);
      }
    }
  }
  return found;
}

function findMistypedWordAt(text: string, start: number, typed: string): Match | undefined {
  const end = canMatchBegin(text, start) ? findMistypedEnd(text, start, typed) : undefined;
  return end !== undefined && isPlausibleEnd(text, end, typed) ? { start, end } : undefined;
}

/** The longest ending: `ing`. */
const maxEnding = 3;

/** Finds the words that consist of `stem` and an ending. */
function findWordsWithStemAndSpendBudget(note: Scan, stem: string): Match[] {
  const { text } = note;
  const found: Match[] = [];
  for (let at = text.indexOf(stem); at >= 0 && note.remainingCharacters > 0; at = text.indexOf(stem, at + 1)) {
    note.remainingCharacters -= stem.length;
    if (!isWordEdge(text, at)) continue;
    const last = at + stem.length + maxEnding;
    let end = at + stem.length;
    while (end <= last && isFoldedWordCharacterAt(text, end)) end++;
    if (end <= last) found.push({ start: at, end });
  }
  return found;
}

/** Nearly every word begins with something one edit away from four letters: it ends with them, too. */
const isPlausibleEnd = (text: string, end: number, typed: string) => typed.length > 4 || isWordEdge(text, end);

/** The edits, as the characters each skips in the typed word and in the text. */
const editSteps = [
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
  for (const skipped of editSteps) {
    const rest = same + skipped.typed;
    if (skipped.typed === 2 && !isSwapped) continue;
    if (!text.startsWith(typed.slice(rest), at + skipped.text)) continue;
    end = at + skipped.text + typed.length - rest;
    if (isWordEdge(text, end)) return end;
  }
  return end;
}

/** Whether a match can begin at `at`: not at whitespace and not before the text. */
const canMatchBegin = (text: string, at: number) => text.charCodeAt(at) > 0x20 && isWordEdge(text, at);
