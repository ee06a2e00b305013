/** HTTP requests of massCode's space HTTP. */
import type { Fields } from '../../core/json/json.ts';
import { quoteForShell } from '../../core/text/quote-for-shell.ts';
import { findFirstText, toArray, toObject, toText } from '../untyped-values.ts';

interface Pair {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly type: string;
  readonly isOn: boolean;
}

const toPairs = (value: unknown): readonly Pair[] =>
  toArray(value).map((element) => {
    const { key, value, description, type, enabled } = toObject(element);
    const texts = { key: toText(key), value: toText(value), description: toText(description), type: toText(type) };
    return { ...texts, isOn: enabled !== false };
  });

/** Formats an HTTP request as a command of curl, followed by comments with descriptions and what is switched off. */
export function formatCurlCommand(request: Fields): string {
  const [headers, query] = [toPairs(request['headers']), toPairs(request['query'])];
  const { sent, unsent } = listBodyOptionsAndComments(request, headers);
  const method = toText(request['method']).toUpperCase();
  const url = addMissingParameters(toText(request['url']), query);
  const start = `curl ${/[{}[\]]/.test(url) ? '-g ' : ''}${method === 'HEAD' ? '--head ' : ''}-X ${quoteForShell(method)}`;
  const options = [
    ...headers.filter(({ isOn }) => isOn).map(({ key, value }) => `-H ${quoteForShell(`${key}: ${value}`)}`),
    ...listCredentialOptions(toObject(request['auth'])),
    ...sent,
  ];
  const comments = [
    ...headers.flatMap((entry) => listPairComments('header', ': ', entry)),
    ...query.flatMap((entry) => listPairComments('parameter', '=', entry)),
    ...unsent,
  ];
  return [
    [`${start} ${quoteForShell(url)}`, ...options].join(' \\\n  '),
    ...comments.map((comment) => `# ${comment.replace(/\r\n|[\r\n]/g, '\n# ')}`),
  ].join('\n');
}

/** The options that send the body or the form, and comments on what is stored but not sent. */
function listBodyOptionsAndComments({ bodyType, body, formData }: Fields, headers: readonly Pair[]) {
  const [text, form] = [toText(body), toPairs(formData)];
  const [type, isForm] = [contentTypes.get(toText(bodyType)), bodyType === 'multipart'];
  const isSent = type !== undefined && text !== '';
  const isTyped = headers.some(({ key, isOn }) => isOn && key.toLowerCase() === 'content-type');
  return {
    sent: [
      ...(isSent && !isTyped ? [`-H 'Content-Type: ${type}'`] : []),
      ...(isSent ? [`--data-raw ${quoteForShell(text)}`] : []),
      ...(isForm ? form.map(formatFormOption) : []),
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

function listCredentialOptions({ type, token, username, password }: Fields): readonly string[] {
  if (type === 'bearer') return [`-H ${quoteForShell(`Authorization: Bearer ${toText(token)}`)}`];
  return type === 'basic' ? [`-u ${quoteForShell(`${toText(username)}:${toText(password)}`)}`] : [];
}

const formatFormOption = ({ key, value, type }: Pair) =>
  type === 'file' ? `-F ${quoteForShell(`${key}=@${value}`)}` : `--form-string ${quoteForShell(`${key}=${value}`)}`;

/** Adds the parameters that the URL does not contain; those with placeholders stay readable. */
function addMissingParameters(url: string, query: readonly Pair[]): string {
  const [, start = '', fragment = ''] = /^([^#]*)(.*)$/s.exec(url) ?? [];
  const presentParameters = new Set(start.replace(/^[^?]*\??/, '').split('&'));
  const added = query
    .filter(({ key, isOn }) => isOn && key !== '')
    .map(({ key, value }) => `${key}=${value}`.replace(/[\s#&%+]/g, encodeURIComponent))
    .filter((pair) => !presentParameters.has(pair));
  const mark = start.includes('?') ? '&' : '?';
  return added.length === 0 ? url : `${start}${mark}${added.join('&')}${fragment}`;
}

function listPairComments(kind: string, separator: string, { key, value, description, isOn }: Pair): readonly string[] {
  const about = findFirstText(description) === '' ? '' : ` (${description})`;
  const text = `${kind} ${key}${separator}${value}${about}`;
  return isOn && about === '' ? [] : [isOn ? `${kind} ${key}${about}` : `off: ${text}`];
}
