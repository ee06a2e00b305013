/**
 * A conversation of Claude's data export (Settings, Privacy, Export data). Anthropic documents no format. Based on the
 * types of github.com/nicepkg/chat2poster, packages/core-adapters/src/adapters/claude/shared/types.ts (messages,
 * `parent_message_uuid`), and on github.com/Sinity/polylogue, docs/providers/claude-ai.md (`text`, `tool_use` and
 * `tool_result` in `content`; `attachments`, `files`).
 */

import type { Fields } from '../../../core/json/json.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import { createRecordFromForeignNote, type ReadRecord } from '../../record.ts';
import {
  getFirstNonBlankOrEmpty,
  toArrayOrEmpty,
  toObjectOrEmpty,
  toTextOrEmpty,
  tryConvertToIsoTime,
} from '../../untyped-values.ts';
import { listMessagesOfShownBranches } from './message-tree.ts';
import {
  formatAsShortenedJsonBlock,
  formatAttachmentLabel,
  formatCodeBlock,
  formatContentBlocks,
  formatShortenedToolCall,
  formatShortenedToolResultOrEmpty,
  formatTranscript,
  getFirstUserOrAnyTextOrEmpty,
  joinNonBlankParagraphs,
  type Turn,
  userSpeaker,
} from './transcript.ts';

const assistant = 'Claude';

export function createClaudeRecord(location: string, conversation: Fields, otherwise: Date): ReadRecord {
  const messages = listShownClaudeMessages(conversation);
  const turns = messages.map(createClaudeTurn);
  const times = messages.flatMap((message) => tryConvertToIsoTime(message['created_at']) ?? []).sort();
  return createRecordFromForeignNote(location, {
    title: getFirstNonBlankOrEmpty(conversation['name'], getFirstUserOrAnyTextOrEmpty(turns)),
    content: formatTranscript(turns),
    category: 'chat-tool',
    color: 'secondary',
    createdAt: tryConvertToIsoTime(conversation['created_at']) ?? times[0],
    updatedAt: tryConvertToIsoTime(conversation['updated_at']) ?? times.at(-1),
    otherwise,
    origin: tryCreateOriginKey('claude', toTextOrEmpty(conversation['uuid'])),
  });
}

/**
 * Lists the messages that Claude shows. Exports before 2025 have no parents: then all are shown, in order. First
 * messages share a parent.
 */
function listShownClaudeMessages(conversation: Fields): readonly Fields[] {
  const ids = new Set<string>();
  const nodes = toArrayOrEmpty(conversation['chat_messages']).map((value, at) => {
    const message = toObjectOrEmpty(value);
    const uuid = toTextOrEmpty(message['uuid']);
    const id = uuid === '' || ids.has(uuid) ? `${uuid}#${at}` : uuid;
    ids.add(id);
    return {
      id,
      parent: toTextOrEmpty(message['parent_message_uuid']),
      time: tryConvertToIsoTime(message['created_at']),
      message,
    };
  });
  return listMessagesOfShownBranches(nodes, toTextOrEmpty(conversation['current_leaf_message_uuid']));
}

const speakers = new Map([
  ['human', userSpeaker],
  ['assistant', assistant],
]);

function createClaudeTurn(message: Fields): Turn {
  const sender = toTextOrEmpty(message['sender']);
  const blocks = toArrayOrEmpty(message['content']).map(toObjectOrEmpty);
  const attachments = toArrayOrEmpty(message['attachments']).map((file) => formatAttachedFile(toObjectOrEmpty(file)));
  const files = [...toArrayOrEmpty(message['files']), ...toArrayOrEmpty(message['files_v2'])].map(toObjectOrEmpty);
  const named = new Map(
    files.map((file) => [getFirstNonBlankOrEmpty(file['file_uuid'], file['file_name']), formatFileLabel('File', file)]),
  );
  return {
    speaker: speakers.get(sender) ?? (sender || 'Unknown'),
    text: joinNonBlankParagraphs([
      getWordsBesideBlocksOrEmpty(blocks, toTextOrEmpty(message['text'])),
      ...blocks.map(formatClaudeBlockOrEmpty),
      ...attachments,
      ...named.values(),
    ]),
  };
}

/**
 * Returns what the field `text` holds beyond the blocks: all of it, if no block has a text. In exports since 2025 it
 * repeats the blocks, thinking included, with a sentence for each block that is not text.
 */
function getWordsBesideBlocksOrEmpty(blocks: readonly Fields[], text: string): string {
  if (blocks.some((block) => toTextOrEmpty(block['text']).trim() !== '')) return '';
  const words = text.replace(/```\s*This block is not supported on your current device yet\.\s*```/g, '').trim();
  const thoughts = blocks.map(({ thinking }) => toTextOrEmpty(thinking)).join('');
  return removeWhitespace(thoughts).includes(removeWhitespace(words)) ? '' : words;
}

const removeWhitespace = (text: string) => text.replace(/\s+/g, '');

function formatClaudeBlockOrEmpty(block: Fields): string {
  switch (block['type']) {
    case 'text':
    case 'voice_note':
      return toTextOrEmpty(block['text']);
    case 'thinking':
    case 'redacted_thinking':
    case 'token_budget':
      return '';
    case 'tool_use':
      return (
        formatWrittenDocumentOrEmpty(block) || formatShortenedToolCall(toTextOrEmpty(block['name']), block['input'])
      );
    case 'tool_result':
      return formatShortenedToolResultOrEmpty(formatContentBlocks(block['content']));
    case 'image':
      return '[Image]';
    default:
      return formatAsShortenedJsonBlock(block);
  }
}

/**
 * Formats a document that Claude wrote or changed, in the chat or as a file. It is not shortened, unlike other tool
 * calls. Returns an empty text for other blocks.
 */
function formatWrittenDocumentOrEmpty(block: Fields): string {
  if (!writingTools.includes(block['name'])) return '';
  const { title, id, path, language, content, file_text, new_str } = toObjectOrEmpty(block['input']);
  const text = getFirstNonBlankOrEmpty(content, file_text, new_str);
  const name = getFirstNonBlankOrEmpty(title, path, id, 'Artifact');
  const heading = text === new_str ? `Changed in ${name}` : name;
  return text && `*${heading}*\n\n${formatCodeBlock(text, toTextOrEmpty(language))}`;
}

const writingTools: readonly unknown[] = ['artifacts', 'create_file', 'str_replace'];

/** Formats a file that was attached, or a text that was pasted, with its text. */
function formatAttachedFile(file: Fields): string {
  const text = toTextOrEmpty(file['extracted_content']);
  return joinNonBlankParagraphs([formatFileLabel('Attachment', file), text === '' ? '' : formatCodeBlock(text)]);
}

const formatFileLabel = (kind: string, file: Fields) =>
  formatAttachmentLabel(kind, getFirstNonBlankOrEmpty(file['file_name'], file['file_uuid']));
