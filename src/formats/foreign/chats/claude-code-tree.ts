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
import type { Fields } from '../../../core/json/json.ts';
import { toTextOrEmpty } from '../../untyped-values.ts';
import { type Turn, userSpeaker } from './transcript.ts';

interface Line {
  readonly id: string;
  /** The id of the line before it, which is empty for the first line of a tree. */
  readonly parent: string;
  readonly type: unknown;
  readonly turns: readonly Turn[];
}

export class ClaudeCodeTree {
  /** The lines in the order of the file. */
  readonly #lines: Line[] = [];

  /** Adds a line, unless it has no place in the tree. Such lines are never withdrawn. */
  addLineIfInTree(line: Fields, turns: readonly Turn[]): void {
    const { uuid, parentUuid, type } = line;
    if (typeof uuid === 'string' && 'parentUuid' in line)
      this.#lines.push({ id: uuid, parent: toTextOrEmpty(parentUuid), type, turns });
  }

  /** Collects the turns that are written a second time, and the turns that a rewind has withdrawn. */
  collectCopiedAndWithdrawnTurns(): { readonly copied: ReadonlySet<Turn>; readonly withdrawn: ReadonlySet<Turn> } {
    const originals = mapCopiedIdsToOriginalIds(this.#lines);
    const lines = this.#lines
      .filter(({ id }) => !originals.has(id))
      .map((line) => ({ ...line, parent: originals.get(line.parent) ?? line.parent }));
    const withdrawn = collectWithdrawnLineIds(lines);
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

const hasSameTypeAndTexts = (one: Line, other: Line) =>
  one.type === other.type &&
  one.turns.length === other.turns.length &&
  one.turns.every(({ text }, at) => text === other.turns[at]?.text);

/** Maps the id of each line that is written again in a later tree to the id of the line in the first tree. */
function mapCopiedIdsToOriginalIds(lines: readonly Line[]): ReadonlyMap<string, string> {
  const originals = new Map<string, string>();
  const first: Line[] = [];
  const roots = lines.filter((line) => line.parent === '' && isPromptLine(line));
  if (roots.length < 2) return originals;
  const withdrawn = collectWithdrawnLineIds(lines);
  const children = Map.groupBy(lines, ({ parent }) => parent);
  const shown = Map.groupBy(
    lines.filter(({ id }) => !withdrawn.has(id)),
    ({ parent }) => parent,
  );
  for (const root of roots) {
    const original = first.find((other) => hasSameTypeAndTexts(root, other));
    if (original === undefined) first.push(root);
    else for (const [copy, id] of mapIdsOfCopiedTreeOrEmpty(root, original, children, shown)) originals.set(copy, id);
  }
  return originals;
}

type Children = ReadonlyMap<string, readonly Line[]>;

/**
 * Maps the ids of a tree to those of an equal tree before it, from the roots on. The map is empty if only the prompts
 * are equal, as a user may ask the same twice.
 */
function mapIdsOfCopiedTreeOrEmpty(
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
      const equal = ofOriginal.get(other.id)?.find((line) => hasSameTypeAndTexts(child, line));
      if (equal !== undefined && !pairs.has(child.id)) rest.push([child, equal]);
    }
  }
  return hasResponse ? pairs : new Map();
}

/** Collects the ids of the prompts that a rewind has replaced, and of all lines below them. */
function collectWithdrawnLineIds(lines: readonly Line[]): ReadonlySet<string> {
  const replaced = collectReplacedPromptLines(lines);
  const ids = new Set<string>();
  for (const line of lines) if (replaced.has(line) || ids.has(line.parent)) ids.add(line.id);
  return ids;
}

/**
 * Collects the prompts that another one has replaced: of the prompts that follow the same message, all but the one
 * whose branch ends last.
 */
function collectReplacedPromptLines(lines: readonly Line[]): ReadonlySet<Line> {
  const ends = mapIdsToLastDescendantIndexes(lines);
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

/** Maps the id of each line to the place in the file of the last line below it. */
function mapIdsToLastDescendantIndexes(lines: readonly Line[]): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  for (const [at, { id, parent }] of [...lines.entries()].reverse()) {
    const end = Math.max(at, ends.get(id) ?? 0);
    ends.set(id, end);
    ends.set(parent, Math.max(end, ends.get(parent) ?? 0));
  }
  return ends;
}

/**
 * Groups the prompts by the id of the message before them, which is empty if there is none. Lines of the program may
 * stand between.
 */
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
