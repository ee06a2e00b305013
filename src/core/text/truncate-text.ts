/** Cuts texts without splitting surrogate pairs. */

const splitsSurrogatePair = (text: string, at: number) => /^[\uDC00-\uDFFF]/.test(text.slice(at, at + 1)) && at > 0;

/** Where the character at `at` begins. */
export const findCharacterStart = (text: string, at: number): number =>
  splitsSurrogatePair(text, at) ? at - 1 : Math.min(at, text.length);

/** Cuts out about `length` characters from `start` on; `…` stands for what is cut off at either end. */
export function truncateText(text: string, length: number, start = 0): string {
  const [from, to] = [findCharacterStart(text, start), findCharacterStart(text, start + length)];
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/** Truncates a text as `truncateText` does, and joins its lines by spaces. */
export const truncateToOneLine = (text: string, length: number, start = 0): string =>
  truncateText(text, length, start).replace(/\s+/g, ' ').trim();
