/**
 * A conversation of ChatGPT's data export (Settings, Data controls, Export data). OpenAI documents no format. Based on
 * github.com/mitkury/chatgpt-export-parser, docs/chatgpt-data-export-format.md (the tree of messages), on content
 * types observed in exports of 2026 (`thoughts`, `reasoning_recap`, `execution_output`, `tether_browsing_display`,
 * `user_editable_context`, asset pointers), and on github.com/alexeygrigorev/chatgpt-data-viewer/issues/1 (files named
 * conversations-000.json and so on).
 */

import { type Fields, isObject } from '../../core/tools/json.ts';
import { originKey } from '../origin.ts';
import { bad, type ReadRecord } from '../record.ts';
import { shownBranch } from './chats/branch.ts';
import { canvasText } from './chats/canvas.ts';
import { withLinks } from './chats/citations.ts';
import { fieldsOf, firstText, listOf, textOf, timeOf } from './fields.ts';
import { recordOf } from './note-record.ts';
import { asJson, attached, fenced, joined, openingOf, type Turn, transcript, you } from './transcript.ts';

const assistant = 'ChatGPT';

export function chatgptRecord(location: string, conversation: Fields, otherwise: Date): ReadRecord {
  const { mapping, create_time, update_time } = conversation;
  if (!isObject(mapping)) return bad(location, 'Its field "mapping" is not there');
  const messages = messagesIn(mapping, textOf(conversation['current_node']));
  const turns = messages.map((message, at) => (isShown(message) ? turnOf(message, messages[at + 1]) : noTurn));
  const times = messages.flatMap((message) => timeOf(message['create_time']) ?? []).sort();
  return recordOf(location, {
    title: firstText(conversation['title'], openingOf(turns)),
    content: transcript(turns),
    category: 'chat-tool',
    color: 'secondary',
    archived: conversation['is_archived'] === true,
    createdAt: timeOf(create_time) ?? times[0],
    updatedAt: timeOf(update_time) ?? times.at(-1),
    otherwise,
    origin: originKey('chatgpt', firstText(conversation['conversation_id'], conversation['id'])),
  });
}

/** The displayed messages. Exports since 2026 leave out `children`; other programs leave out empty nodes. */
function messagesIn(mapping: Fields, current: string): readonly Fields[] {
  const nodes = Object.entries(mapping).map(([id, value]) => {
    const { parent, children, message } = fieldsOf(value);
    const time = timeOf(fieldsOf(message)['create_time']);
    return { id, parent: textOf(parent), children: listOf(children).map(textOf), time, message: fieldsOf(message) };
  });
  return shownBranch(nodes, current);
}

/** Custom instructions and the model's reasoning, which ChatGPT does not show in the conversation. */
const hidden: readonly unknown[] = ['user_editable_context', 'model_editable_context', 'thoughts', 'reasoning_recap'];

const isShown = (message: Fields) =>
  fieldsOf(message['metadata'])['is_visually_hidden_from_conversation'] !== true &&
  !hidden.includes(fieldsOf(message['content'])['content_type']);

const noTurn: Turn = { speaker: '', text: '' };

const speakers = new Map([
  ['user', you],
  ['assistant', assistant],
  ['tool', assistant],
  ['system', 'System'],
]);

/** `next` is the answer to a call of a tool. */
function turnOf(message: Fields, next: Fields | undefined): Turn {
  const author = fieldsOf(message['author']);
  const role = textOf(author['role']);
  const speaker = speakers.get(role) ?? (role || 'Unknown');
  const content = fieldsOf(message['content']);
  const metadata = fieldsOf(message['metadata']);
  const canvas = canvasText(textOf(message['recipient']), textOf(content['text']) || partsText(content), next);
  if (canvas) return { speaker, text: canvas };
  const said = contentText(content);
  const names = listOf(metadata['attachments']).map((file) => textOf(fieldsOf(file)['name']));
  const text = joined([
    role === 'user' ? said : withLinks(said, metadata),
    ...names.filter(Boolean).map((name) => `[Attachment: ${name}]`),
  ]);
  const tool = toolOf(role, textOf(author['name']), textOf(message['recipient']));
  return {
    speaker,
    text: tool === '' || text === '' ? text : `*Tool ${tool}*\n\n${text}`,
  };
}

function toolOf(role: string, name: string, recipient: string): string {
  if (role === 'tool') return name;
  return role === 'assistant' && recipient !== 'all' ? recipient : '';
}

const partsText = (content: Fields) => joined(listOf(content['parts']).map(partText));

function contentText(content: Fields): string {
  const parts = partsText(content);
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
    case 'sonic_webpage':
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
