import { basename } from 'node:path/posix';
import { parse, stringify } from 'yaml';
import { type Fields, isObject } from '../../core/tools/json.ts';
import { inShell } from '../../core/tools/text.ts';
import { isCostlyYaml } from '../front-matter.ts';
import { findFirstText, toArray, toObject, toText } from '../record.ts';

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

interface Pair {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly type: string;
  readonly isOn: boolean;
}

const parsePairs = (value: unknown): readonly Pair[] =>
  toArray(value).map((element) => {
    const { key, value, description, type, enabled } = toObject(element);
    const texts = { key: toText(key), value: toText(value), description: toText(description), type: toText(type) };
    return { ...texts, isOn: enabled !== false };
  });

/** Formats an HTTP request as a command of curl, followed by comments with descriptions and what is switched off. */
export function formatCurlCommand(request: Fields): string {
  const [headers, query] = [parsePairs(request['headers']), parsePairs(request['query'])];
  const { sent, unsent } = formatBody(request, headers);
  const method = toText(request['method']).toUpperCase();
  const url = addQuery(toText(request['url']), query);
  const start = `curl ${/[{}[\]]/.test(url) ? '-g ' : ''}${method === 'HEAD' ? '--head ' : ''}-X ${inShell(method)}`;
  const options = [
    ...headers.filter(({ isOn }) => isOn).map(({ key, value }) => `-H ${inShell(`${key}: ${value}`)}`),
    ...formatCredentials(toObject(request['auth'])),
    ...sent,
  ];
  const comments = [
    ...headers.flatMap((entry) => formatComments('header', ': ', entry)),
    ...query.flatMap((entry) => formatComments('parameter', '=', entry)),
    ...unsent,
  ];
  return [
    [`${start} ${inShell(url)}`, ...options].join(' \\\n  '),
    ...comments.map((comment) => `# ${comment.replace(/\r\n|[\r\n]/g, '\n# ')}`),
  ].join('\n');
}

/** The options that send the body or the form, and comments on what is stored but not sent. */
function formatBody({ bodyType, body, formData }: Fields, headers: readonly Pair[]) {
  const [text, form] = [toText(body), parsePairs(formData)];
  const [type, isForm] = [contentTypes.get(toText(bodyType)), bodyType === 'multipart'];
  const isSent = type !== undefined && text !== '';
  const isTyped = headers.some(({ key, isOn }) => isOn && key.toLowerCase() === 'content-type');
  return {
    sent: [
      ...(isSent && !isTyped ? [`-H 'Content-Type: ${type}'`] : []),
      ...(isSent ? [`--data-raw ${inShell(text)}`] : []),
      ...(isForm ? form.map(formatFormField) : []),
    ],
    unsent: [
      ...(isSent || text === '' ? [] : [`off: body\n${text}`]),
      ...(isForm ? [] : form.map(({ key, value }) => `off: form field ${key}=${value}`)),
    ],
  };
}

/** Those of bodies that are a text. */
const contentTypes: ReadonlyMap<string, string> = new Map([
  ['json', 'application/json'],
  ['text', 'text/plain'],
  ['form-urlencoded', 'application/x-www-form-urlencoded'],
]);

function formatCredentials({ type, token, username, password }: Fields): readonly string[] {
  if (type === 'bearer') return [`-H ${inShell(`Authorization: Bearer ${toText(token)}`)}`];
  return type === 'basic' ? [`-u ${inShell(`${toText(username)}:${toText(password)}`)}`] : [];
}

const formatFormField = ({ key, value, type }: Pair) =>
  type === 'file' ? `-F ${inShell(`${key}=@${value}`)}` : `--form-string ${inShell(`${key}=${value}`)}`;

/** Adds the parameters that the URL does not contain; those with placeholders stay readable. */
function addQuery(url: string, query: readonly Pair[]): string {
  const [, start = '', fragment = ''] = /^([^#]*)(.*)$/s.exec(url) ?? [];
  const there = new Set(start.replace(/^[^?]*\??/, '').split('&'));
  const added = query
    .filter(({ key, isOn }) => isOn && key !== '')
    .map(({ key, value }) => `${key}=${value}`.replace(/[\s#&%+]/g, encodeURIComponent))
    .filter((pair) => !there.has(pair));
  const mark = start.includes('?') ? '&' : '?';
  return added.length === 0 ? url : `${start}${mark}${added.join('&')}${fragment}`;
}

function formatComments(kind: string, separator: string, { key, value, description, isOn }: Pair): readonly string[] {
  const about = findFirstText(description) === '' ? '' : ` (${description})`;
  const text = `${kind} ${key}${separator}${value}${about}`;
  return isOn && about === '' ? [] : [isOn ? `${kind} ${key}${about}` : `off: ${text}`];
}

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
