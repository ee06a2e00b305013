/**
 * A conversation of ChatGPT's data export (Settings, Data controls, Export data). OpenAI documents no format. Based on
 * github.com/mitkury/chatgpt-export-parser, docs/chatgpt-data-export-format.md (the tree of messages), on content
 * types observed in exports of 2026 (`thoughts`, `reasoning_recap`, `execution_output`, `tether_browsing_display`,
 * `user_editable_context`, asset pointers), and on github.com/alexeygrigorev/chatgpt-data-viewer/issues/1 (files named
 * conversations-000.json and so on).
 */

import { type Fields, isObject, tryParseJson } from '../../core/json/json.ts';
import { tryCreateOriginKey } from '../origin.ts';
import { createBadRecord, createForeignRecord, type ReadRecord } from '../record.ts';
import { findFirstText, toArray, toObject, toText, tryParseTimestamp } from '../untyped-values.ts';
import { linkCitations } from './chatgpt-citations.ts';
import { listMessagesOfShownBranches } from './message-tree.ts';
import {
  findOpeningText,
  formatAsShortenedJsonBlock,
  formatAttachmentLabel,
  formatCodeBlock,
  formatTranscript,
  joinParagraphs,
  type Turn,
  userSpeaker,
} from './transcript.ts';

/**
 * A text that ChatGPT wrote in its canvas: new (`{name, type, content}`), changed (`{updates: [{pattern,
 * replacement}]}`) or commented on (`{comments: [{pattern, comment}]}`), as JSON for the tool `recipient`. `next` is the
 * response of the tool, which tells title and type. The result is empty or undefined for other tools and other JSON.
 * Exports hold changes without their last brackets: github.com/jamesmoore/chatgpt-export,
 * ChatGPTExport/Formatters/Markdown/MarkdownContentVisitor.cs.
 */
function tryFormatCanvas(recipient: string, json: string, next: Fields | undefined): string | undefined {
  if (!recipient.startsWith('canmore.')) return undefined;
  const call = toObject(tryParseJson(json) ?? tryParseJson(`${json}]}`));
  const canvas = toObject(toObject(next?.['metadata'])['canvas']);
  const type = findFirstText(call['type'], canvas['textdoc_type']);
  const formatCanvasText = (value: unknown) => {
    const text = toText(value);
    return text !== '' && type.startsWith('code/') ? formatCodeBlock(text, type.slice('code/'.length)) : text;
  };
  const updates = toArray(call['updates']).map(toObject);
  const comments = toArray(call['comments']).map(toObject);
  const texts = [
    formatCanvasText(call['content']),
    ...updates.map(({ pattern, replacement }) =>
      joinParagraphs([formatChangePlace(pattern), formatCanvasText(replacement)]),
    ),
    ...comments.map(({ pattern, comment }) => joinParagraphs([formatChangePlace(pattern), toText(comment)])),
  ];
  const text = joinParagraphs(texts);
  return text && joinParagraphs([`*Canvas: ${findFirstText(call['name'], canvas['title'], 'untitled')}*`, text]);
}

/** Says where a change or comment belongs: at what a regular expression finds. Empty if that is all of the text. */
const formatChangePlace = (pattern: unknown) =>
  /^(\.\*|\^?\[\\s\\S\]\*\$?|)$/.test(toText(pattern)) ? '' : `*At:*\n\n${formatCodeBlock(toText(pattern))}`;

const assistant = 'ChatGPT';

export function createChatgptRecord(location: string, conversation: Fields, otherwise: Date): ReadRecord {
  const { mapping, create_time, update_time } = conversation;
  if (!isObject(mapping)) return createBadRecord(location, 'Its field "mapping" is not there');
  const messages = listShownChatgptMessages(mapping, toText(conversation['current_node']));
  const turns = messages.map((message, at) =>
    isShownMessage(message) ? createChatgptTurn(message, messages[at + 1]) : emptyTurn,
  );
  const times = messages.flatMap((message) => tryParseTimestamp(message['create_time']) ?? []).sort();
  return createForeignRecord(location, {
    title: findFirstText(conversation['title'], findOpeningText(turns)),
    content: formatTranscript(turns),
    category: 'chat-tool',
    color: 'secondary',
    archived: conversation['is_archived'] === true,
    createdAt: tryParseTimestamp(create_time) ?? times[0],
    updatedAt: tryParseTimestamp(update_time) ?? times.at(-1),
    otherwise,
    origin: tryCreateOriginKey('chatgpt', findFirstText(conversation['conversation_id'], conversation['id'])),
  });
}

