export const maxLevels = 64;

/** Limit of strings, commas and opening brackets in the JSON of a note, unknown fields included. */
export const maxPartsOfNote = 10_000;

/** Shorter JSON is harmless, whatever it contains. */
const harmlessLength = 4 * 1024;

/**
 * Finds what makes JSON too costly to parse: nesting beyond `levelsAllowed`, or more than `maxParts` strings, commas
 * and opening brackets. Ignores short JSON.
 */
export function excessIn(json: string, maxParts: number, levelsAllowed = maxLevels): 'levels' | 'parts' | undefined {
  if (json.length <= harmlessLength) return undefined;
  let levels = 0;
  let parts = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      at = endOfString(json, at);
      if (at < 0) return undefined; // malformed: left to the parser
      parts++;
    } else if (code === openBracket || code === openBrace) {
      if (++levels > levelsAllowed) return 'levels';
      parts++;
    } else if (code === closeBracket || code === closeBrace) levels--;
    else if (code === comma) parts++;
    if (parts > maxParts) return 'parts';
  }
  return undefined;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The closing quote of the string that begins at `start`; -1 if there is none. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}
