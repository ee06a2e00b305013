/**
 * A conversation of ChatGPT's data export (Settings, Data controls, Export data). OpenAI documents no format. Based on
 * github.com/mitkury/chatgpt-export-parser, docs/chatgpt-data-export-format.md (the tree of messages), on content
 * types observed in exports of 2026 (`thoughts`, `reasoning_recap`, `execution_output`, `tether_browsing_display`,
 * `user_editable_context`, asset pointers), and on github.com/alexeygrigorev/chatgpt-data-viewer/issues/1 (files named
 * conversations-000.json and so on).
 */

import { type Fields, isObject, tryParseJson } from '../../../core/json/json.ts';
import { tryCreateOriginKey } from '../../origin.ts';
import { createBadRecord, createRecordFromForeignNote, type ReadRecord } from '../../record.ts';
import {
  getFirstNonBlankOrEmpty,
  toArrayOrEmpty,
  toObjectOrEmpty,
  toTextOrEmpty,
  tryConvertToIsoTime,
} from '../../untyped-values.ts';
import { replaceCitationsAndAppendSources } from './chatgpt-citations.ts';
import { listMessagesOfShownBranches } from './message-tree.ts';
import {
  formatAsShortenedJsonBlock,
  formatAttachmentLabel,
  formatCodeBlock,
  formatTranscript,
  getFirstUserOrAnyTextOrEmpty,
  joinNonBlankParagraphs,
  type Turn,
  userSpeaker,
} from './transcript.ts';

/**
 * Formats a text that ChatGPT wrote in its canvas. It is JSON for the tool `recipient`: a new text (`{name, type,
 * content}`), changes (`{updates: [{pattern, replacement}]}`) or comments (`{comments: [{pattern, comment}]}`). `next`
 * is the response of the tool, which tells title and type. Returns undefined for other tools, and an empty text for
 * other JSON. Exports hold changes without their last brackets: github.com/jamesmoore/chatgpt-export,
 * ChatGPTExport/Formatters/Markdown/MarkdownContentVisitor.cs.
 */
function tryFormatCanvasToolCallOrEmpty(recipient: string, json: string, next: Fields | undefined): string | undefined {
  if (!recipient.startsWith('canmore.')) return undefined;
  const call = toObjectOrEmpty(tryParseJson(json) ?? tryParseJson(`${json}]}`));
  const canvas = toObjectOrEmpty(toObjectOrEmpty(next?.['metadata'])['canvas']);
  const type = getFirstNonBlankOrEmpty(call['type'], canvas['textdoc_type']);
  const formatCanvasText = (value: unknown) => {
    const text = toTextOrEmpty(value);
    return text !== '' && type.startsWith('code/') ? formatCodeBlock(text, type.slice('code/'.length)) : text;
  };
  const updates = toArrayOrEmpty(call['updates']).map(toObjectOrEmpty);
  const comments = toArrayOrEmpty(call['comments']).map(toObjectOrEmpty);
  const texts = [
    formatCanvasText(call['content']),
    ...updates.map(({ pattern, replacement }) =>
      joinNonBlankParagraphs([formatChangePlaceOrEmpty(pattern), formatCanvasText(replacement)]),
    ),
    ...comments.map(({ pattern, comment }) =>
      joinNonBlankParagraphs([formatChangePlaceOrEmpty(pattern), toTextOrEmpty(comment)]),
    ),
  ];
  const text = joinNonBlankParagraphs(texts);
  return (
    text &&
    joinNonBlankParagraphs([`*Canvas: ${getFirstNonBlankOrEmpty(call['name'], canvas['title'], 'untitled')}*`, text])
  );
}

/**
 * Says where a change or comment belongs: at what a regular expression finds. Returns an empty text if that is all of
 * the text.
 */
const formatChangePlaceOrEmpty = (pattern: unknown) =>
  /^(\.\*|\^?\[\\s\\S\]\*\$?|)$/.test(toTextOrEmpty(pattern))
    ? ''
    : `*At:*\n\n${formatCodeBlock(toTextOrEmpty(pattern))}`;

const assistant = 'ChatGPT';

