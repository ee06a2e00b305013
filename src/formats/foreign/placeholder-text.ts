/** Writes the blanks of other programs as placeholders. */
import { findPlaceholders } from '../../core/placeholders.ts';

/** A blank in a text of another program. */
export interface Blank {
  readonly name: string;
  /** The values it allows, the default first; one alone is a default. Empty: any value, and no default. */
  readonly choices: readonly string[];
}

/**
 * Writes a placeholder with its choices, the default first, or with a default alone; undefined if the syntax of
 * placeholders cannot hold the name or a value.
 */
export function tryFormatPlaceholder({ name, choices }: Blank): string | undefined {
  const rule = choices.length === 0 ? '' : `=${choices.map((choice) => choice.replaceAll('|', '\\|')).join('|')}`;
  const text = `{{${name}${rule}}}`;
  const [read, other] = findPlaceholders(text);
  const values = read?.choices ?? (read?.default === undefined ? [] : [read.default]);
  const isSame = values.length === choices.length && values.every((value, at) => value === choices[at]);
  return isSame && read?.name === name && other === undefined ? text : undefined;
}

/**
 * Replaces what matches a global `pattern`: a blank by a placeholder, a text by itself. Of blanks with one name only
 * the first one shows its choices. A match stays as written for `undefined`, and for a blank that no placeholder can
 * hold.
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

/** A name for a placeholder: of other characters than letters, digits, `_` and `-`, spaces are left. */
export const toPlaceholderName = (name: string): string =>
  name
    .split(/[^\p{L}\p{N}_-]+/u)
    .map((word) => word.replace(/^-+|-+$/g, ''))
    .filter((word) => word !== '')
    .join(' ');
