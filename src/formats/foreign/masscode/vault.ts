import { basename } from 'node:path/posix';
import { parse, stringify } from 'yaml';
import { type Fields, isObject } from '../../../core/tools/json.ts';
import { isCostly } from '../../yaml-cost.ts';
import { fieldsOf, firstText, listOf } from '../fields.ts';
import { fragmentsIn } from './fragments.ts';
import { commandOf, isRequest } from './requests.ts';

/** The notebook of the space Math; those of the other spaces have no texts. */
export const sheetFile = /(^|\/)math\/\.state\.yaml$/;

/** Reads the sheets of a notebook like `snippetInVault`; undefined if there are none. */
export const sheetsIn = (bytes: Uint8Array): readonly Fields[] | undefined => {
  const sheets = frontMatterIn(new TextDecoder().decode(bytes))?.['sheets'];
  return Array.isArray(sheets)
    ? sheets.map(fieldsOf).map((sheet) => ({ ...sheet, content: [{ value: sheet['content'] }] }))
    : undefined;
};

/** Reads a file of a vault in the shape of a snippet in db.json, with its texts as `content`. */
export function snippetInVault(path: string, bytes: Uint8Array): Fields {
  const text = new TextDecoder().decode(bytes);
  const [, frontMatter = '', body = text] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(text) ?? [];
  const fields = frontMatterIn(frontMatter);
  const name = firstText(fields?.['name'], basename(path).replace(/\.md$/i, ''));
  if (fields === undefined) return { name, content: [{ language: 'markdown', value: text }] };
  if (isRequest(fields)) {
    return {
      ...fields,
      name,
      content: [{ label: 'request', language: 'sh', value: commandOf(fields) }],
      description: body,
    };
  }
  const own = ownFieldsIn(fields);
  if (!Array.isArray(fields['contents'])) {
    return { ...fields, name, content: [{ language: 'markdown', value: `${own}${body}` }] };
  }
  const { fragments, others } = fragmentsIn(body, listOf(fields['contents']).map(fieldsOf));
  const value = `${own}${others}`;
  const rest = value === '' ? [] : [{ label: 'other text', language: 'markdown', value }];
  return { ...fields, name, content: [...fragments, ...rest] };
}

/** Parses YAML; undefined if it is no map, or too costly. */
function frontMatterIn(text: string): Fields | undefined {
  try {
    const fields: unknown = text.trim() === '' ? {} : isCostly(text) ? undefined : parse(text);
    return isObject(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}

const fieldsOfMassCode = [
  ...['contents', 'createdAt', 'description', 'folderId', 'id', 'isDeleted', 'isFavorites', 'name', 'tags'],
  'updatedAt',
];

/** The properties that the user added, as front matter. */
function ownFieldsIn(fields: Fields): string {
  const own = Object.entries(fields).filter(([field]) => !fieldsOfMassCode.includes(field));
  return own.length === 0 ? '' : `---\n${stringify(Object.fromEntries(own))}---\n`;
}
