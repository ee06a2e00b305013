import { basename } from 'node:path/posix';
import { parse, stringify } from 'yaml';
import { type Fields, isObject } from '../../core/tools/json.ts';
import { isCostlyYaml } from '../front-matter.ts';
import { findFirstText, toArray, toObject, toText } from '../untyped-values.ts';
import { formatCurlCommand } from './masscode-requests.ts';

interface Opening {
  readonly at: number;
  readonly label: string;
  readonly fence: string;
  readonly language: string;
}

/**
 * Splits the body of a vault's snippet into its fragments and other text, which users add by hand. A fragment is a
 * heading `## Fragment: <label>` and a fenced block. Before May 2026 the fence was always of three backticks, so the
 * text may contain closing fences: the last one before the next fragment counts. A heading begins the next fragment if
 * the front matter declares it in `contents`, or if nothing but blank lines separates it from a closing fence.
 */
function splitFragments(body: string, contents: readonly Fields[]) {
  const lines = body.split(/\r?\n/);
  const declared = mapDeclaredLanguages(contents);
  const fragments: Fields[] = [];
  const others: string[] = [];
  let open: Opening | undefined;
  let [end, lastText] = [-1, -1];
  const close = (before: number) => {
    const from = open === undefined ? 0 : end < 0 ? before : end + 1;
    others.push(lines.slice(from, before).join('\n').trim());
    if (open === undefined) return;
    const language = declared.get(createFragmentKey(open)) ?? open.language;
    fragments.push({ label: open.label, language, value: lines.slice(open.at + 2, end < 0 ? before : end).join('\n') });
  };
  for (const [at, line] of lines.entries()) {
    const next = parseFragmentOpening(lines, at);
    if (
      next !== undefined &&
      (open === undefined || (end >= 0 && (end === lastText || declared.has(createFragmentKey(next)))))
    ) {
      close(at);
      [open, end] = [next, -1];
    } else if (open !== undefined && at > open.at + 1 && line.trim() === open.fence) end = at;
    if (line.trim() !== '') lastText = at;
  }
  close(lines.length);
  return { fragments, others: others.filter((text) => text !== '').join('\n\n') };
}

function parseFragmentOpening(lines: readonly string[], at: number): Opening | undefined {
  const label = /^## Fragment:(.*)$/.exec(lines[at] ?? '')?.[1]?.trim();
  const [, fence, language = ''] = /^(`{3,})(.*)$/.exec(lines[at + 1] ?? '') ?? [];
  return label === undefined || fence === undefined ? undefined : { at, label, fence, language: language.trim() };
}

const createFragmentKey = ({ label, language }: Pick<Opening, 'label' | 'language'>) => `${label}\n${language}`;

/** The languages of the declared fragments by label and language; other programs write fences without language. */
function mapDeclaredLanguages(contents: readonly Fields[]): ReadonlyMap<string, string> {
  const languages = new Map<string, string>();
  for (const content of contents) {
    const [label, language] = [toText(content['label']).replace(/\r?\n/g, ' ').trim(), toText(content['language'])];
    for (const written of [language, '']) languages.set(createFragmentKey({ label, language: written }), language);
  }
  return languages;
}

const isHttpRequest = (fields: Fields): boolean =>
  typeof fields['method'] === 'string' && typeof fields['url'] === 'string';

/** The notebook of the space Math; those of the other spaces have no texts. */
export const sheetFile = /(^|\/)math\/\.state\.yaml$/;

/** Reads the sheets of a notebook like `parseVaultSnippet`; undefined if there are none. */
export const parseSheets = (bytes: Uint8Array): readonly Fields[] | undefined => {
  const sheets = parseYamlMap(new TextDecoder().decode(bytes))?.['sheets'];
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
  const fields = parseYamlMap(frontMatter);
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
  const own = formatOwnFields(fields);
  if (!Array.isArray(fields['contents'])) {
    return { ...fields, name, space: 'notes', content: [{ language: 'markdown', value: `${own}${body}` }] };
  }
  const { fragments, others } = splitFragments(body, toArray(fields['contents']).map(toObject));
  const value = `${own}${others}`;
  const rest = value === '' ? [] : [{ label: 'other text', language: 'markdown', value }];
  return { ...fields, name, space: undefined, content: [...fragments, ...rest] };
}

/** Parses YAML; undefined if it is no map, or too costly. */
function parseYamlMap(text: string): Fields | undefined {
  try {
    const fields: unknown = text.trim() === '' ? {} : isCostlyYaml(text) ? undefined : parse(text);
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
function formatOwnFields(fields: Fields): string {
  const own = Object.entries(fields).filter(([field]) => !massCodeFields.includes(field));
  return own.length === 0 ? '' : `---\n${stringify(Object.fromEntries(own))}---\n`;
}
