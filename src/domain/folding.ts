/** Text folded for search: without case and diacritics. */

/** A range of a text, in UTF-16 units. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

const beyondAscii = /[\u0080-\uffff]/;

/** Folds case and diacritics per code point, so that offsets can be mapped back; hence final sigma becomes sigma. */
export function fold(text: string): string {
  if (!beyondAscii.test(text)) return text.toLowerCase();
  const bare = text.normalize('NFD').replace(/\p{M}+/gu, '');
  return bare.toLowerCase().replaceAll('ς', 'σ');
}

/** Sorts matches and drops overlaps: the earlier one wins, then the longer one. */
export function withoutOverlaps(found: Match[]): Match[] {
  let end = 0;
  const kept: Match[] = [];
  for (const match of found.sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (match.start < end) continue;
    kept.push(match);
    end = match.end;
  }
  return kept;
}

/** Maps matches in the folded text to `text`; widens them to whole code points. */
export function unfolded(text: string, found: readonly Match[]): readonly Match[] {
  if (!beyondAscii.test(text)) return found;
  let at = 0;
  let foldedAt = 0;
  /** Moves to the code point whose folded form covers `target`. */
  const go = (target: number) => {
    while (at < text.length) {
      const next = foldedAt + foldedLength(text, at);
      if (next > target) break;
      at += lengthAt(text, at);
      foldedAt = next;
    }
    return at;
  };
  const ranges = found.map(({ start, end }) => {
    const from = go(start);
    const last = go(end);
    return { start: from, end: foldedAt < end ? last + lengthAt(text, last) : last };
  });
  return withoutOverlaps(ranges);
}

const lengthAt = (text: string, at: number) => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

const foldedLength = (text: string, at: number) =>
  text.charCodeAt(at) < 0x80 ? 1 : fold(text.slice(at, at + lengthAt(text, at))).length;
