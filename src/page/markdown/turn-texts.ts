/**
 * Finds the Markdown text of each turn of a chat, from what the rendered turns show: the name of the speaker, and the
 * line of the text at which the first element of the turn begins.
 *
 * Example: in `You: Hi\n\n**ChatGPT**\n\nHello`, the first turn begins at line 1, and its text is `Hi`. The first
 * element of the second turn is the paragraph at line 5. The last line up to there that names ChatGPT is line 3, so
 * that the text of the turn is what follows that line: `Hello`.
 */

export interface RenderedTurn {
  readonly speaker: string;
  /** From 1. Undefined for a turn without an element whose line is known, such as an empty one. */
  readonly firstLine: number | undefined;
}

/** Returns the text of each turn, without the name of its speaker, and without a line that parts it from the next. */
export function listTurnTexts(text: string, turns: readonly RenderedTurn[]): readonly string[] {
  const lines = text.match(/[^\r\n]*(?:\r\n?|\n|$)/g) ?? [];
  const starts: number[] = [];
  for (const turn of turns) starts.push(findSpeakerLine(lines, turn, (starts.at(-1) ?? -1) + 1));
  return turns.map(({ speaker }, index) => {
    const [first = '', ...others] = lines.slice(starts[index], starts[index + 1]);
    const said = removeSpeaker(first, speaker);
    if (said === undefined) return trimTurn([first, ...others]);
    return trimTurn(said.trim() === '' ? removeUnderline(others) : [said, ...others]);
  });
}

/**
 * Finds the index of the line that names the speaker of a turn. Falls back on the first line of the turn, where the name
 * is written in a way that is not known here.
 */
function findSpeakerLine(lines: readonly string[], { speaker, firstLine }: RenderedTurn, from: number): number {
  const namesSpeaker = (line: string, index: number) => index >= from && removeSpeaker(line, speaker) !== undefined;
  const above = firstLine === undefined ? -1 : lines.slice(0, firstLine).findLastIndex(namesSpeaker);
  if (above >= 0) return above;
  return firstLine === undefined ? Math.max(lines.findIndex(namesSpeaker), from) : Math.max(firstLine - 1, from);
}

/** Removes the name from a line such as `You: Hi`, `**You:** Hi`, `## You ##`; undefined if the line does not have it. */
function removeSpeaker(line: string, speaker: string): string | undefined {
  const [marks] = /^[\s#*_]*/.exec(line) ?? [''];
  if (!line.startsWith(speaker, marks.length)) return undefined;
  const rest = line.slice(marks.length + speaker.length);
  const [after] = /^[*_]*:?[*_]*/.exec(rest) ?? [''];
  const said = rest.slice(after.length).trimStart();
  const isHeadingEnd = marks.includes('#') && /^#*\s*$/.test(said);
  if (isHeadingEnd) return '';
  return said === '' || after.includes(':') ? said : undefined;
}

/** Removes the line below a speaker that makes the name a heading, such as `---`. */
const removeUnderline = (lines: readonly string[]): readonly string[] =>
  /^ {0,3}(?:-+|=+)\s*$/.test(lines[0] ?? '') ? lines.slice(1) : lines;

const trimTurn = (lines: readonly string[]): string =>
  lines
    .slice(0, findTurnEnd(lines))
    .join('')
    .trimEnd()
    .replace(/^(?:[ \t]*[\r\n])+/, '');

/** The number of lines of a turn without a last one such as `---` below a blank one, which parts it from the next turn. */
function findTurnEnd(lines: readonly string[]): number {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const isBreak = /^ {0,3}([-*_])(?:[ \t]*\1){2,}\s*$/.test(lines[last] ?? '');
  return isBreak && (lines[last - 1] ?? '').trim() === '' ? last : last + 1;
}
