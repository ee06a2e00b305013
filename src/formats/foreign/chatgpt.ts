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
import { asJson, attached, fenced, joined, openingOf, shownBranch, type Turn, transcript, you } from './transcript.ts';

/**
 * Citation marks of ChatGPT: `<U+E200>cite<U+E202>turn0search1<U+E201>` and, before 2025, `【4†source】`. Their targets
 * are in the metadata of the message. Based on github.com/pionxzh/chatgpt-exporter, issue 259 (the characters),
 * github.com/Laumss/loominary, issue 17 (`content_references`), and public conversations of 2024 to 2026.
 */

/**
 * A mark that is closed, one that is not (up to the next blank: the rest may be words), the older form, or what is left
 * of a mark. U+E203 and U+E204 are around a cited sentence.
 */
const marks =
  / ?(?:\ue200([^\ue200\ue201\ue20b]*)[\ue201\ue20b]|\ue200(\w*(?:\ue202[^\s\ue200-\ue20b]*)*)|【 ?(\d+)(?::\d+)?†([^【】]*)】|\ue202(?:turn\d+[a-z]+\d+)?|[\ue200-\ue206\ue20b])/g;
const hasMarks = /[\ue200-\ue206\ue20b]|【 ?\d/;

/** Turns citation marks into Markdown links as far as `metadata` tells their targets, else into nothing. */
export function withLinks(text: string, metadata: Fields): string {
  const references = toArray(metadata['content_references']).map(toObject);
  const byMark = new Map(references.map((reference) => [toText(reference['matched_text']), reference]));
  const citations = toArray(metadata['citations']).map(toObject);
  const byStart = new Map(citations.map((citation) => [citation['start_ix'], toObject(citation['metadata'])]));
  const byNumber = new Map(
    citations.map(({ metadata: source }) => [`${toObject(toObject(source)['extra'])['cited_message_idx']}`, source]),
  );
  const linked = hasMarks.test(text)
    ? text.replace(marks, (match, closed?: string, open?: string, number?: string, words = '', at = 0) => {
        const mark = match.trimStart();
        const start = Number(at) + match.length - mark.length;
        const reference = byMark.get(mark) ?? byStart.get(start) ?? toObject(byNumber.get(number ?? ''));
        const shown = linksOf(reference) || nameIn(reference, closed ?? open ?? '') || wordsIn(words);
        return shown && match.slice(0, match.length - mark.length) + shown;
      })
    : text;
  return [linked, footnote(references, linked)].filter(Boolean).join('\n\n');
}

/** The parts of a reference that have an address: pages, products, places. */
function linksOf(reference: Fields): string {
  const { items, products, businesses, type } = reference;
  const parts = [items, products, businesses].flatMap(toArray).map(toObject);
  const links = [...(type === 'hidden' ? [] : [reference]), ...parts].map(linkOf).filter(Boolean);
  const [alone = ''] = links;
  return parts.length === 0 ? alone : links.length > 0 ? `(${[...new Set(links)].join(', ')})` : '';
}

function linkOf(part: Fields): string {
  const safe = part['title'] === undefined ? undefined : toArray(part['safe_urls'])[0];
  const url = findFirstText(part['url'], part['website_url'], safe);
  if (!/^https?:\/\/[^\s]+$/.test(url)) return '';
  const label = findFirstText(part['title'], part['name'], part['attribution'], url);
  return `[${plain(label)}](${url.replace(/[()<>]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)})`;
}

const plain = (label: string) => label.replace(/\s+/g, ' ').replace(/[\\[\]]/g, '\\$&');

/** Kinds of marks whose first argument is shown to the reader, with the address in the second. */
const named: readonly unknown[] = ['url', 'link_title', 'video'];

/** A name instead of a link: of an entity, a product or a file. */
function nameIn(reference: Fields, mark: string): string {
  const [kind = '', first = '', second = ''] = mark.split('\ue202');
  if (named.includes(kind)) return linkOf({ title: first, url: second }) || first;
  if (/^https?:/.test(first)) return linkOf({ url: first });
  const alt = toText(reference['alt']).replace(/^\[(.*)\]\(\)$/, '$1');
  const { type, name } = reference;
  if (type === 'file') return findFirstText(name) && `(${plain(findFirstText(name))})`;
  return findFirstText(alt, name, entityIn(first));
}

/** An entity or a product is a list of kind or key, name and description. */
function entityIn(argument: string): string {
  const list = argument.startsWith('[') ? parsed(argument) : undefined;
  return toText(toArray(list)[1]);
}

/** Browsing tools write words between such brackets, too: those stay. */
const wordsIn = (words: string) => (/^(source|L?\d+(-L?\d+)?|)$/.test(words.trim()) ? '' : words);

