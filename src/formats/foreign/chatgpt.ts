/**
 * A conversation of ChatGPT's data export (Settings, Data controls, Export data). OpenAI documents no format. Based on
 * github.com/mitkury/chatgpt-export-parser, docs/chatgpt-data-export-format.md (the tree of messages), on content
 * types observed in exports of 2026 (`thoughts`, `reasoning_recap`, `execution_output`, `tether_browsing_display`,
 * `user_editable_context`, asset pointers), and on github.com/alexeygrigorev/chatgpt-data-viewer/issues/1 (files named
 * conversations-000.json and so on).
 */

import { type Fields, isObject, parsed } from '../../core/tools/json.ts';
import { createOriginKey } from '../origin.ts';
import {
  createBadRecord,
  createRecord,
  findFirstText,
  parseTimestamp,
  type ReadRecord,
  toArray,
  toObject,
  toText,
} from '../record.ts';
import {
  findOpening,
  findShownMessages,
  formatAsJson,
  formatAttachment,
  formatCodeBlock,
  formatTranscript,
  joinParagraphs,
  type Turn,
  userSpeaker,
} from './transcript.ts';

/**
 * Citation marks of ChatGPT: `<U+E200>cite<U+E202>turn0search1<U+E201>` and, before 2025, `【4†source】`. Their targets
 * are in the metadata of the message. Based on github.com/pionxzh/chatgpt-exporter, issue 259 (the characters),
 * github.com/Laumss/loominary, issue 17 (`content_references`), and public conversations of 2024 to 2026.
 */

/**
 * A mark that is closed, one that is not (up to the next blank: the rest may be words), the older form, or what is left
 * of a mark. U+E203 and U+E204 are around a cited sentence.
 */
const citationMark =
  / ?(?:\ue200([^\ue200\ue201\ue20b]*)[\ue201\ue20b]|\ue200(\w*(?:\ue202[^\s\ue200-\ue20b]*)*)|【 ?(\d+)(?::\d+)?†([^【】]*)】|\ue202(?:turn\d+[a-z]+\d+)?|[\ue200-\ue206\ue20b])/g;
const citationMarkStart = /[\ue200-\ue206\ue20b]|【 ?\d/;

/** Turns citation marks into Markdown links as far as `metadata` tells their targets, else into nothing. */
export function linkCitations(text: string, metadata: Fields): string {
  const references = toArray(metadata['content_references']).map(toObject);
  const byMark = new Map(references.map((reference) => [toText(reference['matched_text']), reference]));
  const citations = toArray(metadata['citations']).map(toObject);
  const byStart = new Map(citations.map((citation) => [citation['start_ix'], toObject(citation['metadata'])]));
  const byNumber = new Map(
    citations.map(({ metadata: source }) => [`${toObject(toObject(source)['extra'])['cited_message_idx']}`, source]),
  );
  const linked = citationMarkStart.test(text)
    ? text.replace(citationMark, (match, closed?: string, open?: string, number?: string, words = '', at = 0) => {
        const mark = match.trimStart();
        const start = Number(at) + match.length - mark.length;
        const reference = byMark.get(mark) ?? byStart.get(start) ?? toObject(byNumber.get(number ?? ''));
        const shown =
          formatReferenceLinks(reference) || findReferenceName(reference, closed ?? open ?? '') || findOwnWords(words);
        return shown && match.slice(0, match.length - mark.length) + shown;
      })
    : text;
  return [linked, formatMissingSources(references, linked)].filter(Boolean).join('\n\n');
}

/** The parts of a reference that have an address: pages, products, places. */
function formatReferenceLinks(reference: Fields): string {
  const { items, products, businesses, type } = reference;
  const parts = [items, products, businesses].flatMap(toArray).map(toObject);
  const links = [...(type === 'hidden' ? [] : [reference]), ...parts].map(formatLink).filter(Boolean);
  const [alone = ''] = links;
  return parts.length === 0 ? alone : links.length > 0 ? `(${[...new Set(links)].join(', ')})` : '';
}

