import { diffArrays } from 'diff';
import type { ValueField } from '../../core/enums.ts';
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

/**
 * Merges two versions that both have changed the same. Of a field with one value it has mine. Without a base, all that
 * differs counts as changed by both.
 */
export function mergeDraftsKeepingBoth(base: NoteDraft | undefined, mine: NoteDraft, theirs: NoteDraft): NoteDraft {
  const pick = <Name extends ValueField>(name: Name): NoteDraft[Name] =>
    base ? (tryMergeValues(base[name], mine[name], theirs[name]) ?? mine[name]) : mine[name];
  const title = tryMergeValues(base?.title, mine.title, theirs.title) ?? `${theirs.title} / ${mine.title}`;
  const content = mergeTextsKeepingBoth(base?.content, mine.content, theirs.content);
  return { title, content, category: pick('category'), group: pick('group'), color: pick('color') };
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

/**
 * Merges two texts line by line. Where changes of both touch, it has the lines of theirs, and then those of mine.
 *
 * For example, with one letter for each line, of the base "abcde" mine makes "aXcdE" and theirs "aYcde":
 *
 *     only mine             line 4 becomes "E"
 *     both                  line 1 becomes "Y" in theirs, "X" in mine
 *     result                "aYXcdE"
 */
export function mergeTextsKeepingBoth(base: string | undefined, mine: string, theirs: string): string {
  const baseLines = splitLines(base ?? '');
  const mineChanges = base === undefined ? undefined : tryListLineChanges(baseLines, splitLines(mine));
  const theirChanges = base === undefined ? undefined : tryListLineChanges(baseLines, splitLines(theirs));
  if (!mineChanges || !theirChanges) return joinTextsWithoutBase(mine, theirs);
  let merged = '';
  let line = 0;
  for (const { start, end } of listChangedRegions([...mineChanges, ...theirChanges])) {
    merged += joinLines(baseLines, line, start);
    const original = joinLines(baseLines, start, end);
    const mineLines = changeLines(baseLines, start, end, mineChanges);
    const theirLines = changeLines(baseLines, start, end, theirChanges);
    merged += tryMergeValues(original, mineLines, theirLines) ?? joinVersions(theirLines, mineLines);
    line = end;
  }
  return merged + joinLines(baseLines, line, baseLines.length);
}

/** Has the lines of both, those that are equal once. */
function joinTextsWithoutBase(mine: string, theirs: string): string {
  const changes = tryListLineChanges(splitLines(theirs), splitLines(mine));
  if (!changes) return joinVersions(theirs, mine);
  const lines = splitLines(theirs);
  let joined = '';
  let line = 0;
  for (const { start, end, text } of changes) {
    joined += joinLines(lines, line, start) + joinVersions(joinLines(lines, start, end), text);
    line = end;
  }
  return joined + joinLines(lines, line, lines.length);
}

const joinVersions = (first: string, second: string) =>
  first === '' || second === '' || first.endsWith('\n') ? first + second : `${first}\n${second}`;

/** The lines of the base that are changed by one or both, from top to bottom: changes that touch are one region. */
function listChangedRegions(changes: readonly LineChange[]): readonly LineRegion[] {
  const regions: { start: number; end: number }[] = [];
  for (const { start, end } of changes.toSorted((one, other) => one.start - other.start || one.end - other.end)) {
    const last = regions.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else regions.push({ start, end });
  }
  return regions;
}

/** The lines of the base from `start` to before `end`, with the changes that lie within. */
function changeLines(base: readonly string[], start: number, end: number, changes: readonly LineChange[]): string {
  let changed = '';
  let line = start;
  for (const change of changes) {
    if (change.start < start || change.end > end) continue;
    changed += joinLines(base, line, change.start) + change.text;
    line = change.end;
  }
  return changed + joinLines(base, line, end);
}

/** The lines from `start` to before `end`. */
type LineRegion = Readonly<{ start: number; end: number }>;

/** The lines of the base from `start` to before `end` become `text`. */
type LineChange = LineRegion & Readonly<{ text: string }>;

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