/** The list of sources below a message, as far as they are not linked in it. */
function footnote(references: readonly Fields[], text: string): string {
  const sources = references
    .filter(({ type }) => type === 'sources_footnote')
    .flatMap(({ sources }) => toArray(sources));
  const links = sources.filter(isObject).map(linkOf).filter(Boolean);
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
function canvasText(recipient: string, json: string, next: Fields | undefined): string | undefined {
  if (!recipient.startsWith('canmore.')) return undefined;
  const call = toObject(parsed(json) ?? parsed(`${json}]}`));
  const canvas = toObject(toObject(next?.['metadata'])['canvas']);
  const type = findFirstText(call['type'], canvas['textdoc_type']);
  const shown = (value: unknown) => {
    const text = toText(value);
    return text !== '' && type.startsWith('code/') ? fenced(text, type.slice('code/'.length)) : text;
  };
  const updates = toArray(call['updates']).map(toObject);
  const comments = toArray(call['comments']).map(toObject);
  const texts = [
    shown(call['content']),
    ...updates.map(({ pattern, replacement }) => joined([placeOf(pattern), shown(replacement)])),
    ...comments.map(({ pattern, comment }) => joined([placeOf(pattern), toText(comment)])),
  ];
  const text = joined(texts);
  return text && joined([`*Canvas: ${findFirstText(call['name'], canvas['title'], 'untitled')}*`, text]);
}

/** Where a change or comment belongs, a regular expression; empty for the whole text. */
const placeOf = (pattern: unknown) =>
  /^(\.\*|\^?\[\\s\\S\]\*\$?|)$/.test(toText(pattern)) ? '' : `*At:*\n\n${fenced(toText(pattern))}`;

const assistant = 'ChatGPT';

export function chatgptRecord(location: string, conversation: Fields, otherwise: Date): ReadRecord {
  const { mapping, create_time, update_time } = conversation;
  if (!isObject(mapping)) return createBadRecord(location, 'Its field "mapping" is not there');
  const messages = messagesIn(mapping, toText(conversation['current_node']));
  const turns = messages.map((message, at) => (isShown(message) ? turnOf(message, messages[at + 1]) : noTurn));
  const times = messages.flatMap((message) => parseTimestamp(message['create_time']) ?? []).sort();
  return createRecord(location, {
    title: findFirstText(conversation['title'], openingOf(turns)),
    content: transcript(turns),
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
function messagesIn(mapping: Fields, current: string): readonly Fields[] {
  const nodes = Object.entries(mapping).map(([id, value]) => {
    const { parent, children, message } = toObject(value);
    const time = parseTimestamp(toObject(message)['create_time']);
    return { id, parent: toText(parent), children: toArray(children).map(toText), time, message: toObject(message) };
  });
  return shownBranch(nodes, current);
}

/** Custom instructions and the model's reasoning, which ChatGPT does not show in the conversation. */
const hidden: readonly unknown[] = ['user_editable_context', 'model_editable_context', 'thoughts', 'reasoning_recap'];

const isShown = (message: Fields) =>
  toObject(message['metadata'])['is_visually_hidden_from_conversation'] !== true &&
  !hidden.includes(toObject(message['content'])['content_type']);

const noTurn: Turn = { speaker: '', text: '' };

const speakers = new Map([
  ['user', you],
  ['assistant', assistant],
  ['tool', assistant],
  ['system', 'System'],
]);

/** `next` is the answer to a call of a tool. */
function turnOf(message: Fields, next: Fields | undefined): Turn {
  const author = toObject(message['author']);
  const role = toText(author['role']);
  const speaker = speakers.get(role) ?? (role || 'Unknown');
  const content = toObject(message['content']);
  const metadata = toObject(message['metadata']);
  const canvas = canvasText(toText(message['recipient']), toText(content['text']) || partsText(content), next);
  if (canvas) return { speaker, text: canvas };
  const said = contentText(content);
  const names = toArray(metadata['attachments']).map((file) => toText(toObject(file)['name']));
  const text = joined([
    role === 'user' ? said : withLinks(said, metadata),
    ...names.filter(Boolean).map((name) => `[Attachment: ${name}]`),
  ]);
  const tool = toolOf(role, toText(author['name']), toText(message['recipient']));
  return {
    speaker,
    text: tool === '' || text === '' ? text : `*Tool ${tool}*\n\n${text}`,
  };
}

function toolOf(role: string, name: string, recipient: string): string {
  if (role === 'tool') return name;
  return role === 'assistant' && recipient !== 'all' ? recipient : '';
}

const partsText = (content: Fields) => joined(toArray(content['parts']).map(partText));

function contentText(content: Fields): string {
  const parts = partsText(content);
  switch (content['content_type']) {
    case undefined:
    case 'text':
    case 'multimodal_text':
      return parts || toText(content['text']);
    case 'code':
    case 'execution_output':
    case 'system_error':
      return code(toText(content['text']) || parts, toText(content['language']));
    case 'tether_quote':
    case 'sonic_webpage':
      return joined([
        `[${findFirstText(content['title'], content['url'])}](${toText(content['url'])})`,
        toText(content['text']),
      ]);
    case 'tether_browsing_display':
      return findFirstText(content['result'], content['summary']);
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
  const fields = toObject(part);
  const asset = assets.get(toText(fields['content_type']));
  if (asset === undefined) return toText(fields['text']) || asJson(part);
  return attached(asset, toText(fields['asset_pointer']).replace(/^.*\//, ''));
}
