/**
 * `{{name}}` in a note stands for a value that is asked for when the note is used. A name is made of letters, digits,
 * `_`, `-` and spaces inside: what template languages write, as `{{.Names}}` or `${{ github.sha }}`, is left alone.
 */
const placeholder = /(?<!\$)\{\{ *([\p{L}\p{N}_](?:[\p{L}\p{N}_ -]*[\p{L}\p{N}_])?) *\}\}/gu;

/** The names of the placeholders in a text, each once, in the order in which they come. */
export const placeholdersIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(placeholder)].map((match) => match[1] ?? '')),
];

/** The text with values in the place of names; a name without a value stays as it is. */
export const fillPlaceholders = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(placeholder, (whole, name: string) => values.get(name) ?? whole);
