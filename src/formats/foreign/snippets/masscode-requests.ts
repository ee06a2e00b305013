/** This module formats the HTTP requests of massCode's space HTTP. */
import type { Fields } from '../../../core/json/json.ts';
import { quoteForShell } from '../../../core/text/quote-for-shell.ts';
import { getFirstNonBlankOrEmpty, toArrayOrEmpty, toObjectOrEmpty, toTextOrEmpty } from '../../untyped-values.ts';

interface Pair {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly type: string;
  readonly isOn: boolean;
}

const toRequestEntries = (value: unknown): readonly Pair[] =>
  toArrayOrEmpty(value).map((element) => {
    const { key, value, description, type, enabled } = toObjectOrEmpty(element);
    const texts = {
      key: toTextOrEmpty(key),
      value: toTextOrEmpty(value),
      description: toTextOrEmpty(description),
      type: toTextOrEmpty(type),
    };
    return { ...texts, isOn: enabled !== false };
  });

/** Formats an HTTP request as a command of curl, followed by comments with descriptions and what is switched off. */
export function formatCurlCommandThenComments(request: Fields): string {
  const [headers, query] = [toRequestEntries(request['headers']), toRequestEntries(request['query'])];
  const { sent, unsent } = listBodyOptionsAndComments(request, headers);
  const method = toTextOrEmpty(request['method']).toUpperCase();
  const url = addMissingUrlParameters(toTextOrEmpty(request['url']), query);
  const start = `curl ${/[{}[\]]/.test(url) ? '-g ' : ''}${method === 'HEAD' ? '--head ' : ''}-X ${quoteForShell(method)}`;
  const options = [
    ...headers.filter(({ isOn }) => isOn).map(({ key, value }) => `-H ${quoteForShell(`${key}: ${value}`)}`),
    ...listCredentialOptions(toObjectOrEmpty(request['auth'])),
    ...sent,
  ];
  const comments = [
    ...headers.flatMap((entry) => listCommentsOfEntry('header', ': ', entry)),
    ...query.flatMap((entry) => listCommentsOfEntry('parameter', '=', entry)),
    ...unsent,
  ];
  return [
    [`${start} ${quoteForShell(url)}`, ...options].join(' \\\n  '),
    ...comments.map((comment) => `# ${comment.replace(/\r\n|[\r\n]/g, '\n# ')}`),
  ].join('\n');
}

/** Lists the options that send the body or the form, and comments on what is stored but not sent. */
function listBodyOptionsAndComments({ bodyType, body, formData }: Fields, headers: readonly Pair[]) {
  const [text, form] = [toTextOrEmpty(body), toRequestEntries(formData)];
  const [type, isForm] = [contentTypes.get(toTextOrEmpty(bodyType)), bodyType === 'multipart'];
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

/** The content types of bodies that are a text. */
const contentTypes: ReadonlyMap<string, string> = new Map([
  ['json', 'application/json'],
  ['text', 'text/plain'],
  ['form-urlencoded', 'application/x-www-form-urlencoded'],
]);

function listCredentialOptions({ type, token, username, password }: Fields): readonly string[] {
  if (type === 'bearer') return [`-H ${quoteForShell(`Authorization: Bearer ${toTextOrEmpty(token)}`)}`];
  return type === 'basic' ? [`-u ${quoteForShell(`${toTextOrEmpty(username)}:${toTextOrEmpty(password)}`)}`] : [];
}

const formatFormOption = ({ key, value, type }: Pair) =>
  type === 'file' ? `-F ${quoteForShell(`${key}=@${value}`)}` : `--form-string ${quoteForShell(`${key}=${value}`)}`;

/** Formats a URL with the parameters that it does not contain yet. Placeholders in them stay readable. */
function addMissingUrlParameters(url: string, query: readonly Pair[]): string {
  const [, start = '', fragment = ''] = /^([^#]*)(.*)$/s.exec(url) ?? [];
  const presentParameters = new Set(start.replace(/^[^?]*\??/, '').split('&'));
  const added = query
    .filter(({ key, isOn }) => isOn && key !== '')
    .map(({ key, value }) => `${key}=${value}`.replace(/[\s#&%+]/g, encodeURIComponent))
    .filter((pair) => !presentParameters.has(pair));
  const mark = start.includes('?') ? '&' : '?';
  return added.length === 0 ? url : `${start}${mark}${added.join('&')}${fragment}`;
}

function listCommentsOfEntry(
  kind: string,
  separator: string,
  { key, value, description, isOn }: Pair,
): readonly string[] {
  const about = getFirstNonBlankOrEmpty(description) === '' ? '' : ` (${description})`;
  const text = `${kind} ${key}${separator}${value}${about}`;
  return isOn && about === '' ? [] : [isOn ? `${kind} ${key}${about}` : `off: ${text}`];
}