function formatLink(part: Fields): string {
  const safe = part['title'] === undefined ? undefined : toArray(part['safe_urls'])[0];
  const url = findFirstText(part['url'], part['website_url'], safe);
  if (!/^https?:\/\/[^\s]+$/.test(url)) return '';
  const label = findFirstText(part['title'], part['name'], part['attribution'], url);
  return `[${escapeLabel(label)}](${url.replace(/[()<>]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)})`;
}

const escapeLabel = (label: string) => label.replace(/\s+/g, ' ').replace(/[\\[\]]/g, '\\$&');

/** Kinds of marks whose first argument is shown to the reader, with the address in the second. */
const namedMarkKinds: readonly unknown[] = ['url', 'link_title', 'video'];

/** A name instead of a link: of an entity, a product or a file. */
function findReferenceName(reference: Fields, mark: string): string {
  const [kind = '', first = '', second = ''] = mark.split('\ue202');
  if (namedMarkKinds.includes(kind)) return formatLink({ title: first, url: second }) || first;
  if (/^https?:/.test(first)) return formatLink({ url: first });
  const alt = toText(reference['alt']).replace(/^\[(.*)\]\(\)$/, '$1');
  const { type, name } = reference;
  if (type === 'file') return findFirstText(name) && `(${escapeLabel(findFirstText(name))})`;
  return findFirstText(alt, name, parseEntityName(first));
}

/** An entity or a product is a list of kind or key, name and description. */
function parseEntityName(argument: string): string {
  const list = argument.startsWith('[') ? parsed(argument) : undefined;
  return toText(toArray(list)[1]);
}

/** Browsing tools write words between such brackets, too: those stay. */
const findOwnWords = (words: string) => (/^(source|L?\d+(-L?\d+)?|)$/.test(words.trim()) ? '' : words);

/** The list of sources below a message, as far as they are not linked in it. */
function formatMissingSources(references: readonly Fields[], text: string): string {
  const sources = references
    .filter(({ type }) => type === 'sources_footnote')
    .flatMap(({ sources }) => toArray(sources));
  const links = sources.filter(isObject).map(formatLink).filter(Boolean);
  const there = new Set(text.match(/\]\(https?:[^\s()]+\)/g));
  const missing = links.filter((link) => !there.has(link.slice(link.lastIndexOf(']('))));
  return missing.length === 0 ? '' : `Sources: ${[...new Set(missing)].join(', ')}`;
}

/**
 * A text that ChatGPT wrote in its canvas: new (`{name, type, content}`), changed (`{updates: [{pattern,
 * replacement}]}`) or commented on (`{comments: [{pattern, comment}]}`), as JSON for the tool `recipient`. `next` is the
 * answer of the tool, which tells title and type. Empty or undefined for other tools and other JSON. Exports hold changes without
 * their last brackets: github.com/jamesmoore/chatgpt-export, ChatGPTExport/Formatters/Markdown/MarkdownContentVisitor.cs.
 */
function formatCanvas(recipient: string, json: string, next: Fields | undefined): string | undefined {
  if (!recipient.startsWith('canmore.')) return undefined;
  const call = toObject(parsed(json) ?? parsed(`${json}]}`));
  const canvas = toObject(toObject(next?.['metadata'])['canvas']);
  const type = findFirstText(call['type'], canvas['textdoc_type']);
  const shown = (value: unknown) => {
    const text = toText(value);
    return text !== '' && type.startsWith('code/') ? formatCodeBlock(text, type.slice('code/'.length)) : text;
  };
  const updates = toArray(call['updates']).map(toObject);
  const comments = toArray(call['comments']).map(toObject);
  const texts = [
    shown(call['content']),
    ...updates.map(({ pattern, replacement }) => joinParagraphs([formatPlace(pattern), shown(replacement)])),
    ...comments.map(({ pattern, comment }) => joinParagraphs([formatPlace(pattern), toText(comment)])),
  ];
  const text = joinParagraphs(texts);
  return text && joinParagraphs([`*Canvas: ${findFirstText(call['name'], canvas['title'], 'untitled')}*`, text]);
}

