/**
 * A VS Code chat (GitHub Copilot) in workspaceStorage/<hash>/chatSessions or globalStorage/emptyWindowChatSessions:
 * one JSON object (`.json`), or since 2026 a log of changes to it (`.jsonl`). Based on github.com/microsoft/vscode,
 * src/vs/workbench/contrib/chat/common/model/objectMutationLog.ts (`Entry`) and chatModel.ts (`ISerializableChatData`).
 */
import { type Fields, isObject } from '../../../core/json/json.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import { createRecordFromForeignNote, type ReadRecord } from '../../record.ts';
import {
  getFirstNonBlankOrEmpty,
  toArrayOrEmpty,
  toObjectOrEmpty,
  toTextOrEmpty,
  tryConvertToIsoTime,
} from '../../untyped-values.ts';
import {
  formatAsShortenedJsonBlock,
  formatTranscript,
  getFirstUserOrAnyTextOrEmpty,
  joinNonBlankParagraphs,
  type Turn,
  userSpeaker,
} from './transcript.ts';

export const isChatChangeLine = (line: Fields) => typeof line['kind'] === 'number' && ('v' in line || 'k' in line);

/** Rebuilds a chat from a log of changes. */
export class ChatLog {
  state: unknown;

  /**
   * Applies a change. Returns false if it does not fit the state. Kind 0 sets the state to `v`, kind 1 sets the value
   * at the path `k` to `v`, and kind 2 truncates the list at the path to the length `i`, and appends the elements of
   * `v`.
   *
   * Example: `{"kind":0,"v":{"a":[1]}}` and `{"kind":2,"k":["a"],"v":[2]}` make the state `{"a":[1,2]}`.
   */
  tryApplyChange({ kind, k: path, v: value, i: length }: Fields): boolean {
    if (kind === 0) {
      this.state = value;
      return true;
    }
    const steps = [...toArrayOrEmpty(path)];
    const name = steps.pop();
    let parent = this.state;
    for (const step of steps) parent = findChild(parent, step);
    return kind === 2 ? tryTruncateAndPush(findChild(parent, name), value, length) : trySetChild(parent, name, value);
  }
}

/** Sets an element of a list or a field of an object. Returns false for another parent or name. */
function trySetChild(parent: unknown, name: unknown, value: unknown): boolean {
  if (Array.isArray(parent) && typeof name === 'number' && name >= 0 && name <= parent.length) {
    parent[name] = value;
    return true;
  }
  if (!isObject(parent) || typeof name !== 'string') return false;
  // An assignment to __proto__ would set no field.
  Object.defineProperty(parent, name, { value, writable: true, enumerable: true, configurable: true });
  return true;
}

function findChild(parent: unknown, name: unknown): unknown {
  const isName = typeof name === 'string' || typeof name === 'number';
  const isThere = isName && typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name);
  return isThere ? Reflect.get(parent, name) : undefined;
}

/** Truncates the list to `end`, if that is a number, then appends. Returns false if it is no list. */
function tryTruncateAndPush(list: unknown, values: unknown, end: unknown): boolean {
  if (!Array.isArray(list)) return false;
  if (typeof end === 'number' && end >= 0 && end < list.length) list.length = Math.floor(end);
  for (const value of toArrayOrEmpty(values)) list.push(value);
  return true;
}

export function createVscodeChatRecord(location: string, chat: Fields, otherwise: Date): ReadRecord {
  const requests = toArrayOrEmpty(chat['requests']).map(toObjectOrEmpty);
  const assistant = getFirstNonBlankOrEmpty(chat['responderUsername'], 'GitHub Copilot');
  const turns = requests.flatMap((request) => createRequestTurns(request, assistant));
  return createRecordFromForeignNote(location, {
    title: getFirstNonBlankOrEmpty(chat['customTitle'], getFirstUserOrAnyTextOrEmpty(turns)),
    content: formatTranscript(turns),
    category: 'editor-chats',
    color: 'accent',
    createdAt: chat['creationDate'],
    updatedAt: findLatestIsoTime(chat['lastMessageDate'], requests.at(-1)?.['timestamp']),
    otherwise,
    origin: tryCreateOriginKey('vscode', toTextOrEmpty(chat['sessionId'])),
  });
}

