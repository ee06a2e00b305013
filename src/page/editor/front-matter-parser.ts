/** Front matter in the editor: lines of YAML at the beginning of a text, which are no Markdown. */
import { type Input, Parser, type PartialParse, type TreeFragment } from '@lezer/common';
import { tags } from '@lezer/highlight';
import type { BlockContext, Line, MarkdownConfig } from '@lezer/markdown';
import { isYamlKeyLine } from '../../core/text/yaml-front-matter.ts';

const openingPattern = /^---[ \t]*$/;
const closingPattern = /^(?:---|\.\.\.)[ \t]*$/;

/** Reads front matter. Without a closing line, as while it is typed, it ends at a blank line before what is no key. */
function parseFrontMatter(context: BlockContext, line: Line): boolean {
  if (context.lineStart !== 0 || !openingPattern.test(line.text)) return false;
  const first = context.peekLine();
  if (!isYamlKeyLine(first) && !first.startsWith('#')) return false;
  while (context.nextLine()) {
    if (closingPattern.test(line.text)) {
      context.nextLine();
      break;
    }
    if (line.text.trim() === '' && !isYamlKeyLine(context.peekLine())) break;
  }
  context.addElement(context.elt('FrontMatter', 0, context.prevLineEnd()));
  return true;
}

/** Reads what begins the text as front matter, in a parser of Markdown. */
export const frontMatterConfig: MarkdownConfig = {
  defineNodes: [{ name: 'FrontMatter', block: true, style: tags.documentMeta }],
  parseBlock: [{ name: 'FrontMatter', before: 'HorizontalRule', parse: parseFrontMatter }],
};

/** In characters. What is changed so closely behind the first block may become a part of it, such as another key. */
const lookAheadLength = 1_000;

/** Whether what was parsed before shows that the text still begins with the same block. */
function hasSameFirstBlock({ from, to, offset, tree }: TreeFragment): boolean {
  const block = tree.topNode.firstChild;
  return from > 0 || (offset === 0 && block !== null && to > block.to + lookAheadLength);
}

/** Parses as another parser does, but reads front matter anew where that would take over the blocks of before. */
export class FrontMatterParser extends Parser {
  readonly #parser: Parser;

  constructor(parser: Parser) {
    super();
    this.#parser = parser;
  }

  createParse(
    input: Input,
    fragments: readonly TreeFragment[],
    ranges: readonly { from: number; to: number }[],
  ): PartialParse {
    const mayBeginWithIt = openingPattern.test(input.chunk(0).split('\n', 1)[0] ?? '');
    const reused = mayBeginWithIt ? fragments.filter(hasSameFirstBlock) : fragments;
    return this.#parser.startParse(input, reused, ranges);
  }
}
