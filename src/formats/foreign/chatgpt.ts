/**
 * A conversation of ChatGPT's data export (Settings, Data controls, Export data). OpenAI documents no format. Based on
 * github.com/mitkury/chatgpt-export-parser, docs/chatgpt-data-export-format.md (the tree of messages), on content
 * types observed in exports of 2026 (`thoughts`, `reasoning_recap`, `execution_output`, `tether_browsing_display`,
 * `user_editable_context`, asset pointers), and on github.com/alexeygrigorev/chatgpt-data-viewer/issues/1 (files named
 * conversations-000.json and so on).
 */

import { type Fields, isObject } from '../../shared/json.ts';
import { originKey } from '../origin.ts';
import { bad, type ReadRecord } from '../record.ts';
import { fieldsOf, firstText, listOf, pathTo, textOf } from './fields.ts';
import { recordOf } from './note-record.ts';
import { asJson, attached, fenced, joined, openingOf, type Turn, transcript, you } from './transcript.ts';

const assistant = 'ChatGPT';

export function chatgptRecord(location: string, conversation: Fields, otherwise: Date): ReadRecord {
  const messages = branchOf(conversation);
  if (messages === undefined) {
    return bad(location, 'Its field "mapping" holds no messages that "current_node" leads to');
  }
  const turns = messages.filter(isShown).map(turnOf);
  return recordOf(location, {
    title: firstText(conversation['title'], openingOf(turns)),
    content: transcript(turns),
    category: 'chat-tool',
    color: 'secondary',
    archived: conversation['is_archived'] === true,
    createdAt: conversation['create_time'],
    updatedAt: conversation['update_time'],
    otherwise,
    origin: originKey('chatgpt', firstText(conversation['conversation_id'], conversation['id'])),
  });
}

/** The displayed messages from first to last: the ancestors of `current_node`. */
function branchOf(conversation: Fields): readonly Fields[] | undefined {
  const { mapping, current_node } = conversation;
  const nodes = new Map(Object.entries(fieldsOf(mapping)).map(([id, node]) => [id, fieldsOf(node)]));
  if (nodes.size === 0) return isObject(mapping) ? [] : undefined;
  const id = textOf(current_node) || lastLeaf(nodes);
  return nodes.has(id) ? pathTo(id, nodes, 'parent').map((node) => fieldsOf(node['message'])) : undefined;
}

/** The end of a conversation without `current_node`. */
const lastLeaf = (nodes: ReadonlyMap<string, Fields>) =>
  Array.from(nodes).findLast(([, node]) => listOf(node['children']).length === 0)?.[0] ?? '';

/** Custom instructions and the model's reasoning, which ChatGPT does not show in the conversation. */
const hidden: readonly unknown[] = ['user_editable_context', 'model_editable_context', 'thoughts', 'reasoning_recap'];

const isShown = (message: Fields) =>
  fieldsOf(message['metadata'])['is_visually_hidden_from_conversation'] !== true &&
  !hidden.includes(fieldsOf(message['content'])['content_type']);

const speakers = new Map([
  ['user', you],
  ['assistant', assistant],
  ['tool', assistant],
  ['system', 'System'],
]);

function turnOf(message: Fields): Turn {
  const author = fieldsOf(message['author']);
  const role = textOf(author['role']);
  const names = listOf(fieldsOf(message['metadata'])['attachments']).map((file) => textOf(fieldsOf(file)['name']));
  const text = joined([
    contentText(fieldsOf(message['content'])),
    ...names.filter(Boolean).map((name) => `[Attachment: ${name}]`),
  ]);
  const tool = toolOf(role, textOf(author['name']), textOf(message['recipient']));
  return {
    speaker: speakers.get(role) ?? (role || 'Unknown'),
    text: tool === '' || text === '' ? text : `*Tool ${tool}*\n\n${text}`,
  };
}

function toolOf(role: string, name: string, recipient: string): string {
  if (role === 'tool') return name;
  return role === 'assistant' && recipient !== 'all' ? recipient : '';
}

function contentText(content: Fields): string {
  const parts = joined(listOf(content['parts']).map(partText));
  switch (content['content_type']) {
    case undefined:
    case 'text':
    case 'multimodal_text':
      return parts || textOf(content['text']);
    case 'code':
    case 'execution_output':
    case 'system_error':
      return code(textOf(content['text']) || parts, textOf(content['language']));
    case 'tether_quote':
      return joined([
        `[${firstText(content['title'], content['url'])}](${textOf(content['url'])})`,
        textOf(content['text']),
      ]);
    case 'tether_browsing_display':
      return firstText(content['result'], content['summary']);
    default:
      return asJson(content);
  }
}

const code = (text: string, language: string) =>
  text === '' ? '' : fenced(text, language === 'unknown' ? '' : language);

const assets = new Map([
  ['image_asset_pointer', 'Image'],
  ['audio_asset_pointer', 'Audio'],
  ['video_container_asset_pointer', 'Video'],
  ['real_time_user_audio_video_asset_pointer', 'Audio and video'],
]);

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  const fields = fieldsOf(part);
  const asset = assets.get(textOf(fields['content_type']));
  if (asset === undefined) return textOf(fields['text']) || asJson(part);
  return attached(asset, textOf(fields['asset_pointer']).replace(/^.*\//, ''));
}
