/**
 * Finds the turns of a chat in Markdown. A turn begins with the name of its speaker: `You: Hello`, a paragraph
 * `**ChatGPT**`, as imports write it, or a heading `## User`.
 *
 * Example: `You: Hi\nmore\nChatGPT: Hello` is one paragraph of Markdown and has two turns. The first one is by the user
 * and has the lines `Hi` and `more`, the second one has the line `Hello`.
 */
import type { Heading, Nodes, Paragraph, PhrasingContent, RootContent } from 'mdast';
import { assistantNamesPattern, userNamesPattern } from '../../core/text/chat-speakers.ts';

export interface ChatTurn {
  readonly speaker: string;
  /** Whether the person who asks speaks. */
  readonly isUser: boolean;
  /** What is said, without the name of the speaker. */
  readonly nodes: RootContent[];
}

export interface Chat {
  /** What stands before the first turn. */
  readonly introduction: readonly RootContent[];
  readonly turns: readonly ChatTurn[];
}

const userNamePattern = new RegExp(`^(?:${userNamesPattern}|prompt)(?: said| wrote)?$`, 'i');
/** The name of a program may have words of its version after it: `GPT-4`, `Claude 3.5 Sonnet`. */
const otherNamePattern = new RegExp(
  `^(?:${assistantNamesPattern}|system|tool|response|answer)(?:[ -][\\w.]+){0,3}?(?: said| wrote)?$`,
  'i',
);

const isSpeakerName = (name: string) =>
  /^[A-Z]/.test(name) && (userNamePattern.test(name) || otherNamePattern.test(name));

