import type { Fields } from '../../core/json/json.ts';
import { findFirstText, toArray, toObject, toText } from '../untyped-values.ts';

/** A message of one speaker, in Markdown. */
export interface Turn {
  readonly speaker: string;
  readonly text: string;
  /** The kind of line, where a program records a message in several (Codex). */
  readonly source?: 'response' | 'item' | 'event';
  /** A command of the program, without words of the user. */
  readonly isBareCommand?: boolean;
}

export const userSpeaker = 'You';

/** Formats a conversation in Markdown, with a heading line on each change of speaker. Skips empty turns. */
export function formatTranscript(turns: readonly Turn[]): string {
  const parts: string[] = [];
  let last: string | undefined;
  for (const { speaker, text } of turns) {
    if (text.trim() === '') continue;
    if (speaker !== last) parts.push(`**${speaker}**`);
    parts.push(text);
    last = speaker;
  }
  return parts.join('\n\n');
}

/** The first turn of the user, or else of anyone, to derive a title. */
export function findOpeningText(turns: readonly Turn[]): string {
  const texts = turns.filter(({ text }) => text.trim() !== '');
  const opening = texts.find(({ speaker, isBareCommand }) => speaker === userSpeaker && !isBareCommand);
  return (opening ?? texts[0])?.text ?? '';
}

const openingTag = /\s*(?:# AGENTS\.md instructions[^\n]*\s+)?<([\w-]+(?: instructions)?)(?:\s[^<>]*)?>/y;

/**
 * Splits a text of the user into the blocks that a program puts before it, by tag, and the user's own words. A tag
 * within the words is one of them.
 */
export function splitInsertedBlocks(text: string, tags: ReadonlySet<string>) {
  const blocks = new Map<string, string>();
  let end = 0;
  for (let tag = findTagAt(end); tag !== undefined && tags.has(tag); tag = findTagAt(end)) {
    const start = openingTag.lastIndex;
    // The user may have typed the tag in the arguments of a command, which come last.
    const close = tag === 'command-args' ? text.lastIndexOf(`</${tag}>`) : text.indexOf(`</${tag}>`, start);
    if (close < start) break;
    blocks.set(tag, text.slice(start, close));
    end = close + tag.length + 3;
  }
  return { blocks, words: end === 0 ? text : text.slice(end).trim() };

  function findTagAt(at: number): string | undefined {
    openingTag.lastIndex = at;
    return openingTag.exec(text)?.[1];
  }
}

export const joinParagraphs = (texts: readonly string[]) => texts.filter((text) => text.trim() !== '').join('\n\n');

/** A code block whose fence is longer than any in the text. */
export function formatCodeBlock(text: string, language = ''): string {
  let fence = '```';
  for (const [run] of text.matchAll(/`{3,}/g)) if (run.length >= fence.length) fence = `${run}\``;
  return `${fence}${/^[\w+#.-]*$/.test(language) ? language : ''}\n${text}\n${fence}`;
}

/** Formats unknown values as JSON; shortens long texts and cuts deep nesting, for readability. */
export const formatAsShortenedJsonBlock = (value: unknown) =>
  formatCodeBlock(JSON.stringify(limitTextsAndDepth(value, 0), undefined, 2) ?? '', 'json');

const maxJsonDepth = 12;
const maxTextLength = 10_000;

function limitTextsAndDepth(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shortenText(value, maxTextLength);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxJsonDepth) return '…';
  if (Array.isArray(value)) return value.map((element) => limitTextsAndDepth(element, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, limitTextsAndDepth(field, depth + 1)]));
}

function shortenText(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}\n… (${text.length - max} more characters)`;
}

const maxToolLength = 1000;

/** Formats a tool call, shortened. */
export function formatToolCall(name: string, input: unknown): string {
  const { text, language } = toToolInputTextAndLanguage(input);
  return `*Tool ${name || 'without a name'}*\n\n${formatCodeBlock(shortenText(text, maxToolLength), language)}`;
}

/** Formats a tool result, shortened. */
export function formatToolResult(text: string): string {
  return text.trim() === '' ? '' : `*Result*\n\n${formatCodeBlock(shortenText(text, maxToolLength))}`;
}

function toToolInputTextAndLanguage(input: unknown): { readonly text: string; readonly language: string } {
  if (typeof input === 'string') return { text: input, language: '' };
  const command = toObject(input)['command'];
  const words = typeof command === 'string' ? command : toArray(command).map(toText).join(' ');
  if (words !== '') return { text: words, language: 'sh' };
  return { text: JSON.stringify(limitTextsAndDepth(input, 0)) ?? '', language: 'json' };
}

/** A text, or the joined texts of blocks; images and files by type and name. */
export function formatContentBlocks(content: unknown): string {
  if (typeof content === 'string') return content;
  return joinParagraphs(
    toArray(content).map((block) => (typeof block === 'string' ? block : formatOneContentBlock(toObject(block)))),
  );
}

const formatOneContentBlock = (block: Fields) =>
  typeof block['text'] === 'string'
    ? block['text']
    : formatNamedBlockOrEmpty(block) || formatAsShortenedJsonBlock(block);

const namedBlockKinds: ReadonlyMap<unknown, string> = new Map([
  ['document', 'Document'],
  ['image', 'Image'],
  ['input_image', 'Image'],
  ['local_image', 'Image'],
  ['mention', 'Mention'],
  ['skill', 'Skill'],
]);

function formatNamedBlockOrEmpty(block: Fields): string {
  const kind = namedBlockKinds.get(block['type']);
  return kind
    ? formatAttachmentLabel(kind, findFirstText(block['title'], block['file_name'], block['name'], block['url']))
    : '';
}

/** A stand-in for an attachment: `[Image: sunset.png]`. */
export const formatAttachmentLabel = (kind: string, name: string) => (name === '' ? `[${kind}]` : `[${kind}: ${name}]`);
