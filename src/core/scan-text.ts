/** A folded text that is looked through, and how many more of its characters may be compared with words. */
export interface Scan {
  readonly text: string;
  remainingCharacters: number;
}

/** Half of its length: the words that people type, and similar ones, fill less of a text. */
export const createScan = (text: string): Scan => ({ text, remainingCharacters: 128 + (text.length >> 1) });

/** Whether `at` is not inside a word. */
export function isWordEdge(text: string, at: number): boolean {
  return !(isFoldedWordCharacterAt(text, at - 1) && isFoldedWordCharacterAt(text, at));
}

const wordCharacter = /[\p{L}\p{M}\p{N}]/u;

/** Whether a letter, a mark or a digit of folded text is at `at`. */
export function isFoldedWordCharacterAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
  return wordCharacter.test(text.charAt(at));
}
