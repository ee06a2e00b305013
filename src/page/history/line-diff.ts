import { diffArrays } from 'diff';
import { countCommonPrefix, countCommonSuffix } from './common-affixes.ts';

/** A part of a line. `marked`: missing in the other text; `cut`: `text` states how many characters are omitted. */
export type DiffPiece = Readonly<{ kind: 'plain' | 'marked' | 'cut'; text: string }>;

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly pieces: readonly DiffPiece[];
}

type Gap = Readonly<{ kind: 'gap'; lines: number }>;

/** Rows from top to bottom; none if the texts are equal. `isWhole`: no rows were dropped for length. */
export type LineDiff = Readonly<{ rows: readonly (DiffLine | Gap)[]; isWhole: boolean }>;

type Change = Readonly<{ value: string; added: boolean; removed: boolean }>;

const contextLineCount = 3;
/** In ms, for each search of a minimal diff; after it, the differing part is a single block. */
const smallestDiffTimeoutMs = 800;
/** In characters. The words of longer blocks are not compared. */
const maxWordDiffLength = 20_000;
/** Longer pieces are cut to this many characters at both ends. */
const cutLength = 1_000;
const maxRows = 1_000;
/** In characters; browsers lay these out in a few frames. */
const maxShownCharacters = 100_000;

const linePattern = /[^\n]*\n|[^\n]+/g;
const wordPattern = /\p{Ideo}|[\p{L}\p{M}\p{N}_]+|\r?\n|[^\S\r\n]+|./gsu;

export function createLineDiff(before: string, after: string): LineDiff {
  if (before === after) return { rows: [], isWhole: true };
  const rows: (DiffLine | Gap)[] = [];
  let characters = 0;
  for (const row of iterateRows(tryFindSmallestDiff(before, after, linePattern) ?? createMiddleDiff(before, after))) {
    if (row.kind !== 'gap') for (const { text } of row.pieces) characters += text.length;
    if (rows.length >= maxRows || (rows.length > 0 && characters > maxShownCharacters)) return { rows, isWhole: false };
    rows.push(row);
  }
  return { rows, isWhole: true };
}

function* iterateRows(changes: readonly Change[]): Generator<DiffLine | Gap> {
  for (const [index, change] of changes.entries()) {
    const next = changes[index + 1];
    if (change.removed && next?.added) yield* iterateChangedBlock(change.value, next.value);
    else if (change.removed) yield* iterateDiffLines([change], 'removed');
    else if (!change.added) yield* iterateSameLines(change.value, index === 0, next === undefined);
    else if (!changes[index - 1]?.removed) yield* iterateDiffLines([change], 'added');
  }
}

function* iterateChangedBlock(before: string, after: string): Generator<DiffLine> {
  const isShort = before.length + after.length <= maxWordDiffLength;
  const changes = (isShort && tryFindSmallestDiff(before, after, wordPattern)) || createMiddleDiff(before, after);
  yield* iterateDiffLines(changes, 'removed');
  yield* iterateDiffLines(changes, 'added');
}

function tryFindSmallestDiff(before: string, after: string, token: RegExp): Change[] | undefined {
  const tokens = (text: string): string[] => text.match(token) ?? [];
  const changes = diffArrays(tokens(before), tokens(after), { timeout: smallestDiffTimeoutMs });
  return changes?.map(({ value, added, removed }) => ({ value: value.join(''), added, removed }));
}

function createMiddleDiff(before: string, after: string): Change[] {
  let start = countCommonPrefix(before, after);
  if (isInsidePair(before, start) || isInsidePair(after, start)) start--;
  let end = countCommonSuffix(before, after, start);
  const [endOfBefore, endOfAfter] = [before.length, after.length];
  if (isInsidePair(before, endOfBefore - end) || isInsidePair(after, endOfAfter - end)) end--;
  return [
    { value: before.slice(0, start), added: false, removed: false },
    { value: before.slice(start, endOfBefore - end), added: false, removed: true },
    { value: after.slice(start, endOfAfter - end), added: true, removed: false },
    { value: before.slice(endOfBefore - end), added: false, removed: false },
  ].filter(({ value }) => value !== '');
}

const isInsidePair = (text: string, at: number) => /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));

type Part = Readonly<{ text: string; isMarked: boolean }>;

function* iterateDiffLines(changes: readonly Change[], kind: DiffLine['kind']): Generator<DiffLine> {
  let parts: Part[] = [];
  for (const { value, added, removed } of changes) {
    if (kind === 'added' ? removed : added) continue;
    for (const [text] of value.matchAll(linePattern)) {
      parts.push({ text, isMarked: added || removed });
      if (!text.endsWith('\n')) continue;
      yield { kind, pieces: createLinePieces(parts) };
      parts = [];
    }
  }
  if (parts.length > 0) yield { kind, pieces: createLinePieces(parts) };
}

/** Drops the marks of a line that is marked as a whole: marks are of use only beside unmarked text. */
function createLinePieces(parts: readonly Part[]): DiffPiece[] {
  const isPartial = parts.some(({ text, isMarked }) => !isMarked && text.trim() !== '');
  return parts.flatMap(({ text, isMarked }) => truncateLongPart(text, isMarked && isPartial ? 'marked' : 'plain'));
}

const lineEndSymbols: Readonly<Record<string, string>> = { '\n': '␊', '\r\n': '␍␊' };

/** A part without its line end, unless it is only a line end that differs. */
function truncateLongPart(part: string, kind: 'plain' | 'marked'): DiffPiece[] {
  const text = (kind === 'marked' && lineEndSymbols[part]) || part.replace(/\r?\n$/, '');
  if (text.length <= 2 * cutLength) return text === '' ? [] : [{ kind, text }];
  const start = cutLength - (isInsidePair(text, cutLength) ? 1 : 0);
  const end = text.length - cutLength + (isInsidePair(text, text.length - cutLength) ? 1 : 0);
  return [
    { kind, text: text.slice(0, start) },
    { kind: 'cut', text: String(end - start) },
    { kind, text: text.slice(end) },
  ];
}

function* iterateSameLines(text: string, isFirst: boolean, isLast: boolean): Generator<DiffLine | Gap> {
  const lines = text.match(linePattern) ?? [];
  const before = isFirst ? 0 : contextLineCount;
  const after = isLast ? 0 : contextLineCount;
  const between = lines.length - before - after;
  const same = (lines: readonly string[]) =>
    iterateDiffLines([{ value: lines.join(''), added: false, removed: false }], 'same');
  if (between < 2) return yield* same(lines);
  yield* same(lines.slice(0, before));
  yield { kind: 'gap', lines: between };
  yield* same(lines.slice(lines.length - after));
}
