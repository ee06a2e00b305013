/** This module reads the front matter of Markdown files. What becomes no field stays in the text as it was written. */

import { CST, isMap, Lexer, type Pair, type ParsedNode, parseDocument, type YAMLMap, type YAMLParseError } from 'yaml';
import { draftFields, fieldValues, flagFields } from '../core/enums.ts';
import type { Fields } from '../core/json/json.ts';
import { truncateToOneLine } from '../core/text/truncate-text.ts';
import { replaceUnstorableCharacters, tryParsePinPlace } from './record.ts';
import { tryConvertToIsoTime } from './untyped-values.ts';

/** A Markdown text that was parsed: the content of a note, and what is known of its fields. */
export interface ParsedMarkdown {
  /** The fields that were read. An `id` is read only with `updatedAt`. */
  readonly noteFields: Fields;
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
export function parseMarkdownTextOrReason(text: string): ParsedMarkdown | string {
  const parts = trySplitFrontMatter(text);
  const withoutFrontMatter = { noteFields: {}, content: text, body: text };
  if (parts === undefined) return withoutFrontMatter;
  const { opening, frontMatter, closing, rest } = parts;
  const isWrittenByNotes = identifyingLines.every((line) => line.test(frontMatter));
  const map = parseFrontMatterMapIfAnyOrReason(frontMatter);
  if (map === undefined) return withoutFrontMatter;
  if (typeof map === 'string') {
    if (isWrittenByNotes) return `The front matter cannot be read: ${map}`;
    if (blankStart.test(frontMatter)) return withoutFrontMatter;
    const remark = `Left in the text, as the front matter cannot be read: ${map}`;
    return { noteFields: parseForeignTimesIfPresent(frontMatter), content: text, body: rest, remark };
  }
  const { noteFields, unmatched, remainder } = separateNoteFieldsAndRemainder(map, frontMatter, isWrittenByNotes);
  const joplinId = isWrittenByNotes ? undefined : findJoplinId(map);
  return {
    noteFields: isWrittenByNotes ? noteFields : { ...parseForeignTimesIfPresent(frontMatter), ...noteFields },
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

/** A text whose front matter would begin with a blank line begins with a thematic break instead. */
const blankStart = /^[ \t]*\r?\n/;

/** Front matter with both lines was written by Notes: `updatedAt` decides which of two notes with an id is newer. */
const identifyingLines = [/^id:[ \t]+["']?\d+["']?[ \t]*(?:#.*)?\r?$/m, /^updatedAt:/m];

/**
 * Splits a text into front matter and the rest. Returns undefined if there is none. Only line feeds end lines, as
 * titles may contain other line breaks.
 */
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

/**
 * Parses front matter; all values are strings. Returns undefined if it has only comments, and a reason if it is no map.
 */
function parseFrontMatterMapIfAnyOrReason(frontMatter: string): YAMLMap.Parsed | string | undefined {
  if (isCostlyYaml(frontMatter)) return `it has more than ${maxTokens} parts, or ${maxLevels} levels`;
  const { contents, errors } = parseDocument(frontMatter, { schema: 'failsafe', stringKeys: true });
  const [error] = errors;
  if (error !== undefined) return formatYamlError(error);
  if (contents === null) return undefined;
  return isMap(contents) ? contents : 'it is no YAML map';
}

/** The limits of front matter. A text of any length is one token, so that long titles stay readable. */
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
      updateOpenLevelColumns(columns, column);
    if (++tokens > most || columns.length + brackets > maxLevels) return true;
    const lineEnd = token.lastIndexOf('\n');
    column = lineEnd < 0 ? column + token.length : token.length - lineEnd - 1;
  }
  return false;
}

/**
 * Updates the columns at which the open block levels begin. A level begins to the right of its parent, so that a token
 * closes the levels that do not begin to the left of it.
 *
 * Example: the columns 0, 2, 4 and a token at column 2 become 0, 2.
 */
function updateOpenLevelColumns(columns: number[], column: number): void {
  while ((columns.at(-1) ?? -1) >= column) columns.pop();
  columns.push(column);
}

function formatYamlError({ code, linePos }: YAMLParseError): string {
  const line = `line ${(linePos?.[0].line ?? 0) + 1}`; // the line --- precedes the front matter
  if (code === 'DUPLICATE_KEY') return `${line} has a duplicate key. Remove one of them`;
  return `${line} is not valid YAML. Put the text in quotes: title: "a: b"`;
}

/** These fields are read also from front matter that Notes did not write. */
const fieldNames = [...draftFields.filter((name) => name !== 'content'), ...flagFields, 'createdAt', 'updatedAt'];

const ownFieldNames = ['id', 'origin', 'pin'];

type FieldPair = Pair<ParsedNode, ParsedNode | null>;

interface SeparatedFields {
  readonly noteFields: Fields;
  /** Values of another program under names of our fields, which do not fit. */
  readonly unmatched: readonly string[];
  /** The front matter without the lines of the fields. */
  readonly remainder: string;
}

/**
 * Separates our fields from the rest of front matter. All values fit if Notes wrote it: they are checked later.
 *
 * Example: of "tags: a", "category: css" and "color: pink", `noteFields` is `{ category: 'css' }`, `unmatched` is the
 * list of "color “pink”", and `remainder` is "tags: a" and "color: pink".
 */
function separateNoteFieldsAndRemainder(
  map: YAMLMap.Parsed,
  frontMatter: string,
  isWrittenByNotes: boolean,
): SeparatedFields {
  const noteFields: Record<string, unknown> = {};
  const unmatched: string[] = [];
  let [remainder, end] = ['', 0];
  for (const pair of map.items) {
    const name = String(pair.key);
    const value = getFieldValue(map, pair, isWrittenByNotes);
    if (!isNoteField(name, value, isWrittenByNotes)) continue;
    const fitting = isWrittenByNotes ? value : tryConvertForeignValue(name, value);
    if (fitting === undefined) {
      if (value !== '') unmatched.push(describeField(name, value));
      continue;
    }
    if (value !== '') noteFields[name] = fitting;
    const lines = findRemovableLineRange(pair, frontMatter);
    if (lines === undefined) continue;
    remainder += frontMatter.slice(end, lines.start);
    end = lines.end;
  }
  return { noteFields, unmatched, remainder: remainder + frontMatter.slice(end) };
}

/**
 * In front matter that Notes wrote, the origin of a note is a map. Maps of other programs stay nodes, which fit no
 * field.
 */
const getFieldValue = (map: YAMLMap.Parsed, { key, value }: FieldPair, isWrittenByNotes: boolean): unknown =>
  isMap(value) && isWrittenByNotes ? value.toJSON() : map.get(String(key));

/** Whether front matter has one of our fields. A `pin` that is no place was added by somebody else, and is none. */
function isNoteField(name: string, value: unknown, isWrittenByNotes: boolean): boolean {
  if (!isWrittenByNotes || !ownFieldNames.includes(name)) return fieldNames.includes(name);
  return name !== 'pin' || tryParsePinPlace(value) !== undefined;
}

/** Says which field did not fit: "category “recipes”", or the name alone if the value is no text. */
const describeField = (name: string, value: unknown): string =>
  typeof value === 'string' ? `${name} “${truncateToOneLine(value, maxShownLength)}”` : name;

/** Finds where the lines of a field begin and end. Undefined if they contain more than the field, such as a comment. */
function findRemovableLineRange({ key, value }: FieldPair, text: string) {
  const [from] = key.range;
  const [, to] = (value ?? key).range;
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const end = text[to - 1] === '\n' ? to : text.indexOf('\n', to) + 1;
  const isAlone = `${text.slice(start, from)}${text.slice(to, end)}`.trim() === '';
  return isAlone && !value?.comment && !value?.commentBefore ? { start, end } : undefined;
}

const maxShownLength = 40;
const allowedValues: Readonly<Record<string, readonly string[]>> = {
  ...fieldValues,
  ...Object.fromEntries(flagFields.map((name) => [name, ['true', 'false']])),
};

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
function parseForeignTimesIfPresent(frontMatter: string): Readonly<Record<string, string>> {
  const times: Record<string, string> = {};
  for (const [name, keys] of Object.entries(timeKeys)) {
    const found = keys.map((key) =>
      tryParseUnambiguousTime(createTimeFieldPattern(key).exec(frontMatter)?.[1]?.trim() ?? ''),
    );
    const time = found.find((one) => one !== undefined);
    if (time !== undefined) times[name] = time;
  }
  return times;
}

/**
 * Creates a pattern that needs linear time: what follows a run of spaces cannot begin with one, and the value is short.
 */
const createTimeFieldPattern = (key: string) => {
  const [name, value] = [key.replace(' ', '[ _-]'), `[^\\s"'#][^"'#\\r\\n]{0,59}`];
  return new RegExp(`^["']?${name}["']?[ \\t]*:[ \\t]+["']?(${value})["']?[ \\t]*(?:#.*)?\\r?$`, 'im');
};

/** Matches times such as 2024-03-01 10:20, which are local without a zone, and days, which begin at local midnight. */
const isoTime = /^([12]\d{3}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/;

/** Matches times as Obsidian's Linter writes them (github.com/platers/obsidian-linter, src/rules/yaml-timestamp.ts). */
const linterTime = /^[A-Z][a-z]+day, ([A-Z][a-z]+) (\d{1,2})(?:st|nd|rd|th) (\d{4}), (\d{1,2}:\d\d:\d\d [ap]m)$/;

/**
 * Parses a time that has one meaning only. Returns undefined for 01/03/2024. Dendron writes milliseconds since 1970.
 */
function tryParseUnambiguousTime(text: string): string | undefined {
  if (/^\d{13}$/.test(text)) return tryConvertToIsoTime(text);
  const [, month, dayOfMonth, year, clock] = linterTime.exec(text) ?? [];
  if (month !== undefined) return tryConvertToIsoTime(`${month} ${dayOfMonth}, ${year} ${clock}`);
  const [, day, time = '00:00', zone = ''] = isoTime.exec(text) ?? [];
  if (day === undefined || !tryConvertToIsoTime(`${day}T00:00Z`)?.startsWith(day)) return undefined; // the 31st of February
  return tryConvertToIsoTime(`${day}T${time}${zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`);
}
