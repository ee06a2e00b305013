export const mostLevels = 64;

/** Fewer characters do no harm, however deep they nest. */
const harmlessLength = 4 * 1024;

/** Whether JSON that somebody else wrote nests deeper than `mostLevels`, seen before it is parsed. Short text is not looked at. */
export function isTooDeep(json: string): boolean {
  if (json.length <= harmlessLength) return false;
  let levels = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      at = endOfString(json, at);
      if (at < 0) return false; // it is no JSON
    } else if (code === openBracket || code === openBrace) {
      if (++levels > mostLevels) return true;
    } else if (code === closeBracket || code === closeBrace) levels--;
  }
  return false;
}

const [quote, backslash] = [0x22, 0x5c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Where the string that begins at `start` ends: at the next quote that no backslash escapes; -1 where none is. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}
