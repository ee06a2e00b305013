/** Reads the front matter of Markdown files. What becomes no field stays in the text as it was written. */

import { CST, isMap, Lexer, type Pair, type ParsedNode, parseDocument, type YAMLMap, type YAMLParseError } from 'yaml';
import { fieldValues } from '../core/enums.ts';
import type { Fields } from '../core/json/json.ts';
import { truncateToOneLine } from '../core/text/truncate-text.ts';
import { replaceUnstorableCharacters } from './record.ts';
import { tryParseTimestamp } from './untyped-values.ts';

/** A Markdown text: a note and what is known of its fields. */
export interface ParsedMarkdown {
  /** Those that were read; an `id` only with `updatedAt`. */
  readonly own: Fields;
  readonly content: string;
  /** The part whose first heading may be the title. */
  readonly body: string;
  /** The id of a note that Joplin has exported; it stays in the text. */
  readonly joplinId?: string;
  /** What stays in the text although it looks like fields. */
  readonly remark?: string;
}

/**
 * Parses the front matter of a Markdown text. Returns a reason if it is damaged although Notes wrote it.
 *
 * Example: of "---\ntags: a\ncategory: css\n---\nText" the category is read, and the text is "---\ntags: a\n---\nText".
 */
export function parseMarkdownText(text: string): ParsedMarkdown | string {
  const parts = trySplitFrontMatter(text);
  const withoutFrontMatter = { own: {}, content: text, body: text };
  if (parts === undefined) return withoutFrontMatter;
  const { opening, frontMatter, closing, rest } = parts;
  const isOurs = ourLines.every((line) => line.test(frontMatter));
  const map = parseFrontMatterMapOrReason(frontMatter);
  if (map === undefined) return withoutFrontMatter;
  if (typeof map === 'string') {
    if (isOurs) return `The front matter cannot be read: ${map}`;
    if (blankStart.test(frontMatter)) return withoutFrontMatter;
    const remark = `Left in the text, as the front matter cannot be read: ${map}`;
    return { own: findForeignTimes(frontMatter), content: text, body: rest, remark };
  }
  const { own, unmatched, remainder } = extractOwnFields(map, frontMatter, isOurs);
  const joplinId = isOurs ? undefined : findJoplinId(map);
  return {
    own: isOurs ? own : { ...findForeignTimes(frontMatter), ...own },
    content: remainder.trim() === '' ? rest : opening + remainder + closing + rest,
    body: rest,
    ...(joplinId !== undefined && { joplinId }),
    ...(unmatched.length > 0 && { remark: `Left in the text, as no field matches it: ${unmatched.join(', ')}` }),
  };
}

/** Joplin writes the id of a note in recent versions, and the time `updated` in all versions. */
function findJoplinId(map: YAMLMap.Parsed): string | undefined {
  const id: unknown = map.get('id');
  return typeof id === 'string' && /^[\da-f]{32}$/.test(id) && map.has('updated') ? id : undefined;
}

/** The text begins with a thematic break rather than with front matter. */
const blankStart = /^[ \t]*\r?\n/;

