/** These functions write the blanks of other programs as placeholders. */
import { listDistinctPlaceholders } from '../../../core/placeholders.ts';

/** A blank in a text of another program. */
export interface Blank {
  readonly name: string;
  /**
   * The values that the blank allows, the default first. One alone is a default. An empty list allows any value,
   * without a default.
   */
  readonly choices: readonly string[];
}

/**
 * Writes a placeholder with its choices, the default first, or with a default alone; undefined if the syntax of
 * placeholders cannot hold the name or a value.
 */
export function tryFormatPlaceholder({ name, choices }: Blank): string | undefined {
  const rule = choices.length === 0 ? '' : `=${choices.map((choice) => choice.replaceAll('|', '\\|')).join('|')}`;
  const text = `{{${name}${rule}}}`;
  const [read, other] = listDistinctPlaceholders(text);
  const values = read?.choices ?? (read?.default === undefined ? [] : [read.default]);
  const isSame = values.length === choices.length && values.every((value, at) => value === choices[at]);
  return isSame && read?.name === name && other === undefined ? text : undefined;
}

/**
 * Replaces what matches a global `pattern`: a blank by a placeholder, a text by itself. Of blanks with one name only
 * the first one shows its choices. A match stays as written for `undefined`, and for a blank that no placeholder can
 * hold.
 *
 * Example: the pattern finds `<a>` and `<b>` in "go <a>, <b>, <a>". If `toBlank` returns the blank `a` with the choices
 * 1 and 2 for the first, and the text "x" for the second, the result is "go {{a=1|2}}, x, {{a}}".
 */
export function replaceBlanksByPlaceholders(
  text: string,
  pattern: RegExp,
  toBlank: (match: RegExpExecArray) => Blank | string | undefined,
): string {
  const shown = new Set<string>();
  let [written, end] = ['', 0];
  for (const match of text.matchAll(pattern)) {
    written += text.slice(end, match.index);
    end = match.index + match[0].length;
    const blank = toBlank(match);
    if (typeof blank === 'string') {
      written += blank;
      continue;
    }
    const placeholder = blank && tryFormatPlaceholder(shown.has(blank.name) ? { ...blank, choices: [] } : blank);
    if (blank === undefined || placeholder === undefined) written += match[0];
    else {
      written += placeholder;
      shown.add(blank.name);
    }
  }
  return written + text.slice(end);
}

/**
 * Converts a name to one that a placeholder can have: other characters than letters, digits, `_` and `-` become spaces.
 *
 * Example: "dir e.g. /mnt" becomes "dir e g mnt".
 */
export const toPlaceholderNameOrEmpty = (name: string): string =>
  name
    .split(/[^\p{L}\p{N}_-]+/u)
    .map((word) => word.replace(/^-+|-+$/g, ''))
    .filter((word) => word !== '')
    .join(' ');
