/**
 * A conversation of Claude's data export (Settings, Privacy, Export data). Anthropic documents no format. Based on the
 * types of github.com/nicepkg/chat2poster, packages/core-adapters/src/adapters/claude/shared/types.ts (messages,
 * `parent_message_uuid`), and on github.com/Sinity/polylogue, docs/providers/claude-ai.md (`text`, `tool_use` and
 * `tool_result` in `content`; `attachments`, `files`).
 */

import type { Fields } from '../../shared/json.ts';
import { originKey } from '../origin.ts';
import type { ReadRecord } from '../record.ts';
import { fieldsOf, firstText, listOf, pathTo, textOf } from './fields.ts';
import { recordOf } from './note-record.ts';
import {
  asJson,
  attached,
  blockTexts,
  fenced,
  joined,
  openingOf,
  type Turn,
  toolCall,
  toolResult,
  transcript,
  you,
} from './transcript.ts';

const assistant = 'Claude';

export function claudeRecord(location: string, conversation: Fields, otherwise: Date): ReadRecord {
  const turns = branchOf(conversation).map(turnOf);
  return recordOf(location, {
    title: firstText(conversation['name'], openingOf(turns)),
    content: transcript(turns),
    category: 'chat-tool',
    color: 'secondary',
    createdAt: conversation['created_at'],
    updatedAt: conversation['updated_at'],
    otherwise,
    origin: originKey('claude', textOf(conversation['uuid'])),
  });
}

/** The ancestors of the last message. Exports before 2025 have no parents: then all messages, in order. */
function branchOf(conversation: Fields): readonly Fields[] {
  const messages = listOf(conversation['chat_messages']).map(fieldsOf);
  const byId = new Map(messages.map((message) => [textOf(message['uuid']), message]));
  const last = byId.get(textOf(conversation['current_leaf_message_uuid'])) ?? messages.at(-1);
  if (last === undefined || !messages.some((message) => byId.has(textOf(message['parent_message_uuid'])))) {
    return messages;
  }
  return pathTo(textOf(last['uuid']), byId, 'parent_message_uuid');
}

const speakers = new Map([
  ['human', you],
  ['assistant', assistant],
]);

function turnOf(message: Fields): Turn {
  const sender = textOf(message['sender']);
  const blocks = joined(listOf(message['content']).map((block) => blockText(fieldsOf(block))));
  const attachments = listOf(message['attachments']).map((file) => attachmentText(fieldsOf(file)));
  const files = listOf(message['files']).map((file) => nameOf('File', fieldsOf(file)));
  return {
    speaker: speakers.get(sender) ?? (sender || 'Unknown'),
    text: joined([blocks || textOf(message['text']), ...attachments, ...files]),
  };
}

function blockText(block: Fields): string {
  switch (block['type']) {
    case 'text':
      return textOf(block['text']);
    case 'thinking':
    case 'redacted_thinking':
    case 'token_budget':
      return '';
    case 'tool_use':
      return artifactText(block) || toolCall(textOf(block['name']), block['input']);
    case 'tool_result':
      return toolResult(blockTexts(block['content']));
    case 'image':
      return '[Image]';
    default:
      return asJson(block);
  }
}

/** A document that Claude wrote; kept whole, unlike other tool calls. */
function artifactText(block: Fields): string {
  const input = fieldsOf(block['input']);
  const content = textOf(input['content']);
  if (block['name'] !== 'artifacts' || content === '') return '';
  return `*${firstText(input['title'], input['id'], 'Artifact')}*\n\n${fenced(content, textOf(input['language']))}`;
}

/** Text that was pasted or attached. */
function attachmentText(file: Fields): string {
  const text = textOf(file['extracted_content']);
  return joined([nameOf('Attachment', file), text === '' ? '' : fenced(text)]);
}

const nameOf = (kind: string, file: Fields) => attached(kind, firstText(file['file_name'], file['file_uuid']));
