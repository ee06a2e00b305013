import type { Fields } from '../../core/json/json.ts';
import { splitJsonArray } from '../../core/json/json-array.ts';
import type { NoteFormat } from '../note-format.ts';
import { createBadRecord, type ReadRecord } from '../record.ts';
import { readEachMatchingFile, type Source, type SourceFile } from '../source.ts';
import { toObject, tryParseBoundedJson } from '../untyped-values.ts';
import { createChatgptRecord } from './chatgpt.ts';
import { createClaudeRecord } from './claude.ts';

/** At the top of the archive; some programs unzip into an extra folder. */
const conversationFile = /^([^/]+\/)?conversations(-\d+)?\.json$/;
/** A list of conversations, or one by itself, as other programs save it. */
const isJson = /^\ufeff?\s*(\[\s*)?\{/;
const hasNodes = /"mapping"\s*:\s*\{\s*(\}|"[^"]*"\s*:\s*\{\s*"(id|message|parent|children)")/;
const hasMatchingFile = (source: Source, pattern: RegExp) => source.files.some((file) => pattern.test(file));

/** Recognizes a folder by the files beside the conversations, a file by the fields of its first conversation. */
export const chatgptFormat: NoteFormat = {
  name: 'chatgpt',
  description: "ChatGPT's data export: the .zip, its folder or conversations.json; or one conversation",
  toleratesOtherFiles: true,
  recognizes: (source, head) =>
    (hasMatchingFile(source, conversationFile) || (isJson.test(head) && hasNodes.test(head))) &&
    !claudeFormat.recognizes(source, head),
  read: readConversationRecords,
};

export const claudeFormat: NoteFormat = {
  name: 'claude',
  description: "Claude's data export: the .zip, its folder or conversations.json; or one conversation",
  toleratesOtherFiles: true,
  recognizes: (source, head) =>
    (hasMatchingFile(source, conversationFile) && hasMatchingFile(source, /(^|\/)(users|memories)\.json$/)) ||
    (isJson.test(head) && /"chat_messages"\s*:\s*\[/.test(head)),
  read: readConversationRecords,
};

/**
 * Detects the program per conversation by its fields: both programs use the same file name. A folder without a file of
 * that name holds conversations one by one.
 */
function readConversationRecords(source: Source): AsyncIterable<ReadRecord> {
  const pattern = hasMatchingFile(source, conversationFile) ? conversationFile : /\.json$/i;
  return readEachMatchingFile(source, pattern, readRecordsOfConversationFile);
}

async function* readRecordsOfConversationFile({
  name,
  modifiedAt,
  readChunks,
}: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  let count = 0;
  for await (const conversation of parseEachConversation(readChunks())) {
    count++;
    const location = `conversation ${count} of ${name}`;
    yield tryCreateConversationRecord(location, conversation, modifiedAt) ?? createBadRecord(location, notConversation);
  }
}

async function* parseEachConversation(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Fields, void, void> {
  for await (const elements of splitJsonArray(wrapObjectInArray(chunks))) {
    for (const element of elements) yield* unwrapConversations(toObject(tryParseBoundedJson(element)));
  }
}

const notConversation = 'It is not a conversation: it has neither "mapping" (ChatGPT) nor "chat_messages" (Claude)';

/** Some programs save `{conversations: […]}`: github.com/Snezhana/bot-knows, tests/fixtures/claude_export.json. */
const unwrapConversations = (value: Fields): readonly Fields[] =>
  Array.isArray(value['conversations']) ? value['conversations'].map(toObject) : [value];

const [list, object] = ['[', '{'].map((bracket) => bracket.charCodeAt(0));

/** Puts brackets around a single object. */
async function* wrapObjectInArray(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const bytes = new TextEncoder();
  let first: number | undefined;
  for await (const chunk of chunks) {
    const isStart = first === undefined;
    first ??= chunk.find((byte) => byte === list || byte === object);
    if (isStart && first === object) yield bytes.encode('[');
    yield chunk;
  }
  if (first === object) yield bytes.encode(']');
}

/** Undefined if it is neither one of ChatGPT nor of Claude. */
export function tryCreateConversationRecord(location: string, value: Fields, otherwise: Date): ReadRecord | undefined {
  if (Array.isArray(value['chat_messages'])) return createClaudeRecord(location, value, otherwise);
  return 'mapping' in value || 'current_node' in value ? createChatgptRecord(location, value, otherwise) : undefined;
}
