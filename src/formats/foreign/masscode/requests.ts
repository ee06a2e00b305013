import type { Fields } from '../../../core/tools/json.ts';
import { inShell } from '../../../core/tools/text.ts';
import { fieldsOf, firstText, listOf, textOf } from '../fields.ts';

export const isRequest = (fields: Fields): boolean =>
  typeof fields['method'] === 'string' && typeof fields['url'] === 'string';

interface Entry {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly type: string;
  readonly isOn: boolean;
}

const entriesIn = (value: unknown): readonly Entry[] =>
  listOf(value).map((element) => {
    const { key, value, description, type, enabled } = fieldsOf(element);
    const texts = { key: textOf(key), value: textOf(value), description: textOf(description), type: textOf(type) };
    return { ...texts, isOn: enabled !== false };
  });

/** Formats an HTTP request as a command of curl, followed by comments with descriptions and what is switched off. */
export function commandOf(request: Fields): string {
  const [headers, query] = [entriesIn(request['headers']), entriesIn(request['query'])];
  const { sent, unsent } = bodyIn(request, headers);
  const method = textOf(request['method']).toUpperCase();
  const url = withQuery(textOf(request['url']), query);
  const start = `curl ${/[{}[\]]/.test(url) ? '-g ' : ''}${method === 'HEAD' ? '--head ' : ''}-X ${inShell(method)}`;
  const options = [
    ...headers.filter(({ isOn }) => isOn).map(({ key, value }) => `-H ${inShell(`${key}: ${value}`)}`),
    ...credentialsIn(fieldsOf(request['auth'])),
    ...sent,
  ];
  const comments = [
    ...headers.flatMap((entry) => commentOn('header', ': ', entry)),
    ...query.flatMap((entry) => commentOn('parameter', '=', entry)),
    ...unsent,
  ];
  return [
    [`${start} ${inShell(url)}`, ...options].join(' \\\n  '),
    ...comments.map((comment) => `# ${comment.replace(/\r\n|[\r\n]/g, '\n# ')}`),
  ].join('\n');
}

/** The options that send the body or the form, and comments on what is stored but not sent. */
function bodyIn({ bodyType, body, formData }: Fields, headers: readonly Entry[]) {
  const [text, form] = [textOf(body), entriesIn(formData)];
  const [type, isForm] = [contentTypes.get(textOf(bodyType)), bodyType === 'multipart'];
  const isSent = type !== undefined && text !== '';
  const isTyped = headers.some(({ key, isOn }) => isOn && key.toLowerCase() === 'content-type');
  return {
    sent: [
      ...(isSent && !isTyped ? [`-H 'Content-Type: ${type}'`] : []),
      ...(isSent ? [`--data-raw ${inShell(text)}`] : []),
      ...(isForm ? form.map(fieldOption) : []),
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

function credentialsIn({ type, token, username, password }: Fields): readonly string[] {
  if (type === 'bearer') return [`-H ${inShell(`Authorization: Bearer ${textOf(token)}`)}`];
  return type === 'basic' ? [`-u ${inShell(`${textOf(username)}:${textOf(password)}`)}`] : [];
}

const fieldOption = ({ key, value, type }: Entry) =>
  type === 'file' ? `-F ${inShell(`${key}=@${value}`)}` : `--form-string ${inShell(`${key}=${value}`)}`;

/** Adds the parameters that the URL does not contain; those with placeholders stay readable. */
function withQuery(url: string, query: readonly Entry[]): string {
  const [, start = '', fragment = ''] = /^([^#]*)(.*)$/s.exec(url) ?? [];
  const there = new Set(start.replace(/^[^?]*\??/, '').split('&'));
  const added = query
    .filter(({ key, isOn }) => isOn && key !== '')
    .map(({ key, value }) => `${key}=${value}`.replace(/[\s#&%+]/g, encodeURIComponent))
    .filter((pair) => !there.has(pair));
  const mark = start.includes('?') ? '&' : '?';
  return added.length === 0 ? url : `${start}${mark}${added.join('&')}${fragment}`;
}

function commentOn(kind: string, separator: string, { key, value, description, isOn }: Entry): readonly string[] {
  const about = firstText(description) === '' ? '' : ` (${description})`;
  const text = `${kind} ${key}${separator}${value}${about}`;
  return isOn && about === '' ? [] : [isOn ? `${kind} ${key}${about}` : `off: ${text}`];
}
