import { backslash, closeBrace, closeBracket, comma, openBrace, openBracket, quote } from './json-bytes.ts';

const maxLevels = 64;

/** Limit of strings, commas and opening brackets in the JSON of a note, unknown fields included. */
export const maxJsonPartsPerNote = 10_000;

/** Shorter JSON is harmless, whatever it contains. */
const harmlessLength = 4 * 1024;

/**
 * Returns why JSON is too costly to parse: nesting beyond `levelsAllowed`, or more than `maxParts` strings, commas
 * and opening brackets. Returns undefined for JSON that may be parsed: for short JSON, and for malformed JSON, which
 * the parser rejects. Example: `{"a":[1,2]}` has two levels and four parts: `{`, `"a"`, `[` and `,`.
 */
export function findJsonComplexityProblem(
  json: string,
  maxParts: number,
  levelsAllowed = maxLevels,
): string | undefined {
  if (json.length <= harmlessLength) return undefined;
  let levels = 0;
  let parts = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    switch (code) {
      case quote:
        at = findClosingQuote(json, at);
        parts++;
        break;
      case openBracket:
      case openBrace:
        levels++;
        parts++;
        break;
      case closeBracket:
      case closeBrace:
        levels--;
        break;
      case comma:
        parts++;
        break;
    }
    if (at < 0) return undefined; // malformed: left to the parser
    if (levels > levelsAllowed) return formatTooManyLevels(levelsAllowed);
    if (parts > maxParts) return formatTooManyParts(maxParts);
  }
  return undefined;
}

const formatTooManyLevels = (max: number) => `JSON must not be nested deeper than ${max} levels`;
const formatTooManyParts = (max: number) => `JSON must not hold more than ${max} texts, commas and opening brackets`;

/** The closing quote of the string that begins at `start`; -1 if there is none. */
function findClosingQuote(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}
