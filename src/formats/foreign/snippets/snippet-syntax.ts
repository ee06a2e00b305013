/**
 * The syntax of a snippet's body in VS Code and in editors that follow it, based on
 * github.com/microsoft/vscode, src/vs/editor/contrib/snippet/browser/snippetParser.ts.
 */

/** A part of a body. Tab stops and variables are called slots here; the name of a tab stop is its number. */
export type SnippetNode = string | Slot;

export interface Slot {
  readonly name: string;
  /** The default of the slot, which may contain further slots. */
  readonly value?: readonly SnippetNode[];
  readonly choices?: readonly string[];
  /** Whether VS Code would change its value by a regular expression. */
  readonly isTransformed?: boolean;
}

export const isTabStop = ({ name }: Slot): boolean => /^\d/.test(name);

export const parseSnippetBody = (body: string): readonly SnippetNode[] => new SnippetParser(body).parse();

const escaped = /\\([$}\\])/y;
/** `$1`, `$NAME`, or the beginning of `${1…}` and `${NAME…}`. */
const slotStart = /\$(?:(\d+|[A-Za-z_]\w*)|\{(\d+|[A-Za-z_]\w*)(?=[}:|/]))/y;
const choices = /\|((?:\\.|[^\\|])+)\|\}/sy;
/** `/expression/format/options}`; the format may have slashes in `${1:/upcase}`. */
const transform = /\/(?:\\.|[^\\/])*\/(?:\\.|[^\\/$]|\$(?!\{)|\$\{[^}]{0,200}\})*\/[a-z]*\}/sy;
const plain = /[^$}\\]+|./sy;

/** Slots within more slots than this are read as text. */
const maxDepth = 50;

class SnippetParser {
  readonly #body: string;
  #at = 0;

  constructor(body: string) {
    this.#body = body;
  }

  parse(): readonly SnippetNode[] {
    return this.#parseNodesUntilClosed(0).nodes;
  }

  /** Parses to the end, or within a slot, which is at a depth of 1 or more, to its `}`. */
  #parseNodesUntilClosed(depth: number): { readonly nodes: readonly SnippetNode[]; readonly isClosed: boolean } {
    const nodes: SnippetNode[] = [];
    while (this.#at < this.#body.length) {
      if (depth > 0 && this.#tryConsumeMatch(/\}/y)) return { nodes, isClosed: true };
      const character = this.#tryConsumeMatch(escaped)?.[1];
      const start = character !== undefined || depth >= maxDepth ? undefined : this.#tryConsumeMatch(slotStart);
      if (start) nodes.push(...this.#parseSlotOrText(start, depth));
      else nodes.push(character ?? this.#tryConsumeMatch(plain)?.[0] ?? '');
    }
    return { nodes, isClosed: false };
  }

  /** Parses the rest of a slot. What has no end is text, and what it contains counts, as in VS Code. */
  #parseSlotOrText([opening, short, name = '']: RegExpExecArray, depth: number): readonly SnippetNode[] {
    if (short !== undefined) return [{ name: short }];
    if (this.#tryConsumeMatch(/\}/y)) return [{ name }];
    if (this.#tryConsumeMatch(/:/y)) {
      const { nodes, isClosed } = this.#parseNodesUntilClosed(depth + 1);
      return isClosed ? [{ name, value: nodes }] : [`${opening}:`, ...nodes];
    }
    const list = isTabStop({ name }) ? this.#tryConsumeMatch(choices)?.[1] : undefined;
    if (list !== undefined) return [{ name, choices: parseChoiceList(list) }];
    return this.#tryConsumeMatch(transform) ? [{ name, isTransformed: true }] : [opening];
  }

  #tryConsumeMatch(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#body);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }
}

const parseChoiceList = (list: string): readonly string[] =>
  (list.match(/(?:[^,\\]|\\.)+/gs) ?? []).map((choice) => choice.replace(/\\([,|\\])/g, '$1'));
