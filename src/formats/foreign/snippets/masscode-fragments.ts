import type { Fields } from '../../../core/json/json.ts';
import { toTextOrEmpty } from '../../untyped-values.ts';

/** The heading of a fragment and the first line of its fenced block. */
interface Opening {
  /** The line of the heading, from 0. The text begins two lines below. */
  readonly at: number;
  readonly label: string;
  readonly fence: string;
  readonly language: string;
}

interface OpenBlock extends Opening {
  /** The last line so far that may close the block. */
  readonly closingFence?: number;
}

interface Block extends Opening {
  /** The line that closes the block; the line after the last one if nothing closes it. */
  readonly end: number;
}

interface SplitBody {
  readonly fragments: readonly Fields[];
  /** The text that users have added by hand between the fragments. */
  readonly others: string;
}

/**
 * Splits the body of a vault's snippet into its fragments and other text. A fragment is a heading `## Fragment:
 * <label>` and a fenced block. Before May 2026 massCode wrote three backticks around any text, so that fences may be
 * within fences. Therefore the last line that equals the opening fence closes a block. A heading begins the next
 * fragment if the front matter declares it in `contents`, or if nothing but blank lines separates it from a closing
 * fence.
 *
 * Example, whose front matter declares A (markdown) and B (sh):
 *
 *      1  ## Fragment: A
 *      2  ```markdown
 *      3  ```sh
 *      4  ls
 *      5  ```
 *      6  An example:
 *      7  ## Fragment: C
 *      8  ```
 *      9  ```
 *     10
 *     11  ## Fragment: B
 *     12  ```sh
 *     13  pwd
 *     14  ```
 *
 * Line 1 begins A, and line 5 may close it. Line 7 begins no fragment: C is not declared, and line 6 is between it and
 * line 5. Lines 8 and 9 may close A, too. Line 11 begins B, which is declared, so that line 9 has closed A. The text of
 * A is lines 3 to 8, that of B is line 13, and there is no other text.
 */
export function splitIntoFragmentsAndOtherText(body: string, contents: readonly Fields[]): SplitBody {
  const lines = body.split(/\r?\n/);
  const languages = mapLabelAndLanguageToDeclared(contents);
  const fragments: Fields[] = [];
  const others: string[] = [];
  let end = 0;
  for (const block of listFragmentBlocks(lines, languages)) {
    const language = languages.get(createLabelAndLanguageKey(block)) ?? block.language;
    fragments.push({ label: block.label, language, value: lines.slice(block.at + 2, block.end).join('\n') });
    others.push(lines.slice(end, block.at).join('\n').trim());
    end = block.end + 1;
  }
  others.push(lines.slice(end).join('\n').trim());
  return { fragments, others: others.filter((text) => text !== '').join('\n\n') };
}

function listFragmentBlocks(lines: readonly string[], languages: ReadonlyMap<string, string>): readonly Block[] {
  const blocks: Block[] = [];
  let open: OpenBlock | undefined;
  let lastText: number | undefined;
  for (const [at, line] of lines.entries()) {
    const next = tryParseFragmentOpeningAt(lines, at);
    if (next !== undefined && (open === undefined || openingEndsBlockBefore(next, open, { lastText, languages }))) {
      if (open !== undefined) blocks.push(closeBlock(open, at));
      open = next;
    } else if (open !== undefined && isClosingFence(line, at, open)) {
      open = { ...open, closingFence: at };
    }
    if (line.trim() !== '') lastText = at;
  }
  if (open !== undefined) blocks.push(closeBlock(open, lines.length));
  return blocks;
}

const closeBlock = ({ closingFence, ...opening }: OpenBlock, next: number): Block => ({
  ...opening,
  end: closingFence ?? next,
});

/** Whether an opening ends the block before it, rather than being a part of its text. */
function openingEndsBlockBefore(
  next: Opening,
  { closingFence }: OpenBlock,
  { lastText, languages }: { readonly lastText: number | undefined; readonly languages: ReadonlyMap<string, string> },
): boolean {
  if (closingFence === undefined) return false;
  return closingFence === lastText || languages.has(createLabelAndLanguageKey(next));
}

/** Whether a line may close a block: it equals the opening fence, and stands below it. */
const isClosingFence = (line: string, at: number, open: Opening): boolean =>
  at > open.at + 1 && line.trim() === open.fence;

function tryParseFragmentOpeningAt(lines: readonly string[], at: number): Opening | undefined {
  const label = /^## Fragment:(.*)$/.exec(lines[at] ?? '')?.[1]?.trim();
  const [, fence, language = ''] = /^(`{3,})(.*)$/.exec(lines[at + 1] ?? '') ?? [];
  return label === undefined || fence === undefined ? undefined : { at, label, fence, language: language.trim() };
}

const createLabelAndLanguageKey = ({ label, language }: Pick<Opening, 'label' | 'language'>) => `${label}\n${language}`;

/**
 * Maps the label and the written language of each fragment that is declared to the declared language. Other programs
 * write fences without a language.
 */
function mapLabelAndLanguageToDeclared(contents: readonly Fields[]): ReadonlyMap<string, string> {
  const languages = new Map<string, string>();
  for (const content of contents) {
    const [label, language] = [
      toTextOrEmpty(content['label']).replace(/\r?\n/g, ' ').trim(),
      toTextOrEmpty(content['language']),
    ];
    for (const written of [language, ''])
      languages.set(createLabelAndLanguageKey({ label, language: written }), language);
  }
  return languages;
}
