/**
 * Snippets of Raycast from its command Export Snippets: an array of `{name, text, keyword}` in any order. Based on
 * github.com/raycast/ray-so, app/(navigation)/snippets, whose downloads Raycast imports, and on exports such as
 * github.com/obaranovskyi/my-configs, raycast/snippets.json.
 */
import { createInvalidError } from '../../../core/error.ts';
import { type Fields, tryParseJson } from '../../../core/json/json.ts';
import type { NoteFormat } from '../../note-format.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import { createRecordFromForeignNote, type ReadRecord } from '../../record.ts';
import { readFileText, type SourceFile, streamRecordsOfMatchingFiles } from '../../source.ts';
import { toObjectOrEmpty, toTextOrEmpty, tryParseBoundedJson } from '../../untyped-values.ts';
import { tryFormatPlaceholder } from './placeholder-text.ts';
import { formatSnippetTitle } from './vscode-snippets.ts';

const argumentPattern = /(?<!\$)\{argument((?: +\w+=(?:"[^"]*"|[^\s"{}|]+))+) *\}/g;
const attributePattern = /(\w+)=(?:"([^"]*)"|(\S+))/g;

/**
 * Replaces Raycast's `{argument name="x" default="y" options="y, z"}` by `{{x=y|z}}`. Stay as written: arguments
 * without a name, with modifiers, or with values that a placeholder cannot contain.
 */
export const replaceArgumentsByPlaceholders = (text: string): string =>
  text.replaceAll(argumentPattern, (whole, list: string) => {
    const { name, default: preset, options, ...others } = parseAttributes(list);
    const choices = options?.split(',').map((option) => option.trim()) ?? [];
    const isKnown = preset === undefined || options === undefined || choices.includes(preset);
    if (name === undefined || !isKnown || Object.keys(others).length > 0) return whole;
    const rest = choices.filter((choice) => choice !== preset);
    return tryFormatPlaceholder({ name, choices: preset === undefined ? choices : [preset, ...rest] }) ?? whole;
  });

const parseAttributes = (list: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Array.from(list.matchAll(attributePattern), ([, name, quoted, plain]) => [name, quoted ?? plain]));

export const raycastFormat: NoteFormat = {
  name: 'raycast',
  description: 'snippets of Raycast, as its command Export Snippets writes them',
  recognizes: ({ files }, head) => {
    const { name, text } = files.length === 0 ? parseFirstArrayObjectOrEmpty(head) : {};
    return typeof name === 'string' && typeof text === 'string';
  },
  streamRecords: (source) => streamRecordsOfMatchingFiles(source, /\.json$/, streamRaycastFileRecords),
};

/**
 * Parses the object that begins an array of JSON. Returns an empty object if there is none, or if the head does not
 * contain all of it.
 */
function parseFirstArrayObjectOrEmpty(head: string): Fields {
  const start = /^\ufeff?\s*\[\s*(?=\{)/.exec(head)?.[0].length;
  if (start === undefined) return {};
  let depth = 0;
  for (const { 0: token, index } of head.slice(start).matchAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth++;
    else if ((token === '}' || token === ']') && --depth === 0)
      return toObjectOrEmpty(tryParseJson(head.slice(start, start + index + 1)));
  }
  return {};
}

async function* streamRaycastFileRecords(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const found = tryParseBoundedJson(await readFileText(file));
  if (!Array.isArray(found)) throw createInvalidError(`${file.name} holds no snippets: it is not a JSON array`);
  const seen = new Map<string, number>();
  for (const [index, element] of found.entries()) {
    const { name, text, keyword } = toObjectOrEmpty(element);
    const times = (seen.get(toTextOrEmpty(name)) ?? 0) + 1;
    seen.set(toTextOrEmpty(name), times);
    yield createRecordFromForeignNote(`snippet ${index + 1} of ${file.name}`, {
      title: formatSnippetTitle(toTextOrEmpty(name), [toTextOrEmpty(keyword)]),
      content: replaceArgumentsByPlaceholders(toTextOrEmpty(text)),
      category: 'notes',
      color: 'neutral',
      otherwise: file.modifiedAt,
      origin: tryCreateOriginKey('raycast', times === 1 ? toTextOrEmpty(name) : `${toTextOrEmpty(name)}/${times}`),
    });
  }
}
