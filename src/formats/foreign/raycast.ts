/**
 * Snippets of Raycast from its command Export Snippets: an array of `{name, text, keyword}` in any order. Based on
 * github.com/raycast/ray-so, app/(navigation)/snippets, whose downloads Raycast imports, and on exports such as
 * github.com/obaranovskyi/my-configs, raycast/snippets.json.
 */
import { invalid } from '../../core/error.ts';
import { type Fields, tryParseJson } from '../../core/json/json.ts';
import type { NoteFormat } from '../note-format.ts';
import { tryCreateOriginKey } from '../origin.ts';
import { createForeignRecord, type ReadRecord } from '../record.ts';
import { readEachMatchingFile, readFileText, type SourceFile } from '../source.ts';
import { toObject, toText, tryParseBoundedJson } from '../untyped-values.ts';
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
    const { name, text } = files.length === 0 ? findFirstCompleteObject(head) : {};
    return typeof name === 'string' && typeof text === 'string';
  },
  read: (source) => readEachMatchingFile(source, /\.json$/, readRaycastRecords),
};

/** The object that begins an array of JSON; empty if there is none, or if the head does not contain all of it. */
function findFirstCompleteObject(head: string): Fields {
  const start = /^\ufeff?\s*\[\s*(?=\{)/.exec(head)?.[0].length;
  if (start === undefined) return {};
  let depth = 0;
  for (const { 0: token, index } of head.slice(start).matchAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth++;
    else if ((token === '}' || token === ']') && --depth === 0)
      return toObject(tryParseJson(head.slice(start, start + index + 1)));
  }
  return {};
}

async function* readRaycastRecords(file: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  const found = tryParseBoundedJson(await readFileText(file));
  if (!Array.isArray(found)) throw invalid(`${file.name} holds no snippets: it is not a JSON array`);
  const seen = new Map<string, number>();
  for (const [index, element] of found.entries()) {
    const { name, text, keyword } = toObject(element);
    const times = (seen.get(toText(name)) ?? 0) + 1;
    seen.set(toText(name), times);
    yield createForeignRecord(`snippet ${index + 1} of ${file.name}`, {
      title: formatSnippetTitle(toText(name), [toText(keyword)]),
      content: replaceArgumentsByPlaceholders(toText(text)),
      category: 'notes',
      color: 'neutral',
      otherwise: file.modifiedAt,
      origin: tryCreateOriginKey('raycast', times === 1 ? toText(name) : `${toText(name)}/${times}`),
    });
  }
}