export function createChatgptRecord(location: string, conversation: Fields, otherwise: Date): ReadRecord {
  const { mapping, create_time, update_time } = conversation;
  if (!isObject(mapping)) return createBadRecord(location, 'Its field "mapping" is not there');
  const messages = listShownMessages(mapping, toTextOrEmpty(conversation['current_node']));
  const turns = messages.map((message, at) =>
    isShownMessage(message) ? createChatgptTurn(message, messages[at + 1]) : emptyTurn,
  );
  const times = messages.flatMap((message) => tryConvertToIsoTime(message['create_time']) ?? []).sort();
  return createRecordFromForeignNote(location, {
    title: getFirstNonBlankOrEmpty(conversation['title'], getFirstUserOrAnyTextOrEmpty(turns)),
    content: formatTranscript(turns),
    category: 'chat-tool',
    color: 'secondary',
    archived: conversation['is_archived'] === true,
    createdAt: tryConvertToIsoTime(create_time) ?? times[0],
    updatedAt: tryConvertToIsoTime(update_time) ?? times.at(-1),
    otherwise,
    origin: tryCreateOriginKey('chatgpt', getFirstNonBlankOrEmpty(conversation['conversation_id'], conversation['id'])),
  });
}

/**
 * Lists the messages that ChatGPT shows. Exports since 2026 leave out `children`; other programs leave out empty nodes.
 */
function listShownMessages(mapping: Fields, current: string): readonly Fields[] {
  const nodes = Object.entries(mapping).map(([id, value]) => {
    const { parent, children, message } = toObjectOrEmpty(value);
    const time = tryConvertToIsoTime(toObjectOrEmpty(message)['create_time']);
    return {
      id,
      parent: toTextOrEmpty(parent),
      children: toArrayOrEmpty(children).map(toTextOrEmpty),
      time,
      message: toObjectOrEmpty(message),
    };
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
  toObjectOrEmpty(message['metadata'])['is_visually_hidden_from_conversation'] !== true &&
  !hiddenContentTypes.includes(toObjectOrEmpty(message['content'])['content_type']);

const emptyTurn: Turn = { speaker: '', text: '' };

const speakers = new Map([
  ['user', userSpeaker],
  ['assistant', assistant],
  ['tool', assistant],
  ['system', 'System'],
]);

/** Creates the turn of a message. `next` is the message after it: the response, if this one calls a tool. */
function createChatgptTurn(message: Fields, next: Fields | undefined): Turn {
  const author = toObjectOrEmpty(message['author']);
  const role = toTextOrEmpty(author['role']);
  const speaker = speakers.get(role) ?? (role || 'Unknown');
  const content = toObjectOrEmpty(message['content']);
  const metadata = toObjectOrEmpty(message['metadata']);
  const canvas = tryFormatCanvasToolCallOrEmpty(
    toTextOrEmpty(message['recipient']),
    toTextOrEmpty(content['text']) || formatPartsOfContent(content),
    next,
  );
  if (canvas) return { speaker, text: canvas };
  const said = formatMessageContent(content);
  const names = toArrayOrEmpty(metadata['attachments']).map((file) => toTextOrEmpty(toObjectOrEmpty(file)['name']));
  const text = joinNonBlankParagraphs([
    role === 'user' ? said : replaceCitationsAndAppendSources(said, metadata),
    ...names.filter(Boolean).map((name) => `[Attachment: ${name}]`),
  ]);
  const tool = getToolNameByRoleOrEmpty(role, toTextOrEmpty(author['name']), toTextOrEmpty(message['recipient']));
  return {
    speaker,
    text: tool === '' || text === '' ? text : `*Tool ${tool}*\n\n${text}`,
  };
}

function getToolNameByRoleOrEmpty(role: string, name: string, recipient: string): string {
  if (role === 'tool') return name;
  return role === 'assistant' && recipient !== 'all' ? recipient : '';
}

const formatPartsOfContent = (content: Fields) =>
  joinNonBlankParagraphs(toArrayOrEmpty(content['parts']).map(formatMessagePart));

function formatMessageContent(content: Fields): string {
  const parts = formatPartsOfContent(content);
  switch (content['content_type']) {
    case undefined:
    case 'text':
    case 'multimodal_text':
      return parts || toTextOrEmpty(content['text']);
    case 'code':
    case 'execution_output':
    case 'system_error':
      return formatCodeBlockOrEmpty(toTextOrEmpty(content['text']) || parts, toTextOrEmpty(content['language']));
    case 'tether_quote':
    case 'sonic_webpage':
      return joinNonBlankParagraphs([
        `[${getFirstNonBlankOrEmpty(content['title'], content['url'])}](${toTextOrEmpty(content['url'])})`,
        toTextOrEmpty(content['text']),
      ]);
    case 'tether_browsing_display':
      return getFirstNonBlankOrEmpty(content['result'], content['summary']);
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
  const fields = toObjectOrEmpty(part);
  const asset = assetKinds.get(toTextOrEmpty(fields['content_type']));
  if (asset === undefined) return toTextOrEmpty(fields['text']) || formatAsShortenedJsonBlock(part);
  return formatAttachmentLabel(asset, toTextOrEmpty(fields['asset_pointer']).replace(/^.*\//, ''));
}
