import { basename } from 'node:path/posix';
import { parse, stringify } from 'yaml';
import { type Fields, isObject } from '../../core/json/json.ts';
import { isCostlyYaml } from '../front-matter.ts';
import { findFirstText, toArray, toObject } from '../untyped-values.ts';
import { splitFragments } from './masscode-fragments.ts';
import { formatCurlCommand } from './masscode-requests.ts';

const isHttpRequest = (fields: Fields): boolean =>
  typeof fields['method'] === 'string' && typeof fields['url'] === 'string';

/** The notebook of the space Math; those of the other spaces have no texts. */
export const sheetFile = /(^|\/)math\/\.state\.yaml$/;

/** Reads the sheets of a notebook like `parseVaultSnippet`; undefined if there are none. */
export const tryParseMathNotebook = (bytes: Uint8Array): readonly Fields[] | undefined => {
  const sheets = tryParseYamlMap(new TextDecoder().decode(bytes))?.['sheets'];
  return Array.isArray(sheets)
    ? sheets.map(toObject).map((sheet) => ({ ...sheet, space: 'math', content: [{ value: sheet['content'] }] }))
    : undefined;
};

/**
 * Reads a file of a vault in the shape of a snippet in db.json, with its texts as `content`. `space` is undefined for
 * code: ids are unique in a space.
 */
export function parseVaultSnippet(path: string, bytes: Uint8Array): Fields {
  const text = new TextDecoder().decode(bytes);
  const [, frontMatter = '', body = text] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(text) ?? [];
  const fields = tryParseYamlMap(frontMatter);
  const name = findFirstText(fields?.['name'], basename(path).replace(/\.md$/i, ''));
  if (fields === undefined) return { name, content: [{ language: 'markdown', value: text }] };
  if (isHttpRequest(fields)) {
    return {
      ...fields,
      name,
      space: 'http',
      content: [{ label: 'request', language: 'sh', value: formatCurlCommand(fields) }],
      description: body,
    };
  }
  const own = formatUserFrontMatter(fields);
  if (!Array.isArray(fields['contents'])) {
    return { ...fields, name, space: 'notes', content: [{ language: 'markdown', value: `${own}${body}` }] };
  }
  const { fragments, others } = splitFragments(body, toArray(fields['contents']).map(toObject));
  const value = `${own}${others}`;
  const rest = value === '' ? [] : [{ label: 'other text', language: 'markdown', value }];
  return { ...fields, name, space: undefined, content: [...fragments, ...rest] };
}

/** Parses YAML; undefined if it is no map, or too costly. */
function tryParseYamlMap(text: string): Fields | undefined {
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

/** The properties that the user added, as front matter. */
function formatUserFrontMatter(fields: Fields): string {
  const own = Object.entries(fields).filter(([field]) => !massCodeFields.includes(field));
  return own.length === 0 ? '' : `---\n${stringify(Object.fromEntries(own))}---\n`;
}
