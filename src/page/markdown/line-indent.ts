/** The indentation of a line of code: a line that is wrapped goes on there, so that its nesting is still seen. */

/** In characters, as in the style sheet and in the editor. */
const tabWidth = 4;

export interface LineIndent {
  /** How many characters wide the indentation is. */
  readonly width: number;
  /** Where the text begins in the line. */
  readonly textStart: number;
  /**
   * Where the first word ends if it is long, else where it begins. Browsers would rather leave the first line empty
   * than break a word that is wider than a line: it must be breakable anywhere.
   */
  readonly longWordEnd: number;
}

/** Words with fewer characters fit into a line at the usual indentations. Of very long ones, the beginning is enough. */
const indentPattern = /^([ \t]+)(\S{16,2000})?/;

/**
 * Finds the indentation of a line; undefined if it has none, or nothing else.
 *
 * Example: `\t  return 1` has a width of 6, and its text starts at 3, as does `longWordEnd`, since "return" is short.
 */
export function findLineIndent(line: string): LineIndent | undefined {
  const [, blanks = '', longWord = ''] = indentPattern.exec(line) ?? [];
  if (blanks.length === 0 || blanks.length === line.length) return undefined;
  let width = 0;
  for (const character of blanks) width += character === '\t' ? tabWidth - (width % tabWidth) : 1;
  return { width, textStart: blanks.length, longWordEnd: blanks.length + longWord.length };
}
