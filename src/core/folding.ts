/**
 * Text folded for search: without case, width and ligatures, without what is invisible, and without the marks that
 * people leave out when they type.
 */

/** A range of a text, in UTF-16 units. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

const beyondAscii = /[\u0080-\uffff]/;
const runsBeyondAscii = /[\u0080-\uffff]+/g;

/**
 * What a reader does not see, such as soft hyphens and variation selectors. It is removed before the text is
 * decomposed, as marks beside it change their order.
 */
const ignorablePattern = /\p{DI}+/gu;

/**
 * The marks of Latin, Greek and Cyrillic, but not U+0338, which makes ≠ of =; the points and accents of Hebrew; the
 * vowel signs and the elongation of Arabic, but not the hamza and madda of its letters. Hardly anybody types those of
 * the last two. Other scripts have marks that tell words apart, such as vowel signs. й becomes и as ё becomes е, like
 * in Lucene's ICUFoldingFilter (PostgreSQL's unaccent keeps й), since words as typed rank first anyway.
 */
const droppedMarks = /[[[\p{Mn}\u0640]&&[\u0300-\u036f\u0591-\u05c7\u0610-\u0652\u0656-\u06ed]]--\u0338]+/gv;

/** Letters that people type without their stroke or ligature, although Unicode does not decompose them. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  ς: 'σ',
};
const plainLettersPattern = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');

/** Kana are composed again, as a voiced one is another letter; not Hangul, as the first jamo begins a syllable. */
const kanaAndHan = /[\u3046-\u9fff]+/g;

export const isAscii = (text: string): boolean => !beyondAscii.test(text);

/** Folds each code point together with its marks, independent of its neighbours, so that offsets can be mapped back. */
export const fold = (text: string): string => text.replace(runsBeyondAscii, foldRun).toLowerCase();

/** Short runs and what they fold to. Most are a letter or a dash, and come again in every other note. */
const foldedRuns = new Map<string, string>();
const maxFoldedRuns = 1_000;
const maxRunLength = 8;

function foldRun(run: string): string {
  const folded = foldedRuns.get(run) ?? foldBeyondAscii(run);
  if (run.length < maxRunLength && foldedRuns.size < maxFoldedRuns) foldedRuns.set(run, folded);
  return folded;
}

const foldBeyondAscii = (text: string): string =>
  text
    .replace(ignorablePattern, '')
    .normalize('NFKD')
    .replace(droppedMarks, '')
    .toLowerCase()
    .replace(plainLettersPattern, (letter) => plainLetters[letter] ?? letter)
    .replace(/[‘-‛]/g, "'")
    .replace(/[“-‟]/g, '"')
    .replace(kanaAndHan, (run) => run.normalize('NFC'));

/** Folds only the case: `Café` becomes `café`, which `fold` makes `cafe`. */
export const toLowerCaseNfc = (text: string): string => text.normalize('NFC').toLowerCase();

/** Sorts matches and drops overlaps: the earlier one wins, then the longer one. */
export function sortAndDropOverlaps(found: readonly Match[]): Match[] {
  let end = 0;
  const kept: Match[] = [];
  for (const match of [...found].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (match.start < end) continue;
    kept.push(match);
    end = match.end;
  }
  return kept;
}

/**
 * Maps ascending matches in the folded text to `text`; widens them to whole code points with their marks.
 *
 * Example: `Straße Café` folds to `strasse cafe`, in which `cafe` is at 8 to 12. As `ß` became two letters, the match
 * in the text is at 7 to 11.
 */
export function unfoldMatches(text: string, found: readonly Match[]): readonly Match[] {
  if (isAscii(text)) return found;
  let [start, end, foldedEnd] = [0, 0, 0];
  /** Moves to the code point whose folded form covers `target`. */
  const advanceTo = (target: number) => {
    while (foldedEnd <= target && end < text.length) {
      start = end;
      end = findCharacterEnd(text, start);
      foldedEnd += text.charCodeAt(start) < 0x80 && end === start + 1 ? 1 : fold(text.slice(start, end)).length;
    }
  };
  const ranges = found.map((match) => {
    advanceTo(match.start);
    const from = start;
    advanceTo(match.end - 1);
    return { start: from, end };
  });
  return sortAndDropOverlaps(ranges);
}

/** Half-width sound marks of kana are marks once folded; what is not seen may stand before marks. */
const codePoint = /.[\p{M}\p{DI}\uff9e\uff9f\u0640]*/suy;

/** The end of the code point at `at` and its marks. */
function findCharacterEnd(text: string, at: number): number {
  const next = text.charCodeAt(at + 1);
  if (next < 0x300 && next !== 0xad) return at + 1;
  codePoint.lastIndex = at;
  return at + (codePoint.exec(text)?.[0].length ?? 1);
}
