import { basename } from 'node:path/posix';
import { parse, stringify } from 'yaml';
import { type Fields, isObject } from '../../../core/json/json.ts';
import { isCostlyYaml } from '../../front-matter.ts';
import { getFirstNonBlankOrEmpty, toArrayOrEmpty, toObjectOrEmpty } from '../../untyped-values.ts';
import { splitIntoFragmentsAndOtherText } from './masscode-fragments.ts';
import { formatCurlCommandThenComments } from './masscode-requests.ts';

const hasHttpRequestFields = (fields: Fields): boolean =>
  typeof fields['method'] === 'string' && typeof fields['url'] === 'string';

/** The notebook of the space Math. Files of this name in the other spaces have no texts. */
export const sheetFile = /(^|\/)math\/\.state\.yaml$/;

/**
 * Parses the sheets of a notebook, each in the shape that `toVaultSnippet` returns. Returns undefined if there are
 * none.
 */
export const tryParseMathSheets = (bytes: Uint8Array): readonly Fields[] | undefined => {
  const sheets = tryParseYamlMapOrEmptyIfBlank(new TextDecoder().decode(bytes))?.['sheets'];
  return Array.isArray(sheets)
    ? sheets.map(toObjectOrEmpty).map((sheet) => ({ ...sheet, space: 'math', content: [{ value: sheet['content'] }] }))
    : undefined;
};

/**
 * Reads a file of a vault in the shape of a snippet in db.json, with its texts as `content`. `space` is undefined for
 * code: ids are unique in a space.
 */
export function toVaultSnippet(path: string, bytes: Uint8Array): Fields {
  const text = new TextDecoder().decode(bytes);
  const [, frontMatter = '', body = text] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(text) ?? [];
  const fields = tryParseYamlMapOrEmptyIfBlank(frontMatter);
  const name = getFirstNonBlankOrEmpty(fields?.['name'], basename(path).replace(/\.md$/i, ''));
  if (fields === undefined) return { name, content: [{ language: 'markdown', value: text }] };
  if (hasHttpRequestFields(fields)) {
    return {
      ...fields,
      name,
      space: 'http',
      content: [{ label: 'request', language: 'sh', value: formatCurlCommandThenComments(fields) }],
      description: body,
    };
  }
  const own = formatUserFrontMatterOrEmpty(fields);
  if (!Array.isArray(fields['contents'])) {
    return { ...fields, name, space: 'notes', content: [{ language: 'markdown', value: `${own}${body}` }] };
  }
  const { fragments, others } = splitIntoFragmentsAndOtherText(
    body,
    toArrayOrEmpty(fields['contents']).map(toObjectOrEmpty),
  );
  const value = `${own}${others}`;
  const rest = value === '' ? [] : [{ label: 'other text', language: 'markdown', value }];
  return { ...fields, name, space: undefined, content: [...fragments, ...rest] };
}

/** Parses YAML. Returns an empty map for an empty text, and undefined if the text is no map, damaged or too costly. */
function tryParseYamlMapOrEmptyIfBlank(text: string): Fields | undefined {
  if (text.trim() === '') return {};
  if (isCostlyYaml(text)) return undefined;
  try {
    const fields: unknown = parse(text);
    return isObject(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}

const massCodeFields = [
  ...['contents', 'createdAt', 'description', 'folderId', 'id', 'isDeleted', 'isFavorites', 'name', 'tags'],
  'updatedAt',
];

/** Formats the properties that the user added, as front matter. The text is empty if there are none. */
function formatUserFrontMatterOrEmpty(fields: Fields): string {
  const own = Object.entries(fields).filter(([field]) => !massCodeFields.includes(field));
  return own.length === 0 ? '' : `---\n${stringify(Object.fromEntries(own))}---\n`;
}