/** Where a change or comment belongs, a regular expression; empty for the whole text. */
const formatPlace = (pattern: unknown) =>
  /^(\.\*|\^?\[\\s\\S\]\*\$?|)$/.test(toText(pattern)) ? '' : `*At:*\n\n${formatCodeBlock(toText(pattern))}`;

const assistant = 'ChatGPT';

export function createChatgptRecord(location: string, conversation: Fields, otherwise: Date): ReadRecord {
  const { mapping, create_time, update_time } = conversation;
  if (!isObject(mapping)) return createBadRecord(location, 'Its field "mapping" is not there');
  const messages = listShownMessages(mapping, toText(conversation['current_node']));
  const turns = messages.map((message, at) =>
    isShownMessage(message) ? toTurn(message, messages[at + 1]) : emptyTurn,
  );
  const times = messages.flatMap((message) => parseTimestamp(message['create_time']) ?? []).sort();
  return createRecord(location, {
    title: findFirstText(conversation['title'], findOpening(turns)),
    content: formatTranscript(turns),
    category: 'chat-tool',
    color: 'secondary',
    archived: conversation['is_archived'] === true,
    createdAt: parseTimestamp(create_time) ?? times[0],
    updatedAt: parseTimestamp(update_time) ?? times.at(-1),
    otherwise,
    origin: createOriginKey('chatgpt', findFirstText(conversation['conversation_id'], conversation['id'])),
  });
}

/** The displayed messages. Exports since 2026 leave out `children`; other programs leave out empty nodes. */
function listShownMessages(mapping: Fields, current: string): readonly Fields[] {
  const nodes = Object.entries(mapping).map(([id, value]) => {
    const { parent, children, message } = toObject(value);
    const time = parseTimestamp(toObject(message)['create_time']);
    return { id, parent: toText(parent), children: toArray(children).map(toText), time, message: toObject(message) };
  });
  return findShownMessages(nodes, current);
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

/** `next` is the answer to a call of a tool. */
function toTurn(message: Fields, next: Fields | undefined): Turn {
  const author = toObject(message['author']);
  const role = toText(author['role']);
  const speaker = speakers.get(role) ?? (role || 'Unknown');
  const content = toObject(message['content']);
  const metadata = toObject(message['metadata']);
  const canvas = formatCanvas(toText(message['recipient']), toText(content['text']) || formatParts(content), next);
  if (canvas) return { speaker, text: canvas };
  const said = formatContent(content);
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

const formatParts = (content: Fields) => joinParagraphs(toArray(content['parts']).map(formatPart));

function formatContent(content: Fields): string {
  const parts = formatParts(content);
  switch (content['content_type']) {
    case undefined:
    case 'text':
    case 'multimodal_text':
      return parts || toText(content['text']);
    case 'code':
    case 'execution_output':
    case 'system_error':
      return formatCode(toText(content['text']) || parts, toText(content['language']));
    case 'tether_quote':
    case 'sonic_webpage':
      return joinParagraphs([
        `[${findFirstText(content['title'], content['url'])}](${toText(content['url'])})`,
        toText(content['text']),
      ]);
    case 'tether_browsing_display':
      return findFirstText(content['result'], content['summary']);
    default:
      return formatAsJson(content);
  }
}

const formatCode = (text: string, language: string) =>
  text === '' ? '' : formatCodeBlock(text, language === 'unknown' ? '' : language);

const assetKinds = new Map([
  ['image_asset_pointer', 'Image'],
  ['audio_asset_pointer', 'Audio'],
  ['video_container_asset_pointer', 'Video'],
  ['real_time_user_audio_video_asset_pointer', 'Audio and video'],
]);

function formatPart(part: unknown): string {
  if (typeof part === 'string') return part;
  const fields = toObject(part);
  const asset = assetKinds.get(toText(fields['content_type']));
  if (asset === undefined) return toText(fields['text']) || formatAsJson(part);
  return formatAttachment(asset, toText(fields['asset_pointer']).replace(/^.*\//, ''));
}