/** Front matter with both is ours: `updatedAt` decides which of two notes with an id is newer. */
const ourLines = [/^id:[ \t]+["']?\d+["']?[ \t]*(?:#.*)?\r?$/m, /^updatedAt:/m];

/** Splits off front matter; undefined if there is none. Only line feeds end lines: titles may contain others. */
function trySplitFrontMatter(text: string) {
  const [opening] = /^---[ \t]*\r?\n/.exec(text) ?? [];
  if (opening === undefined) return undefined;
  const end = /\n(?:---|\.\.\.)[ \t]*\r?(?:\n|(?![\s\S]))/g;
  end.lastIndex = opening.length - 1;
  const found = end.exec(text);
  if (found === null) return undefined;
  const frontMatter = text.slice(opening.length, found.index + 1);
  return { opening, frontMatter, closing: found[0].slice(1), rest: text.slice(end.lastIndex) };
}

/** Parses front matter; all values are strings. Undefined if it has only comments, a reason if it is no map. */
function parseFrontMatterMapOrReason(frontMatter: string): YAMLMap.Parsed | string | undefined {
  if (isCostlyYaml(frontMatter)) return `it has more than ${maxTokens} parts, or ${maxLevels} levels`;
  const { contents, errors } = parseDocument(frontMatter, { schema: 'failsafe', stringKeys: true });
  const [error] = errors;
  if (error !== undefined) return formatYamlError(error);
  if (contents === null) return undefined;
  return isMap(contents) ? contents : 'it is no YAML map';
}

/** Of front matter. A text of any length is one token, so long titles stay readable. */
const maxTokens = 16_384;
const maxLevels = 64;

/**
 * Whether parsing YAML could need gigabytes or minutes, judged by its tokens: each level needs memory, and every key is
 * compared with all others of its map. `most` is how many tokens are fine.
 */
export function isCostlyYaml(yaml: string, most = maxTokens): boolean {
  const columns: number[] = [];
  let [tokens, column, brackets] = [0, 0, 0];
  for (const token of new Lexer().lex(yaml)) {
    const type = CST.tokenType(token);
    if (type === 'flow-map-start' || type === 'flow-seq-start') brackets++;
    else if (type === 'flow-map-end' || type === 'flow-seq-end') brackets--;
    else if (brackets === 0 && type !== 'space' && type !== 'newline' && token.length > 0)
      updateOpenLevels(columns, column);
    if (++tokens > most || columns.length + brackets > maxLevels) return true;
    const lineEnd = token.lastIndexOf('\n');
    column = lineEnd < 0 ? column + token.length : token.length - lineEnd - 1;
  }
  return false;
}

/** Updates the open block levels, each of which begins to the right of its parent. */
function updateOpenLevels(columns: number[], column: number): void {
  while ((columns.at(-1) ?? -1) >= column) columns.pop();
  columns.push(column);
}

function formatYamlError({ code, linePos }: YAMLParseError): string {
  const line = `line ${(linePos?.[0].line ?? 0) + 1}`; // the line --- precedes the front matter
  if (code === 'DUPLICATE_KEY') return `${line} has a duplicate key. Remove one of them`;
  return `${line} is not valid YAML. Put the text in quotes: title: "a: b"`;
}

/** Those of front matter that is not ours, too. */
const fieldNames = ['title', 'category', 'group', 'color', 'archived', 'createdAt', 'updatedAt'];

const ownFieldNames = ['id', 'origin'];

interface ExtractedFields {
  readonly own: Fields;
  /** Values of another program under names of our fields, which do not fit. */
  readonly unmatched: readonly string[];
  /** The front matter without the lines of the fields. */
  readonly remainder: string;
}

/** Splits our fields off front matter. All values fit if it `isOurs`: they are checked later. */
function extractOwnFields(map: YAMLMap.Parsed, frontMatter: string, isOurs: boolean): ExtractedFields {
  const own: Record<string, unknown> = {};
  const unmatched: string[] = [];
  let [remainder, end] = ['', 0];
  for (const pair of map.items) {
    const name = String(pair.key);
    if (!fieldNames.includes(name) && !(isOurs && ownFieldNames.includes(name))) continue;
    const value = isMap(pair.value) && isOurs ? pair.value.toJSON() : map.get(name);
    const fitting = isOurs ? value : tryConvertForeignValue(name, value);
    if (value !== '' && fitting === undefined)
      unmatched.push(typeof value === 'string' ? `${name} “${truncateToOneLine(value, maxShownLength)}”` : name);
    if (fitting === undefined) continue;
    if (value !== '') own[name] = fitting;
    const lines = findRemovableFieldRange(pair, frontMatter);
    if (lines === undefined) continue;
    remainder += frontMatter.slice(end, lines.start);
    end = lines.end;
  }
  return { own, unmatched, remainder: remainder + frontMatter.slice(end) };
}

/** Finds where the lines of a field begin and end. Undefined if they contain more than the field, such as a comment. */
function findRemovableFieldRange({ key, value }: Pair<ParsedNode, ParsedNode | null>, text: string) {
  const [from] = key.range;
  const [, to] = (value ?? key).range;
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const end = text[to - 1] === '\n' ? to : text.indexOf('\n', to) + 1;
  const isAlone = `${text.slice(start, from)}${text.slice(to, end)}`.trim() === '';
  return isAlone && !value?.comment && !value?.commentBefore ? { start, end } : undefined;
}

const maxShownLength = 40;
const allowedValues: Readonly<Record<string, readonly string[]>> = { ...fieldValues, archived: ['true', 'false'] };

/** Converts the value of another program into a value of our field; undefined if our field does not allow it. */
function tryConvertForeignValue(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  if (/At$/.test(name)) return tryParseUnambiguousTime(value);
  const isFine = name === 'title' ? replaceUnstorableCharacters(value) === value : allowedValues[name]?.includes(value);
  return isFine ? value : undefined;
}

/** The keys of times in other programs, the surer ones first. */
const timeKeys = {
  createdAt: ['createdAt', 'created', 'date created', 'date'],
  updatedAt: ['updatedAt', 'updated', 'date modified', 'modified'],
};

/** Reads the times of another program by lines, as its front matter may be no YAML. They stay in the text. */
function findForeignTimes(frontMatter: string): Readonly<Record<string, string>> {
  const times: Record<string, string> = {};
  for (const [name, keys] of Object.entries(timeKeys)) {
    const found = keys.map((key) =>
      tryParseUnambiguousTime(createTimePattern(key).exec(frontMatter)?.[1]?.trim() ?? ''),
    );
    const time = found.find((one) => one !== undefined);
    if (time !== undefined) times[name] = time;
  }
  return times;
}

/** Linear: what follows a run of spaces cannot begin with one, and the value is short. */
const createTimePattern = (key: string) => {
  const [name, value] = [key.replace(' ', '[ _-]'), `[^\\s"'#][^"'#\\r\\n]{0,59}`];
  return new RegExp(`^["']?${name}["']?[ \\t]*:[ \\t]+["']?(${value})["']?[ \\t]*(?:#.*)?\\r?$`, 'im');
};

/** Times like 2024-03-01 10:20, local without a zone; days, which begin at local midnight. */
const isoTime = /^([12]\d{3}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/;

/** As Obsidian's Linter writes them by default (github.com/platers/obsidian-linter, src/rules/yaml-timestamp.ts). */
const linterTime = /^[A-Z][a-z]+day, ([A-Z][a-z]+) (\d{1,2})(?:st|nd|rd|th) (\d{4}), (\d{1,2}:\d\d:\d\d [ap]m)$/;

/** Reads a time that can mean only one; not 01/03/2024. Dendron writes milliseconds since 1970. */
function tryParseUnambiguousTime(text: string): string | undefined {
  if (/^\d{13}$/.test(text)) return tryParseTimestamp(text);
  const [, month, dayOfMonth, year, clock] = linterTime.exec(text) ?? [];
  if (month !== undefined) return tryParseTimestamp(`${month} ${dayOfMonth}, ${year} ${clock}`);
  const [, day, time = '00:00', zone = ''] = isoTime.exec(text) ?? [];
  if (day === undefined || !tryParseTimestamp(`${day}T00:00Z`)?.startsWith(day)) return undefined; // the 31st of February
  return tryParseTimestamp(`${day}T${time}${zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`);
}
