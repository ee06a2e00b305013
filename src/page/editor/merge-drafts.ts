import { diffArrays } from 'diff';
import type { NoteDraft } from '../../core/note.ts';

/**
 * Merges two versions that were made from the same base. Returns undefined if both have changed the same field
 * differently, or lines of the content that touch.
 */
export function tryMergeDrafts(base: NoteDraft, mine: NoteDraft, theirs: NoteDraft): NoteDraft | undefined {
  const title = tryMergeValues(base.title, mine.title, theirs.title);
  const category = tryMergeValues(base.category, mine.category, theirs.category);
  const group = tryMergeValues(base.group, mine.group, theirs.group);
  const color = tryMergeValues(base.color, mine.color, theirs.color);
  if (title === undefined || category === undefined || group === undefined || color === undefined) return undefined;
  const content = tryMergeTexts(base.content, mine.content, theirs.content);
  return content === undefined ? undefined : { title, content, category, group, color };
}

function tryMergeValues<Value>(base: Value, mine: Value, theirs: Value): Value | undefined {
  if (mine === theirs || mine === base) return theirs;
  return theirs === base ? mine : undefined;
}

/**
 * Merges two texts line by line, as version control does. Returns undefined if a change of one begins within, or right
 * after, a change of the other, unless both have made the same change.
 *
 * For example, with one letter for each line, of the base "abcde" mine makes "Abcde" and theirs "abcdf":
 *
 *     changes of mine       lines 0 to 1 become "A"
 *     changes of theirs     lines 4 to 5 become "f"
 *     result                "A", then the lines 1 to 4 of the base, then "f": "Abcdf"
 */
export function tryMergeTexts(base: string, mine: string, theirs: string): string | undefined {
  const direct = tryMergeValues(base, mine, theirs);
  if (direct !== undefined) return direct;
  const baseLines = splitLines(base);
  const mineChanges = tryListLineChanges(baseLines, splitLines(mine));
  const theirChanges = tryListLineChanges(baseLines, splitLines(theirs));
  if (!mineChanges || !theirChanges) return undefined;
  const changes = [...mineChanges, ...theirChanges].sort(
    (one, other) => one.start - other.start || one.end - other.end,
  );
  const merged: string[] = [];
  let last: LineChange | undefined;
  for (const change of changes) {
    if (last && isSameChange(last, change)) continue;
    if (last && change.start <= last.end) return undefined;
    merged.push(joinLines(baseLines, last?.end ?? 0, change.start), change.text);
    last = change;
  }
  merged.push(joinLines(baseLines, last?.end ?? 0, baseLines.length));
  return merged.join('');
}

/** The lines of the base from `start` to before `end` become `text`. */
type LineChange = Readonly<{ start: number; end: number; text: string }>;

const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

const joinLines = (lines: readonly string[], start: number, end: number) => lines.slice(start, end).join('');

const isSameChange = (one: LineChange, other: LineChange) =>
  one.start === other.start && one.end === other.end && one.text === other.text;

/** In ms, for each of the two differences. Texts that differ so much are not merged. */
const diffTimeoutMs = 800;

/** The changes from top to bottom, with an unchanged line at least between them; undefined if that takes too long. */
function tryListLineChanges(base: string[], changed: string[]): LineChange[] | undefined {
  const parts = diffArrays(base, changed, { timeout: diffTimeoutMs });
  if (!parts) return undefined;
  const changes: { start: number; end: number; text: string }[] = [];
  let isNextPartOfLast = false;
  let line = 0;
  for (const { value, added, removed } of parts) {
    const isChange = added || removed;
    if (isChange && !isNextPartOfLast) changes.push({ start: line, end: line, text: '' });
    isNextPartOfLast = isChange;
    if (!added) line += value.length;
    const change = changes.at(-1);
    if (change && added) change.text += value.join('');
    if (change && removed) change.end = line;
  }
  return changes;
}
