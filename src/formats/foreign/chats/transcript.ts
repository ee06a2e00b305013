import type { Fields } from '../../../core/json/json.ts';
import { getFirstNonBlankOrEmpty, toArrayOrEmpty, toObjectOrEmpty, toTextOrEmpty } from '../../untyped-values.ts';

/** A message of one speaker, in Markdown. */
export interface Turn {
  readonly speaker: string;
  readonly text: string;
  /** The kind of line that the message is from. Codex records a message in several lines. */
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

/** Returns the first text of the user, or else of anyone, from which a title is derived. */
export function getFirstUserOrAnyTextOrEmpty(turns: readonly Turn[]): string {
  const texts = turns.filter(({ text }) => text.trim() !== '');
  const opening = texts.find(({ speaker, isBareCommand }) => speaker === userSpeaker && !isBareCommand);
  return (opening ?? texts[0])?.text ?? '';
}

const openingTag = /\s*(?:# AGENTS\.md instructions[^\n]*\s+)?<([\w-]+(?: instructions)?)(?:\s[^<>]*)?>/y;

/**
 * Splits a text of the user into the blocks that a program puts before it, by tag, and the user's own words. A tag
 * within the words is one of them.
 *
 * Example: with the tag `hint`, "<hint>It is Monday</hint> What is <b>?" has the block `hint`, "It is Monday", and the
 * words "What is <b>?".
 */
export function splitIntoInsertedBlocksAndWords(text: string, tags: ReadonlySet<string>) {
  const blocks = new Map<string, string>();
  let end = 0;
  for (
    let tag = findOpeningTagAt(text, end);
    tag !== undefined && tags.has(tag.name);
    tag = findOpeningTagAt(text, end)
  ) {
    const { name, end: start } = tag;
    // The user may have typed the tag in the arguments of a command, which come last.
    const closingTag = `</${name}>`;
    const close = name === 'command-args' ? text.lastIndexOf(closingTag) : text.indexOf(closingTag, start);
    if (close < start) break;
    blocks.set(name, text.slice(start, close));
    end = close + closingTag.length;
  }
  return { blocks, words: end === 0 ? text : text.slice(end).trim() };
}

/** Finds the tag that opens at an offset, after spaces, and the offset of its end. */
function findOpeningTagAt(text: string, at: number): { readonly name: string; readonly end: number } | undefined {
  openingTag.lastIndex = at;
  const name = openingTag.exec(text)?.[1];
  return name === undefined ? undefined : { name, end: openingTag.lastIndex };
}

export const joinNonBlankParagraphs = (texts: readonly string[]) =>
  texts.filter((text) => text.trim() !== '').join('\n\n');

/** Formats a code block. Its fence is longer than any in the text. */
export function formatCodeBlock(text: string, language = ''): string {
  let fence = '```';
  for (const [run] of text.matchAll(/`{3,}/g)) if (run.length >= fence.length) fence = `${run}\``;
  return `${fence}${/^[\w+#.-]*$/.test(language) ? language : ''}\n${text}\n${fence}`;
}

/**
 * Formats a value of an unknown kind as JSON. Long texts are shortened, and deep nesting is cut, so that it stays
 * readable.
 */
export const formatAsShortenedJsonBlock = (value: unknown) =>
  formatCodeBlock(JSON.stringify(copyWithLimitedTextsAndDepth(value, 0), undefined, 2) ?? '', 'json');

const maxJsonDepth = 12;
const maxTextLength = 10_000;

function copyWithLimitedTextsAndDepth(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shortenTextAndSayByHowMuch(value, maxTextLength);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxJsonDepth) return '…';
  if (Array.isArray(value)) return value.map((element) => copyWithLimitedTextsAndDepth(element, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, copyWithLimitedTextsAndDepth(field, depth + 1)]),
  );
}

function shortenTextAndSayByHowMuch(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}\n… (${text.length - max} more characters)`;
}

const maxToolLength = 1000;

/** Formats the call of a tool with its input, of which the first 1000 characters are shown. */
export function formatShortenedToolCall(name: string, input: unknown): string {
  const { text, language } = toToolInputTextAndLanguage(input);
  return `*Tool ${name || 'without a name'}*\n\n${formatCodeBlock(shortenTextAndSayByHowMuch(text, maxToolLength), language)}`;
}

/** Formats the result of a tool, of which the first 1000 characters are shown. */
export function formatShortenedToolResultOrEmpty(text: string): string {
  return text.trim() === '' ? '' : `*Result*\n\n${formatCodeBlock(shortenTextAndSayByHowMuch(text, maxToolLength))}`;
}

function toToolInputTextAndLanguage(input: unknown): { readonly text: string; readonly language: string } {
  if (typeof input === 'string') return { text: input, language: '' };
  const command = toObjectOrEmpty(input)['command'];
  const words = typeof command === 'string' ? command : toArrayOrEmpty(command).map(toTextOrEmpty).join(' ');
  if (words !== '') return { text: words, language: 'sh' };
  return { text: JSON.stringify(copyWithLimitedTextsAndDepth(input, 0)) ?? '', language: 'json' };
}

/** Formats a text, or the joined texts of blocks. Images and files are shown by type and name. */
export function formatContentBlocks(content: unknown): string {
  if (typeof content === 'string') return content;
  return joinNonBlankParagraphs(
    toArrayOrEmpty(content).map((block) =>
      typeof block === 'string' ? block : formatContentBlockOrJson(toObjectOrEmpty(block)),
    ),
  );
}

const formatContentBlockOrJson = (block: Fields) =>
  typeof block['text'] === 'string'
    ? block['text']
    : formatAttachmentBlockOrEmpty(block) || formatAsShortenedJsonBlock(block);

const namedBlockKinds: ReadonlyMap<unknown, string> = new Map([
  ['document', 'Document'],
  ['image', 'Image'],
  ['input_image', 'Image'],
  ['local_image', 'Image'],
  ['mention', 'Mention'],
  ['skill', 'Skill'],
]);

function formatAttachmentBlockOrEmpty(block: Fields): string {
  const kind = namedBlockKinds.get(block['type']);
  return kind
    ? formatAttachmentLabel(
        kind,
        getFirstNonBlankOrEmpty(block['title'], block['file_name'], block['name'], block['url']),
      )
    : '';
}

/** Formats a label in place of an attachment: `[Image: sunset.png]`. */
export const formatAttachmentLabel = (kind: string, name: string) => (name === '' ? `[${kind}]` : `[${kind}: ${name}]`);
