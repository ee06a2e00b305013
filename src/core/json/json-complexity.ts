const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

const maxLevels = 64;

/** Limit of strings, commas and opening brackets in the JSON of a note, unknown fields included. */
export const maxJsonPartsPerNote = 10_000;

/** Shorter JSON is harmless, whatever it contains. */
const harmlessLength = 4 * 1024;

/**
 * Returns why JSON is too costly to parse: nesting beyond `levelsAllowed`, or more than `maxParts` strings, commas
 * and opening brackets. Returns undefined for JSON that may be parsed: for short JSON, and for malformed JSON, which the
 * parser rejects. Example: `{"a":[1,2]}` has two levels and four parts: `{`, `"a"`, `[` and `,`.
 */
export function validateJsonComplexity(json: string, maxParts: number, levelsAllowed = maxLevels): string | undefined {
  if (json.length <= harmlessLength) return undefined;
  let levels = 0;
  let parts = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      at = findStringEnd(json, at);
      if (at < 0) return undefined; // malformed: left to the parser
      parts++;
    } else if (code === openBracket || code === openBrace) {
      if (++levels > levelsAllowed) return nestedTooDeep(levelsAllowed);
      parts++;
    } else if (code === closeBracket || code === closeBrace) levels--;
    else if (code === comma) parts++;
    if (parts > maxParts) return formatTooManyParts(maxParts);
  }
  return undefined;
}

const nestedTooDeep = (max: number) => `JSON must not be nested deeper than ${max} levels`;
const formatTooManyParts = (max: number) => `JSON must not hold more than ${max} texts, commas and opening brackets`;

/** The closing quote of the string that begins at `start`; -1 if there is none. */
function findStringEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}
