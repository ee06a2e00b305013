/** Text folded for search: without case, width and ligatures, and without the marks of Latin, Greek and Cyrillic. */

/** A range of a text, in UTF-16 units. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

const beyondAscii = /[\u0080-\uffff]/;

/**
 * The marks of Latin, Greek and Cyrillic, and variation selectors; not U+0338, which makes ≠ of =. Other scripts have
 * marks in blocks of their own, such as vowel signs, and these tell words apart. й becomes и as ё becomes е, like in
 * Lucene's ICUFoldingFilter (PostgreSQL's unaccent keeps й), since words as typed rank first anyway.
 */
const droppedMarks = /[\u0300-\u0337\u0339-\u036f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]+/gu;

/** Letters that people type without their stroke or ligature, although Unicode does not decompose them. */
const plain: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i', ς: 'σ' };
const hasPlain = new RegExp(`[${Object.keys(plain).join('')}]`, 'g');

/** Kana are composed again, as a voiced one is another letter; not Hangul, as the first jamo begins a syllable. */
const kanaAndHan = /[\u3046-\u9fff]+/g;

export const isAscii = (text: string): boolean => !beyondAscii.test(text);

/** Folds each code point together with its marks, independent of its neighbours, so that offsets can be mapped back. */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(droppedMarks, '')
    .toLowerCase()
    .replace(hasPlain, (letter) => plain[letter] ?? letter)
    .replace(kanaAndHan, (run) => run.normalize('NFC'));
}

/** Folds only the case: `Café` becomes `café`, which `fold` makes `cafe`. */
export const foldCaseOnly = (text: string): string => text.normalize('NFC').toLowerCase();

/** Sorts matches and drops overlaps: the earlier one wins, then the longer one. */
export function sortAndDropOverlaps(found: Match[]): Match[] {
  let end = 0;
  const kept: Match[] = [];
  for (const match of found.sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (match.start < end) continue;
    kept.push(match);
    end = match.end;
  }
  return kept;
}

/**
 * Maps ascending matches in the folded text to `text`; widens them to whole code points with their marks.
 *
 * Example: `Straße Café` folds to `strasse cafe`, in which `cafe` is at 8 to 12. As `ß` became two letters, the match in
 * the text is at 7 to 11.
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

/** Half-width sound marks of kana are marks once folded. */
const codePoint = /.[\p{M}\uff9e\uff9f]*/suy;

/** The end of the code point at `at` and its marks. */
function findCharacterEnd(text: string, at: number): number {
  if (text.charCodeAt(at + 1) < 0x300) return at + 1;
  codePoint.lastIndex = at;
  return at + (codePoint.exec(text)?.[0].length ?? 1);
}
