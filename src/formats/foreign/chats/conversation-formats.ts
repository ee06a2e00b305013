import type { Fields } from '../../../core/json/json.ts';
import { streamJsonElementTextBatches } from '../../../core/json/json-array.ts';
import type { NoteFormat } from '../../note-format.ts';
import { createBadRecord, type ReadRecord } from '../../record.ts';
import { type Source, type SourceFile, streamRecordsOfMatchingFiles } from '../../source.ts';
import { toObjectOrEmpty, tryParseBoundedJson } from '../../untyped-values.ts';
import { createChatgptRecord } from './chatgpt.ts';
import { createClaudeRecord } from './claude.ts';

/** The file is at the top of the archive. Some programs unzip into an extra folder. */
const conversationFile = /^([^/]+\/)?conversations(-\d+)?\.json$/;
/** The file begins as a list of conversations, or as one by itself, which other programs save. */
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
  streamRecords: streamConversationRecords,
};

export const claudeFormat: NoteFormat = {
  name: 'claude',
  description: "Claude's data export: the .zip, its folder or conversations.json; or one conversation",
  toleratesOtherFiles: true,
  recognizes: (source, head) =>
    (hasMatchingFile(source, conversationFile) && hasMatchingFile(source, /(^|\/)(users|memories)\.json$/)) ||
    (isJson.test(head) && /"chat_messages"\s*:\s*\[/.test(head)),
  streamRecords: streamConversationRecords,
};

/**
 * Yields the records of all conversations. The fields of a conversation tell its program, as both programs use the same
 * file name. A folder without a file of that name holds conversations one by one.
 */
function streamConversationRecords(source: Source): AsyncIterable<ReadRecord> {
  const pattern = hasMatchingFile(source, conversationFile) ? conversationFile : /\.json$/i;
  return streamRecordsOfMatchingFiles(source, pattern, streamConversationFileRecords);
}

async function* streamConversationFileRecords({
  name,
  modifiedAt,
  streamChunks,
}: SourceFile): AsyncGenerator<ReadRecord, void, void> {
  let count = 0;
  for await (const conversation of streamConversations(streamChunks())) {
    count++;
    const location = `conversation ${count} of ${name}`;
    yield tryCreateChatgptOrClaudeRecord(location, conversation, modifiedAt) ??
      createBadRecord(location, notConversation);
  }
}

async function* streamConversations(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Fields, void, void> {
  for await (const elements of streamJsonElementTextBatches(streamBytesWrappedAsJsonArray(chunks))) {
    for (const element of elements)
      yield* listConversationsOrObjectItself(toObjectOrEmpty(tryParseBoundedJson(element)));
  }
}

const notConversation = 'It is not a conversation: it has neither "mapping" (ChatGPT) nor "chat_messages" (Claude)';

/**
 * Lists the conversations of an object, or the object itself if it is one. Some programs save `{conversations: […]}`:
 * github.com/Snezhana/bot-knows, tests/fixtures/claude_export.json.
 */
const listConversationsOrObjectItself = (value: Fields): readonly Fields[] =>
  Array.isArray(value['conversations']) ? value['conversations'].map(toObjectOrEmpty) : [value];

const [list, object] = ['[', '{'].map((bracket) => bracket.charCodeAt(0));

/** Yields the bytes of a JSON array: puts brackets around a single object, and passes on an array. */
async function* streamBytesWrappedAsJsonArray(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
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

/** Creates the record of a conversation. Returns undefined if it is neither one of ChatGPT nor of Claude. */
export function tryCreateChatgptOrClaudeRecord(
  location: string,
  value: Fields,
  otherwise: Date,
): ReadRecord | undefined {
  if (Array.isArray(value['chat_messages'])) return createClaudeRecord(location, value, otherwise);
  return 'mapping' in value || 'current_node' in value ? createChatgptRecord(location, value, otherwise) : undefined;
}
