/**
 * A VS Code chat (GitHub Copilot) in workspaceStorage/<hash>/chatSessions or globalStorage/emptyWindowChatSessions:
 * one JSON object (`.json`), or since 2026 a log of changes to it (`.jsonl`). Based on github.com/microsoft/vscode,
 * src/vs/workbench/contrib/chat/common/model/objectMutationLog.ts (`Entry`) and chatModel.ts (`ISerializableChatData`).
 */
import { type Fields, isObject } from '../../core/tools/json.ts';
import { createOriginKey } from '../origin.ts';
import { createRecord, findFirstText, parseTimestamp, type ReadRecord, toArray, toObject, toText } from '../record.ts';
import { asJson, joined, openingOf, type Turn, transcript, you } from './transcript.ts';

export const isChange = (line: Fields) => typeof line['kind'] === 'number' && ('v' in line || 'k' in line);

/** A chat, rebuilt from a log of changes. */
export class ChatLog {
  state: unknown;

  /** Applies a change. Returns false if it does not fit the state. */
  apply({ kind, k, v, i }: Fields): boolean {
    if (kind === 0) this.state = v;
    if (kind === 0) return true;
    const path = toArray(k);
    const parent = path.slice(0, -1).reduce(childOf, this.state);
    const name = path.at(-1);
    if (kind === 2) return push(childOf(parent, name), v, i);
    if (Array.isArray(parent) && typeof name === 'number' && name >= 0 && name <= parent.length) parent[name] = v;
    else if (isObject(parent) && typeof name === 'string') {
      Object.defineProperty(parent, name, { value: v, writable: true, enumerable: true, configurable: true });
    } else return false;
    return true;
  }
}

function childOf(parent: unknown, name: unknown): unknown {
  const isName = typeof name === 'string' || typeof name === 'number';
  const isThere = isName && typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name);
  return isThere ? Reflect.get(parent, name) : undefined;
}

/** Truncates the list to `end`, if given, then appends. */
function push(list: unknown, values: unknown, end: unknown): boolean {
  if (!Array.isArray(list)) return false;
  if (typeof end === 'number' && end >= 0 && end < list.length) list.length = Math.floor(end);
  for (const value of toArray(values)) list.push(value);
  return true;
}

export function vscodeChatRecord(location: string, chat: Fields, otherwise: Date): ReadRecord {
  const requests = toArray(chat['requests']).map(toObject);
  const assistant = findFirstText(chat['responderUsername'], 'GitHub Copilot');
  const turns = requests.flatMap((request) => turnsOf(request, assistant));
  return createRecord(location, {
    title: findFirstText(chat['customTitle'], openingOf(turns)),
    content: transcript(turns),
    category: 'editor-chats',
    color: 'accent',
    createdAt: chat['creationDate'],
    updatedAt: latestOf(chat['lastMessageDate'], requests.at(-1)?.['timestamp']),
    otherwise,
    origin: createOriginKey('vscode', toText(chat['sessionId'])),
  });
}

/** A log may keep the date of its first state. */
const latestOf = (...times: readonly unknown[]) =>
  times
    .flatMap((time) => parseTimestamp(time) ?? [])
    .sort()
    .at(-1);

function turnsOf(request: Fields, assistant: string): readonly Turn[] {
  const { message, response, result } = request;
  const failure = toText(toObject(toObject(result)['errorDetails'])['message']);
  return [
    { speaker: you, text: toText(message) || toText(toObject(message)['text']) },
    { speaker: assistant, text: joined([responseText(toArray(response).map(toObject)), failure && `*${failure}*`]) },
  ];
}

/** Joins references with the sentence around them; other parts become separate blocks. */
function responseText(parts: readonly Fields[]): string {
  const blocks: string[] = [];
  let isOpen = false;
  for (const part of parts) {
    const inline = inlineText(part);
    if (inline === undefined) blocks.push(blockText(part));
    else if (isOpen) blocks.push(`${blocks.pop() ?? ''}${inline}`);
    else blocks.push(inline);
    isOpen = inline !== undefined;
  }
  return joined(blocks);
}

/** Undefined for parts outside of a sentence. */
function inlineText(part: Fields): string | undefined {
  switch (part['kind']) {
    case undefined:
      return markdownText(part);
    case 'markdownContent':
    case 'markdownVuln':
      return markdownText(part['content']);
    case 'inlineReference':
      return `\`${findFirstText(part['name'], nameOf(part['inlineReference']))}\``;
    default:
      return undefined;
  }
}

const markdownText = (value: unknown) => toText(value) || toText(toObject(value)['value']);

/** Progress indicators of the editor, and reasoning. */
const hidden: readonly unknown[] = [
  'codeblockUri',
  'confirmation',
  'elicitationSerialized',
  'mcpServersStarting',
  'prepareToolInvocation',
  'progressMessage',
  'progressTaskSerialized',
  'thinking',
  'undoStop',
];

function blockText(part: Fields): string {
  if (hidden.includes(part['kind'])) return '';
  if (part['kind'] === 'textEditGroup') return `*Edited ${nameOf(part['uri'])}*`;
  if (part['kind'] !== 'toolInvocationSerialized') return asJson(part);
  const summary = markdownText(part['pastTenseMessage']) || markdownText(part['invocationMessage']);
  return `*Tool ${findFirstText(part['toolId'], 'without a name')}*${summary && `\n\n${summary}`}`;
}

/** The name of a file, or of a symbol in it. */
function nameOf(reference: unknown): string {
  const { name, location, uri, path, fsPath } = toObject(reference);
  const file = findFirstText(path, fsPath, reference).split(/[\\/]/).at(-1) ?? '';
  return findFirstText(name, file) || ((location ?? uri) ? nameOf(location ?? uri) : 'a file');
}
