import type { Code, Definition, Literal, Nodes, Root } from 'mdast';
import { type Extension, fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { type FrontMatter, findFrontMatter } from '../../core/text/yaml-front-matter.ts';

/** The box of a task, the first node of its paragraph. */
interface TaskBox extends Literal {
  type: 'taskBox';
  /** The offset of its `[` in the text. */
  offset: number;
  isChecked: boolean;
}

declare module 'mdast' {
  interface PhrasingContentMap {
    taskBox: TaskBox;
  }
  interface RootContentMap {
    taskBox: TaskBox;
  }
}

export interface ParsedMarkdown {
  readonly root: Root;
  /** The targets of links by reference, by their identifiers. */
  readonly definitions: ReadonlyMap<string, Definition>;
  /** The numbers of footnotes, from 1 in the order in which they are referenced, by their identifiers. */
  readonly footnoteNumbers: ReadonlyMap<string, number>;
}

const syntaxExtensions = [gfm()];

/** Without transforms, which would search all texts again for addresses that micromark has not found. */
const treeExtensions: readonly Extension[] = gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] }));

const createTaskBoxExtension = (markLength: number): Extension => ({
  enter: {
    taskListCheck(token) {
      this.enter({ type: 'taskBox', value: '', offset: token.start.offset + markLength, isChecked: false }, token);
    },
  },
  exit: {
    taskListCheckValueChecked() {
      const box = this.stack.at(-1);
      if (box?.type === 'taskBox') box.isChecked = true;
    },
    taskListCheckValueUnchecked() {},
    taskListCheck(token) {
      this.exit(token);
    },
  },
});

/** Deeper trees are not parsed: browsers nest no more than 512 elements. */
const maxLevels = 200;

/**
 * Parses GitHub's Markdown. Front matter becomes a block of YAML, the first node. Returns undefined for a text that is
 * nested too deep. Call it where it can be terminated: malicious texts take minutes.
 */
export function tryParseMarkdown(text: string): ParsedMarkdown | undefined {
  const markLength = text.startsWith('\ufeff') ? 1 : 0; // micromark does not count a byte order mark
  const mdastExtensions = [...treeExtensions, createTaskBoxExtension(markLength)];
  const frontMatter = findFrontMatter(text);
  const markdown = frontMatter ? blankOutStart(text, frontMatter.whole.length) : text;
  const root = fromMarkdown(markdown, { extensions: syntaxExtensions, mdastExtensions });
  if (frontMatter) root.children.unshift(createYamlBlock(frontMatter));
  if (isDeeperThan(root, maxLevels)) return undefined;
  const definitions = new Map<string, Definition>();
  collectDefinitions(root, definitions);
  return { root, definitions, footnoteNumbers: numberFootnotes(root) };
}

/** Replaces what stands before an offset by spaces, so that lines and offsets of what follows stay the same. */
const blankOutStart = (text: string, end: number): string =>
  text.slice(0, end).replace(/[^\r\n\ufeff]/g, ' ') + text.slice(end);

/** Creates the block that a fence ```` ```yaml ```` in place of both lines `---` would be. */
function createYamlBlock({ yaml }: FrontMatter): Code {
  const lineCount = yaml.split('\n').length + 2;
  const position = { start: { line: 1, column: 1 }, end: { line: lineCount, column: 4 } };
  return { type: 'code', lang: 'yaml', value: yaml, position };
}

const isDeeperThan = (node: Nodes, levels: number): boolean =>
  levels === 0 || ('children' in node && node.children.some((child) => isDeeperThan(child, levels - 1)));

/** References within footnotes come after those of the text. */
function numberFootnotes(root: Root): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  const footnotes: Nodes[] = [];
  const addReferences = (node: Nodes, isInFootnote: boolean): void => {
    if (node.type === 'footnoteReference' && !numbers.has(node.identifier))
      numbers.set(node.identifier, numbers.size + 1);
    if (node.type === 'footnoteDefinition' && !isInFootnote) footnotes.push(node);
    else if ('children' in node) for (const child of node.children) addReferences(child, isInFootnote);
  };
  addReferences(root, false);
  for (const footnote of footnotes) addReferences(footnote, true);
  return numbers;
}

/** Adds the definitions below a node. The first one of an identifier counts. */
function collectDefinitions(node: Nodes, definitions: Map<string, Definition>): void {
  if (node.type === 'definition' && !definitions.has(node.identifier)) definitions.set(node.identifier, node);
  if ('children' in node) for (const child of node.children) collectDefinitions(child, definitions);
}