/**
 * Finds the latest of some times. The date of the last message may be that of the first state of a log, so that the
 * last request counts as well.
 */
const findLatestIsoTime = (...times: readonly unknown[]) =>
  times
    .flatMap((time) => tryConvertToIsoTime(time) ?? [])
    .sort()
    .at(-1);

function createRequestTurns(request: Fields, assistant: string): readonly Turn[] {
  const { message, response, result } = request;
  const failure = toTextOrEmpty(toObjectOrEmpty(toObjectOrEmpty(result)['errorDetails'])['message']);
  return [
    { speaker: userSpeaker, text: toTextOrEmpty(message) || toTextOrEmpty(toObjectOrEmpty(message)['text']) },
    {
      speaker: assistant,
      text: joinNonBlankParagraphs([
        formatResponseParts(toArrayOrEmpty(response).map(toObjectOrEmpty)),
        failure && `*${failure}*`,
      ]),
    },
  ];
}

/** Joins references with the sentence around them; other parts become separate blocks. */
function formatResponseParts(parts: readonly Fields[]): string {
  const blocks: string[] = [];
  let isOpen = false;
  for (const part of parts) {
    const inline = tryFormatInlinePart(part);
    if (inline === undefined) blocks.push(formatBlockPartOrEmptyIfHidden(part));
    else if (isOpen) blocks.push(`${blocks.pop() ?? ''}${inline}`);
    else blocks.push(inline);
    isOpen = inline !== undefined;
  }
  return joinNonBlankParagraphs(blocks);
}

/** Formats a part within a sentence. Returns undefined for parts outside of a sentence. */
function tryFormatInlinePart(part: Fields): string | undefined {
  switch (part['kind']) {
    case undefined:
      return toMarkdownTextOrEmpty(part);
    case 'markdownContent':
    case 'markdownVuln':
      return toMarkdownTextOrEmpty(part['content']);
    case 'inlineReference':
      return `\`${getFirstNonBlankOrEmpty(part['name'], formatFileOrSymbolName(part['inlineReference']))}\``;
    default:
      return undefined;
  }
}

const toMarkdownTextOrEmpty = (value: unknown) =>
  toTextOrEmpty(value) || toTextOrEmpty(toObjectOrEmpty(value)['value']);

/** Progress indicators of the editor, and reasoning. */
const hiddenPartKinds: readonly unknown[] = [
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

function formatBlockPartOrEmptyIfHidden(part: Fields): string {
  if (hiddenPartKinds.includes(part['kind'])) return '';
  if (part['kind'] === 'textEditGroup') return `*Edited ${formatFileOrSymbolName(part['uri'])}*`;
  if (part['kind'] !== 'toolInvocationSerialized') return formatAsShortenedJsonBlock(part);
  const summary = toMarkdownTextOrEmpty(part['pastTenseMessage']) || toMarkdownTextOrEmpty(part['invocationMessage']);
  return `*Tool ${getFirstNonBlankOrEmpty(part['toolId'], 'without a name')}*${summary && `\n\n${summary}`}`;
}

/** Returns the name of a file, or of a symbol in it, or "a file" if there is none. */
function formatFileOrSymbolName(reference: unknown): string {
  const { name, location, uri, path, fsPath } = toObjectOrEmpty(reference);
  const file = getFirstNonBlankOrEmpty(path, fsPath, reference).split(/[\\/]/).at(-1) ?? '';
  return (
    getFirstNonBlankOrEmpty(name, file) || ((location ?? uri) ? formatFileOrSymbolName(location ?? uri) : 'a file')
  );
}
