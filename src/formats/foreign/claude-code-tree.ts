/**
 * The lines of a Claude Code session as the tree that their `parentUuid` makes. A rewind begins a new branch of it: the
 * prompt that is typed then has the parent of the prompt that it replaces. A program that runs Claude Code may also
 * write the history again, with new ids, as a tree of its own.
 *
 * Example: lines `a` (prompt), `b` (response to a), `c` (prompt after b), `d` (response to c), and after a rewind `e`
 * (prompt after b), `f` (response to e). Both prompts `c` and `e` follow `b`, and `f` comes last, so that `c` and `d`
 * were withdrawn. Other branches are none of the user: several tools that run at once have results with different
 * parents.
 */
import type { Fields } from '../../core/json/json.ts';
import { toText } from '../untyped-values.ts';
import { type Turn, userSpeaker } from './transcript.ts';

interface Line {
  readonly id: string;
  /** Empty for the first line of a tree. */
  readonly parent: string;
  readonly type: unknown;
  readonly turns: readonly Turn[];
}

export class ClaudeCodeTree {
  /** In the order of the file. */
  readonly #lines: Line[] = [];

  /** Adds a line. Lines without a place in the tree are never withdrawn. */
  addLineIfInTree(line: Fields, turns: readonly Turn[]): void {
    const { uuid, parentUuid, type } = line;
    if (typeof uuid === 'string' && 'parentUuid' in line)
      this.#lines.push({ id: uuid, parent: toText(parentUuid), type, turns });
  }

  /** Turns that are written a second time, and turns that a rewind has withdrawn. */
  findCopiedAndWithdrawnTurns(): { readonly copied: ReadonlySet<Turn>; readonly withdrawn: ReadonlySet<Turn> } {
    const originals = mapCopiesToOriginals(this.#lines);
    const lines = this.#lines
      .filter(({ id }) => !originals.has(id))
      .map((line) => ({ ...line, parent: originals.get(line.parent) ?? line.parent }));
    const withdrawn = findWithdrawnLineIds(lines);
    return {
      copied: collectTurnsWithText(this.#lines.filter(({ id }) => originals.has(id))),
      withdrawn: collectTurnsWithText(lines.filter(({ id }) => withdrawn.has(id))),
    };
  }
}

const collectTurnsWithText = (lines: readonly Line[]): ReadonlySet<Turn> =>
  new Set(lines.flatMap(({ turns }) => turns.filter(hasText)));

const hasText = ({ text }: Turn) => text.trim() !== '';

const isPromptLine = ({ type, turns }: Line) =>
  type === 'user' && turns.some((turn) => turn.speaker === userSpeaker && hasText(turn));

const isEqualLine = (one: Line, other: Line) =>
  one.type === other.type &&
  one.turns.length === other.turns.length &&
  one.turns.every(({ text }, at) => text === other.turns[at]?.text);

/** For each line that is written again in a later tree, the id of the line in the first one. */
function mapCopiesToOriginals(lines: readonly Line[]): ReadonlyMap<string, string> {
  const originals = new Map<string, string>();
  const first: Line[] = [];
  const roots = lines.filter((line) => line.parent === '' && isPromptLine(line));
  if (roots.length < 2) return originals;
  const withdrawn = findWithdrawnLineIds(lines);
  const children = Map.groupBy(lines, ({ parent }) => parent);
  const shown = Map.groupBy(
    lines.filter(({ id }) => !withdrawn.has(id)),
    ({ parent }) => parent,
  );
  for (const root of roots) {
    const original = first.find((other) => isEqualLine(root, other));
    if (original === undefined) first.push(root);
    else for (const [copy, id] of mapCopiedLines(root, original, children, shown)) originals.set(copy, id);
  }
  return originals;
}

type Children = ReadonlyMap<string, readonly Line[]>;

/** Pairs the lines of two trees that are equal from their roots on. None if only the prompts are equal. */
function mapCopiedLines(
  copy: Line,
  original: Line,
  ofCopy: Children,
  ofOriginal: Children,
): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  let hasResponse = false;
  const rest: [Line, Line][] = [[copy, original]];
  for (let pair = rest.pop(); pair !== undefined; pair = rest.pop()) {
    const [one, other] = pair;
    pairs.set(one.id, other.id);
    hasResponse ||= one.type === 'assistant' && one.turns.some(hasText);
    for (const child of ofCopy.get(one.id) ?? []) {
      const twin = ofOriginal.get(other.id)?.find((line) => isEqualLine(child, line));
      if (twin !== undefined && !pairs.has(child.id)) rest.push([child, twin]);
    }
  }
  return hasResponse ? pairs : new Map();
}

/** The lines below prompts that a rewind has replaced, and these. */
function findWithdrawnLineIds(lines: readonly Line[]): ReadonlySet<string> {
  const replaced = findReplacedPrompts(lines);
  const ids = new Set<string>();
  for (const line of lines) if (replaced.has(line) || ids.has(line.parent)) ids.add(line.id);
  return ids;
}

/** Of the prompts that follow the same message, all but the one whose branch ends last. */
function findReplacedPrompts(lines: readonly Line[]): ReadonlySet<Line> {
  const ends = mapLinesToBranchEnds(lines);
  const getEnd = ({ id }: Line) => ends.get(id) ?? 0;
  const replaced = new Set<Line>();
  for (const [message, prompts] of groupPromptsByMessageBefore(lines)) {
    if (message === '') continue;
    let [last] = prompts;
    for (const prompt of prompts) if (last === undefined || getEnd(prompt) > getEnd(last)) last = prompt;
    for (const prompt of prompts) if (prompt !== last) replaced.add(prompt);
  }
  return replaced;
}

/** The place of the last line below each line. */
function mapLinesToBranchEnds(lines: readonly Line[]): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  for (const [at, { id, parent }] of [...lines.entries()].reverse()) {
    const end = Math.max(at, ends.get(id) ?? 0);
    ends.set(id, end);
    ends.set(parent, Math.max(end, ends.get(parent) ?? 0));
  }
  return ends;
}

/** Prompts by the id of the message before them; lines of the program may stand between. Empty if there is none. */
function groupPromptsByMessageBefore(lines: readonly Line[]): ReadonlyMap<string, readonly Line[]> {
  const messages = new Map<string, string>();
  const prompts = new Map<string, Line[]>();
  for (const line of lines) {
    const before = messages.get(line.parent) ?? '';
    messages.set(line.id, line.turns.some(hasText) ? line.id : before);
    if (isPromptLine(line)) prompts.set(before, [...(prompts.get(before) ?? []), line]);
  }
  return prompts;
}