/** A name and a colon at the start of a line, with or without marks of Markdown. */
const possibleTurnPattern = /^(?:#{1,6} +)?(?:\*\*|__)?[A-Z][\w. -]{0,40}(?:(?:\*\*|__)?:|(?:\*\*|__)|$)/gm;

/** Whether a text may have turns, which is much faster to say than to find them. */
export const mayHaveTurns = (text: string): boolean =>
  [...text.matchAll(possibleTurnPattern)].some(([start]) => isSpeakerName(start.replace(/^#+ +|[*_:]+/g, '')));

/**
 * Splits the blocks of a text into turns. Returns undefined if it is no chat. A text of a category of chats needs one
 * turn, any other text a turn of the user and one of somebody else.
 */
export function findChat(blocks: readonly RootContent[], isChatCategory: boolean): Chat | undefined {
  const introduction: RootContent[] = [];
  const turns: ChatTurn[] = [];
  for (const part of blocks.flatMap(splitAtSpeakers)) {
    if (typeof part === 'string') turns.push({ speaker: part, isUser: userNamePattern.test(part), nodes: [] });
    else (turns.at(-1)?.nodes ?? introduction).push(part);
  }
  const users = turns.filter(({ isUser }) => isUser).length;
  const isChat = isChatCategory ? turns.length > 0 : users > 0 && users < turns.length;
  if (!isChat) return undefined;
  for (const nodes of [introduction, ...turns.map(({ nodes }) => nodes)]) {
    if (nodes.at(-1)?.type === 'thematicBreak') nodes.pop(); // a line between the turns is drawn anyway
  }
  return { introduction, turns };
}

/** Splits a block into the names of speakers and what stands between them. */
function splitAtSpeakers(block: RootContent): readonly (string | RootContent)[] {
  if (block.type === 'heading') {
    const name = getNodeTextOrEmpty(block).replace(/:$/, '').trim();
    return [isSpeakerName(name) ? name : block];
  }
  return block.type === 'paragraph' ? splitParagraph(block) : [block];
}

function splitParagraph(paragraph: Paragraph): readonly (string | RootContent)[] {
  const parts: (string | Paragraph | Heading)[] = [];
  for (const [index, line] of splitIntoLines(paragraph.children).entries()) {
    const { speaker, rest } = parseTurnLine(line);
    const position = createPartPosition(paragraph, index);
    if (speaker !== undefined) parts.push(speaker);
    const heading = speaker === undefined ? undefined : tryParseHeading(rest);
    if (heading) parts.push({ ...heading, ...position });
    if (heading || rest.length === 0) continue;
    const last = parts.at(-1);
    if (typeof last === 'object' && last.type === 'paragraph')
      last.children.push({ type: 'text', value: '\n' }, ...rest);
    else parts.push({ type: 'paragraph', children: [...rest], ...position });
  }
  return parts.some((part) => typeof part === 'string') ? parts : [paragraph];
}

/** The position of a part of a paragraph that begins so many lines below the paragraph. */
function createPartPosition({ position }: Paragraph, linesBelow: number): Pick<Paragraph, 'position'> {
  if (!position) return {};
  const line = position.start.line + linesBelow;
  return { position: { start: { line, column: 1 }, end: position.end } };
}

/** Parses a heading such as `## Answer` after a speaker, where the parser of Markdown sees the words of a paragraph. */
function tryParseHeading(nodes: readonly PhrasingContent[]): Heading | undefined {
  const [first, ...others] = nodes;
  const [start = '', marks = ''] = (first?.type === 'text' && /^(#{1,6})[ \t]+(?=\S|$)/.exec(first.value)) || [];
  if (first?.type !== 'text' || marks === '') return undefined;
  const children = [...joinTextAndNodes(first.value.slice(start.length), others)];
  const last = children.at(-1);
  if (last?.type === 'text') children.splice(-1, 1, { ...last, value: last.value.replace(/[ \t]+#+[ \t]*$/, '') });
  return { type: 'heading', depth: marks.length as Heading['depth'], children };
}

/** Splits the content of a paragraph at the line ends of its texts and at its line breaks. */
function splitIntoLines(nodes: readonly PhrasingContent[]): readonly PhrasingContent[][] {
  const lines: PhrasingContent[][] = [[]];
  for (const node of nodes) {
    const [first = '', ...others] = node.type === 'text' ? node.value.split(/\r\n?|\n/) : [];
    if (node.type === 'break') lines.push([]);
    else if (node.type !== 'text') lines.at(-1)?.push(node);
    else if (first !== '') lines.at(-1)?.push({ type: 'text', value: first });
    for (const value of others) lines.push(value === '' ? [] : [{ type: 'text', value }]);
  }
  return lines;
}

interface ParsedLine {
  /** Undefined if the line goes on with the turn above it. */
  readonly speaker?: string;
  readonly rest: readonly PhrasingContent[];
}

/** Parses a line such as `You: text`, `**You:** text`, `**You**: text`, or `**You**` alone. */
function parseTurnLine(line: readonly PhrasingContent[]): ParsedLine {
  const [first, second, ...others] = line;
  if (first?.type === 'text') {
    const [, name = '', text = ''] = /^([\w. -]+):(?:\s+(.*)|$)/s.exec(first.value) ?? [];
    if (isSpeakerName(name)) return { speaker: name, rest: joinTextAndNodes(text, line.slice(1)) };
  }
  if (first?.type === 'strong') {
    const label = getNodeTextOrEmpty(first);
    const after = second?.type === 'text' ? second.value : '';
    const name = label.replace(/:$/, '');
    const isMarked = label.endsWith(':') || after.startsWith(':') || line.length === 1;
    if (isMarked && isSpeakerName(name)) {
      if (second?.type !== 'text') return { speaker: name, rest: line.slice(1) };
      return { speaker: name, rest: joinTextAndNodes(after.replace(/^:?\s*/, ''), others) };
    }
  }
  return { rest: line };
}

const joinTextAndNodes = (value: string, nodes: readonly PhrasingContent[]): readonly PhrasingContent[] =>
  value === '' ? nodes : [{ type: 'text', value }, ...nodes];

/** The text of a node that contains nothing but text and emphasis; otherwise empty. */
function getNodeTextOrEmpty(node: Nodes): string {
  if (node.type === 'text') return node.value;
  if (!('children' in node) || node.children.length !== 1 || !node.children[0]) return '';
  return getNodeTextOrEmpty(node.children[0]);
}
