/**
 * A conversation of Claude's data export (Settings, Privacy, Export data). Anthropic documents no format. Based on the
 * types of github.com/nicepkg/chat2poster, packages/core-adapters/src/adapters/claude/shared/types.ts (messages,
 * `parent_message_uuid`), and on github.com/Sinity/polylogue, docs/providers/claude-ai.md (`text`, `tool_use` and
 * `tool_result` in `content`; `attachments`, `files`).
 */

import type { Fields } from '../../core/json/json.ts';
import { tryCreateOriginKey } from '../origin.ts';
import { createForeignRecord, type ReadRecord } from '../record.ts';
import { findFirstText, toArray, toObject, toText, tryParseTimestamp } from '../untyped-values.ts';
import { listMessagesOfShownBranches } from './message-tree.ts';
import {
  findOpeningText,
  formatAsShortenedJsonBlock,
  formatAttachmentLabel,
  formatCodeBlock,
  formatContentBlocks,
  formatToolCall,
  formatToolResult,
  formatTranscript,
  joinParagraphs,
  type Turn,
  userSpeaker,
} from './transcript.ts';

const assistant = 'Claude';

export function createClaudeRecord(location: string, conversation: Fields, otherwise: Date): ReadRecord {
  const messages = listShownClaudeMessages(conversation);
  const turns = messages.map(createClaudeTurn);
  const times = messages.flatMap((message) => tryParseTimestamp(message['created_at']) ?? []).sort();
  return createForeignRecord(location, {
    title: findFirstText(conversation['name'], findOpeningText(turns)),
    content: formatTranscript(turns),
    category: 'chat-tool',
    color: 'secondary',
    createdAt: tryParseTimestamp(conversation['created_at']) ?? times[0],
    updatedAt: tryParseTimestamp(conversation['updated_at']) ?? times.at(-1),
    otherwise,
    origin: tryCreateOriginKey('claude', toText(conversation['uuid'])),
  });
}

/** The displayed messages. Exports before 2025 have no parents: then all, in order. First messages share a parent. */
function listShownClaudeMessages(conversation: Fields): readonly Fields[] {
  const ids = new Set<string>();
  const nodes = toArray(conversation['chat_messages']).map((value, at) => {
    const message = toObject(value);
    const uuid = toText(message['uuid']);
    const id = uuid === '' || ids.has(uuid) ? `${uuid}#${at}` : uuid;
    ids.add(id);
    return {
      id,
      parent: toText(message['parent_message_uuid']),
      time: tryParseTimestamp(message['created_at']),
      message,
    };
  });
  return listMessagesOfShownBranches(nodes, toText(conversation['current_leaf_message_uuid']));
}

const speakers = new Map([
  ['human', userSpeaker],
  ['assistant', assistant],
]);

function createClaudeTurn(message: Fields): Turn {
  const sender = toText(message['sender']);
  const blocks = toArray(message['content']).map(toObject);
  const attachments = toArray(message['attachments']).map((file) => formatAttachedText(toObject(file)));
  const files = [...toArray(message['files']), ...toArray(message['files_v2'])].map(toObject);
  const named = new Map(
    files.map((file) => [findFirstText(file['file_uuid'], file['file_name']), formatFileName('File', file)]),
  );
  return {
    speaker: speakers.get(sender) ?? (sender || 'Unknown'),
    text: joinParagraphs([
      findWordsBesideBlocks(blocks, toText(message['text'])),
      ...blocks.map(formatClaudeBlock),
      ...attachments,
      ...named.values(),
    ]),
  };
}

/**
 * What the field `text` holds beyond the blocks: all, if there are none. In exports since 2025 it repeats them, thinking
 * included, with a sentence for each block that is not text.
 */
function findWordsBesideBlocks(blocks: readonly Fields[], text: string): string {
  if (blocks.some((block) => toText(block['text']).trim() !== '')) return '';
  const words = text.replace(/```\s*This block is not supported on your current device yet\.\s*```/g, '').trim();
  const thoughts = blocks.map(({ thinking }) => toText(thinking)).join('');
  return removeWhitespace(thoughts).includes(removeWhitespace(words)) ? '' : words;
}

const removeWhitespace = (text: string) => text.replace(/\s+/g, '');

function formatClaudeBlock(block: Fields): string {
  switch (block['type']) {
    case 'text':
    case 'voice_note':
      return toText(block['text']);
    case 'thinking':
    case 'redacted_thinking':
    case 'token_budget':
      return '';
    case 'tool_use':
      return formatWrittenDocumentOrEmpty(block) || formatToolCall(toText(block['name']), block['input']);
    case 'tool_result':
      return formatToolResult(formatContentBlocks(block['content']));
    case 'image':
      return '[Image]';
    default:
      return formatAsShortenedJsonBlock(block);
  }
}

/** A document that Claude wrote or changed, in the chat or as a file. It is not shortened, unlike other tool calls. */
function formatWrittenDocumentOrEmpty(block: Fields): string {
  if (!writingTools.includes(block['name'])) return '';
  const { title, id, path, language, content, file_text, new_str } = toObject(block['input']);
  const text = findFirstText(content, file_text, new_str);
  const name = findFirstText(title, path, id, 'Artifact');
  const heading = text === new_str ? `Changed in ${name}` : name;
  return text && `*${heading}*\n\n${formatCodeBlock(text, toText(language))}`;
}

const writingTools: readonly unknown[] = ['artifacts', 'create_file', 'str_replace'];

/** Text that was pasted or attached. */
function formatAttachedText(file: Fields): string {
  const text = toText(file['extracted_content']);
  return joinParagraphs([formatFileName('Attachment', file), text === '' ? '' : formatCodeBlock(text)]);
}

const formatFileName = (kind: string, file: Fields) =>
  formatAttachmentLabel(kind, findFirstText(file['file_name'], file['file_uuid']));
