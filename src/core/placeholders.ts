const letter = '[\\p{L}\\p{N}_]';
const word = `${letter}(?:[\\p{L}\\p{N}_-]*${letter})?`;

/** Words of Go's templates: some of them begin an action, the others are one by themselves. */
const goWords = 'range|if|end|with|template|define|block|else|break|continue';
const goAction = `(?:end|else|break|continue) *\\}\\}|(?:${goWords}) +[^ =}]`;
/** `{{ a if b else c }}` of Jinja; no longer, to find the end of a long text soon. */
const condition = '[^{}=\\r\\n]{0,80} if [^{}=\\r\\n]{0,80} else ';

/**
 * `{{name}}` in a note is replaced by a value on use; `{{name=Ann}}` has a default, `{{name=Ann|Bob}}` takes one of
 * its choices, by default the first; `\|` is a bar in one. A name consists of up to ten words with single spaces
 * between them, such as `target language`, and a word of letters, digits, `_` and `-`. Spaces around a name do not
 * count. The syntax of template languages, such as `{{.Names}}`, `{{range x}}`, `{{end}}`, `{{#if x}}` or `{{a == b}}`,
 * does not match. After a `$` there are no spaces before the name, as `${{ secret }}` is an expression of GitHub.
 */
const pattern = new RegExp(
  `(?:(?<!\\$)\\{\\{ *|(?<=\\$)\\{\\{)(?!${goAction}|${condition})(${word}(?: ${word}){0,9}) *(?:=(?![=>~])([^{}\\r\\n]*))?\\}\\}`,
  'gu',
);

/** A default after a colon, as some other programs write it: `{{name:Ann}}` is no placeholder and stays in the text. */
const colonPattern = new RegExp(`(?<!\\$)\\{\\{ *(${word}(?: ${word}){0,9}) *:(?![:=])([^{}\\r\\n]*)\\}\\}`, 'u');

/** A name that needs a value. Appears once, however often the text repeats it. */
export interface Placeholder {
  readonly name: string;
  /** Replaces an empty value. */
  readonly default?: string;
  /** The allowed values, two or more; undefined: any. */
  readonly choices?: readonly string[];
}

/** A placeholder as written, or the text between two. */
export interface Piece {
  readonly text: string;
  /** The name of the placeholder; undefined for text. */
  readonly name?: string;
}

/** Values by name; a name without a value is left blank. */
export type Values = Pick<ReadonlyMap<string, string>, 'get'>;

/** Finds the placeholders of a text in order. Of several with one name, the first with a `=` counts. */
export function listDistinctPlaceholders(text: string): readonly Placeholder[] {
  const found = new Map<string, Placeholder>();
  for (const [, name = '', rule] of text.matchAll(pattern)) {
    if (found.get(name)?.default === undefined) found.set(name, { name, ...parseDefaultAndChoices(rule) });
  }
  return [...found.values()];
}

/** A text such as `{{name:Ann}}`, which is copied as it is, and the placeholder that its author may have meant. */
interface ColonDefault {
  readonly written: string;
  readonly meant: string;
}

/** Finds the first default that is written after a colon. */
export function findColonDefault(text: string): ColonDefault | undefined {
  const [written, name, value = ''] = colonPattern.exec(text) ?? [];
  return written === undefined ? undefined : { written, meant: `{{${name}=${value.trim()}}}` };
}

function parseDefaultAndChoices(rule: string | undefined): Omit<Placeholder, 'name'> {
  if (rule === undefined) return {};
  const choices = [...new Set(rule.split(/(?<!\\)\|/).map((choice) => choice.replaceAll('\\|', '|').trim()))];
  return { default: choices[0] ?? '', ...(choices.length > 1 && { choices }) };
}

/**
 * Adds the defaults that are known without asking: a `{{date}}` is the local day, such as 2026-01-05, unless the text
 * says otherwise.
 */
export function copyWithDateDefault(placeholders: readonly Placeholder[], now: Date): readonly Placeholder[] {
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0'));
  return placeholders.map((placeholder) =>
    placeholder.name === 'date' && placeholder.default === undefined
      ? { ...placeholder, default: day.join('-') }
      : placeholder,
  );
}

/** Returns the value, or the default if it is empty or missing; undefined: left blank. */
export const getValueOrDefault = (placeholder: Placeholder, given: string | undefined): string | undefined =>
  given || placeholder.default;

/** Replaces placeholders by their values; one without a value stays as written. */
export const fillPlaceholders = (text: string, values: Values): string =>
  text.replaceAll(pattern, (whole, name: string) => values.get(name) ?? whole);

/** Splits a text into pieces; joined, they equal the text. */
export function splitAtPlaceholders(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: whole, 1: name = '', index } of text.matchAll(pattern)) {
    if (index > end) pieces.push({ text: text.slice(end, index) });
    pieces.push({ text: whole, name });
    end = index + whole.length;
  }
  return end < text.length ? [...pieces, { text: text.slice(end) }] : pieces;
}
