import { tryParseJson } from '../core/json/json.ts';
import { getEndingOrEmpty } from './file-names.ts';

const maxShownKeys = 6;
const maxKeyLength = 40;

/** The first characters of files that are no text tell what the files are. A byte over 127 is decoded as U+FFFD. */
const signatures: readonly (readonly [start: RegExp, description: string])[] = [
  [/^SQLite format 3\0/, 'an SQLite database'],
  [/^\ufffdPNG|^GIF8|^\ufffd{3}.{0,8}(JFIF|Exif)|^RIFF.{4}WEBP/s, 'a picture'],
  [/^%PDF-/, 'a PDF document'],
  [/^bplist0/, 'a binary property list'],
  [/^PK\p{Cc}{2}/u, 'a .zip archive or an office document'],
  [/^\{\\rtf/, 'a document in rich text'],
  [/^\ufeff?\s*(<!--[\s\S]*?-->\s*)?<(!doctype\s+html|html|head|body)\b/i, 'an HTML page'],
  [/^\ufeff?\s*(<\?xml[^>]*>\s*)?(<!doctype\s+plist[^>]*>\s*)?<plist\b/i, 'a property list'],
];

/** Says what a file seems to be, by its name and its first 64 KiB: "a JSON object with the keys a, b". */
export function describeFile(name: string, head: string): string {
  if (head.trim() === '') return 'an empty file';
  const signature = signatures.find(([start]) => start.test(head));
  if (signature !== undefined) return signature[1];
  if (head.includes('\0')) return 'a binary file';
  return tryDescribeXml(head) ?? tryDescribeJson(head) ?? describeTextByEnding(name, head);
}

function tryDescribeXml(head: string): string | undefined {
  const root = /^\ufeff?\s*(?:<(?:\?xml[^>]*|!doctype[^>]*|!--[\s\S]*?--)>\s*)*<([A-Za-z][\w:.-]*)/i.exec(head)?.[1];
  return root && `an XML document with the root <${root}>`;
}

/**
 * Describes JSON by its beginning: the opening brackets tell an object from a list, and the keys are those of the first
 * object.
 */
function tryDescribeJson(head: string): string | undefined {
  const start = /^\ufeff?\s*(\[\s*)?(?=[{[\]"\d-])/.exec(head);
  if (start === null) return undefined;
  const isList = start[1] !== undefined;
  const rest = head.slice(start[0].length);
  if (!rest.startsWith('{')) return isList ? 'a JSON array' : undefined;
  const keys = listKeysOfObjectAtStart(rest);
  if (keys.length === 0 && !/^\{\s*\}/.test(rest)) return undefined;
  return formatNounWithOrWithoutKeys(isList ? 'a JSON array of objects' : 'a JSON object', keys);
}

/**
 * Lists the keys of the object with which a text begins. The text may be cut off.
 *
 * Example: of `{"a":{"b":1},"c":"x` the keys are a and c.
 */
function listKeysOfObjectAtStart(text: string): readonly string[] {
  const keys = new Set<string>();
  let depth = 0;
  for (const { 0: token, 1: key = '', 2: colon } of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (depth === 1 && colon !== undefined) keys.add(String(tryParseJson(key)));
    if (depth === 0) break;
  }
  return [...keys];
}

function describeTextByEnding(name: string, head: string): string {
  const ending = getEndingOrEmpty(name);
  if (ending === '.csv' || ending === '.tsv') return 'a table';
  if (ending === '.yml' || ending === '.yaml')
    return formatNounWithOrWithoutKeys('a YAML file', listDistinctCaptures(head, /^([\w.-]+)\s*:/gm));
  if (ending === '.toml')
    return formatNounWithOrWithoutKeys('a TOML file', listDistinctCaptures(head, /^\[*\s*([\w.-]+)\s*(?:\]|=)/gm));
  return ending === '' ? 'a text without an ending' : `a text that ends with ${ending}`;
}

const listDistinctCaptures = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set(Array.from(text.matchAll(pattern), ([, key = '']) => key)),
];

function formatNounWithOrWithoutKeys(noun: string, keys: readonly string[]): string {
  if (keys.length === 0) return `${noun} without keys`;
  const shown = keys.slice(0, maxShownKeys).map((key) => key.slice(0, maxKeyLength));
  const more = keys.length > maxShownKeys ? ` and ${keys.length - maxShownKeys} more` : '';
  return `${noun} with the ${keys.length === 1 ? 'key' : 'keys'} ${shown.join(', ')}${more}`;
}