/** The displayed messages. Exports since 2026 leave out `children`; other programs leave out empty nodes. */
function listShownChatgptMessages(mapping: Fields, current: string): readonly Fields[] {
  const nodes = Object.entries(mapping).map(([id, value]) => {
    const { parent, children, message } = toObject(value);
    const time = tryParseTimestamp(toObject(message)['create_time']);
    return { id, parent: toText(parent), children: toArray(children).map(toText), time, message: toObject(message) };
  });
  return listMessagesOfShownBranches(nodes, current);
}

/** Custom instructions and the model's reasoning, which ChatGPT does not show in the conversation. */
const hiddenContentTypes: readonly unknown[] = [
  'user_editable_context',
  'model_editable_context',
  'thoughts',
  'reasoning_recap',
];

const isShownMessage = (message: Fields) =>
  toObject(message['metadata'])['is_visually_hidden_from_conversation'] !== true &&
  !hiddenContentTypes.includes(toObject(message['content'])['content_type']);

const emptyTurn: Turn = { speaker: '', text: '' };

const speakers = new Map([
  ['user', userSpeaker],
  ['assistant', assistant],
  ['tool', assistant],
  ['system', 'System'],
]);

/** Formats a message. `next` is the message after it: the response, if this one calls a tool. */
function createChatgptTurn(message: Fields, next: Fields | undefined): Turn {
  const author = toObject(message['author']);
  const role = toText(author['role']);
  const speaker = speakers.get(role) ?? (role || 'Unknown');
  const content = toObject(message['content']);
  const metadata = toObject(message['metadata']);
  const canvas = tryFormatCanvas(
    toText(message['recipient']),
    toText(content['text']) || formatMessageParts(content),
    next,
  );
  if (canvas) return { speaker, text: canvas };
  const said = formatMessageContent(content);
  const names = toArray(metadata['attachments']).map((file) => toText(toObject(file)['name']));
  const text = joinParagraphs([
    role === 'user' ? said : linkCitations(said, metadata),
    ...names.filter(Boolean).map((name) => `[Attachment: ${name}]`),
  ]);
  const tool = findToolName(role, toText(author['name']), toText(message['recipient']));
  return {
    speaker,
    text: tool === '' || text === '' ? text : `*Tool ${tool}*\n\n${text}`,
  };
}

function findToolName(role: string, name: string, recipient: string): string {
  if (role === 'tool') return name;
  return role === 'assistant' && recipient !== 'all' ? recipient : '';
}

const formatMessageParts = (content: Fields) => joinParagraphs(toArray(content['parts']).map(formatMessagePart));

function formatMessageContent(content: Fields): string {
  const parts = formatMessageParts(content);
  switch (content['content_type']) {
    case undefined:
    case 'text':
    case 'multimodal_text':
      return parts || toText(content['text']);
    case 'code':
    case 'execution_output':
    case 'system_error':
      return formatCodeBlockOrEmpty(toText(content['text']) || parts, toText(content['language']));
    case 'tether_quote':
    case 'sonic_webpage':
      return joinParagraphs([
        `[${findFirstText(content['title'], content['url'])}](${toText(content['url'])})`,
        toText(content['text']),
      ]);
    case 'tether_browsing_display':
      return findFirstText(content['result'], content['summary']);
    default:
      return formatAsShortenedJsonBlock(content);
  }
}

const formatCodeBlockOrEmpty = (text: string, language: string) =>
  text === '' ? '' : formatCodeBlock(text, language === 'unknown' ? '' : language);

const assetKinds = new Map([
  ['image_asset_pointer', 'Image'],
  ['audio_asset_pointer', 'Audio'],
  ['video_container_asset_pointer', 'Video'],
  ['real_time_user_audio_video_asset_pointer', 'Audio and video'],
]);

function formatMessagePart(part: unknown): string {
  if (typeof part === 'string') return part;
  const fields = toObject(part);
  const asset = assetKinds.get(toText(fields['content_type']));
  if (asset === undefined) return toText(fields['text']) || formatAsShortenedJsonBlock(part);
  return formatAttachmentLabel(asset, toText(fields['asset_pointer']).replace(/^.*\//, ''));
}
