/**
 * `{{name}}` in a note stands for a value that is asked for when the note is used; `{{name=Ann}}` has a default,
 * `{{name=Ann|Bob}}` takes one of its choices, the first unless told. A name is made of letters, digits, `_`, `-` and
 * spaces inside: what template languages write, as `{{.Names}}`, `{{#if x}}`, `{{a == b}}` or `${{ github.sha }}`, is
 * left alone.
 */
const pattern = /(?<!\$)\{\{ *([\p{L}\p{N}_](?:[\p{L}\p{N}_ -]*[\p{L}\p{N}_])?) *(?:=(?![=>~])([^{}\r\n]*))?\}\}/gu;

/** A name that a value is asked for, once, however often it stands in a text. */
export interface Placeholder {
  readonly name: string;
  /** What an empty value stands for. */
  readonly default?: string;
  /** The values that it takes, where not all are taken: two at least. */
  readonly choices?: readonly string[];
}

/** A piece of a text: a placeholder as it is written, or what is between two. */
export interface Piece {
  readonly text: string;
  /** The name of the placeholder. */
  readonly name?: string;
}

/** Values by names; what it has none for is a blank. */
export type Values = Pick<ReadonlyMap<string, string>, 'get'>;

/** The placeholders of a text in the order in which they come. Of several with one name, the first with a `=` counts. */
export function placeholdersIn(text: string): readonly Placeholder[] {
  const found = new Map<string, Placeholder>();
  for (const [, name = '', rule] of text.matchAll(pattern)) {
    if (found.get(name)?.default === undefined) found.set(name, { name, ...ruleOf(rule) });
  }
  return [...found.values()];
}

function ruleOf(rule: string | undefined): Omit<Placeholder, 'name'> {
  if (rule === undefined) return {};
  const choices = [...new Set(rule.split('|').map((choice) => choice.trim()))];
  return { default: choices[0] ?? '', ...(choices.length > 1 && { choices }) };
}

/** What a given value stands for: the default where it is empty or missing, undefined where that leaves a blank. */
export const valueFor = (placeholder: Placeholder, given: string | undefined): string | undefined =>
  given || placeholder.default;

/** The text with values in the place of names; a name without a value stays as it is. */
export const fillPlaceholders = (text: string, values: Values): string =>
  text.replaceAll(pattern, (whole, name: string) => values.get(name) ?? whole);

/** The pieces of a text, which make it up when joined. */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: whole, 1: name = '', index } of text.matchAll(pattern)) {
    if (index > end) pieces.push({ text: text.slice(end, index) });
    pieces.push({ text: whole, name });
    end = index + whole.length;
  }
  return end < text.length ? [...pieces, { text: text.slice(end) }] : pieces;
}
