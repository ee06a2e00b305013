import { formatPatch, type StructuredPatch, structuredPatch } from 'diff';
import type { Note } from '../../core/note.ts';
import { listChangedDraftFields } from '../../core/versions.ts';
import { quotePrintable, toPrintableLine } from '../terminal/printable-text.ts';
import type { Style } from '../terminal/style.ts';

/** The difference between two states of a note. */
export interface VersionDiff extends LineChanges {
  readonly before: Note;
  readonly after: Note;
  readonly fields: ReturnType<typeof listChangedDraftFields>;
}

/** Compares two states of a note. `names` label them in a diff. */
export function compareVersions(
  before: Note,
  after: Note,
  names: readonly [before: string, after: string] = ['', ''],
): VersionDiff {
  const [old, now] = names;
  return {
    ...diffLinesAndCountChanges(toDiffSide(before, old), toDiffSide(after, now)),
    before,
    after,
    fields: listChangedDraftFields(before, after),
  };
}

const toDiffSide = ({ content: text, updatedAt: time }: Note, name: string) => ({ name, time, text });

/** Formats what changed in one line: `title, content +3 −1`. */
export function formatFieldAndLineChanges({ fields, added, removed }: VersionDiff, style: Style): string {
  const lines = `${style.color('success', `+${added}`)} ${style.color('error', `−${removed}`)}`;
  return fields.map((field) => (field === 'content' ? `${field} ${lines}` : field)).join(', ');
}

/** Formats each changed field other than the content as one line: `field: old → new`. */
export const formatNonContentChangeLines = ({ before, after, fields }: VersionDiff): readonly string[] =>
  fields.flatMap((field) =>
    field === 'content' ? [] : [`${field}: ${quotePrintable(before[field])} → ${quotePrintable(after[field])}`],
  );

/** One side of a diff. */
interface Side {
  readonly name: string;
  readonly time: string;
  readonly text: string;
}

interface LineChanges {
  readonly added: number;
  readonly removed: number;
  readonly patch: StructuredPatch;
}

/** A comparison that takes longer, in ms, ends: then all lines count as replaced. */
const diffTimeoutMs = 500;

export function diffLinesAndCountChanges(before: Side, after: Side): LineChanges {
  const found = structuredPatch(before.name, after.name, before.text, after.text, before.time, after.time, {
    timeout: diffTimeoutMs,
  });
  const patch = found ?? createReplacementPatch(before, after);
  let [added, removed] = [0, 0];
  for (const { lines } of patch.hunks) {
    const same = lines.some((line, at) => isLastLineBreakChangeAt(lines, line, at)) ? 1 : 0;
    added += lines.filter((line) => line.startsWith('+')).length - same;
    removed += lines.filter((line) => line.startsWith('-')).length - same;
  }
  return { added, removed, patch };
}

/** Whether a last line only gained or lost its line break, which does not count as a change. */
function isLastLineBreakChangeAt(lines: readonly string[], line: string, at: number): boolean {
  const other = line.startsWith('-') ? '+' : '-';
  return lines[at + 1]?.startsWith('\\') === true && lines.includes(other + line.slice(1));
}

/** Creates the patch that removes all lines and adds all others. */
function createReplacementPatch(before: Side, after: Side): StructuredPatch {
  const [old] = structuredPatch('', '', before.text, '').hunks;
  const [now] = structuredPatch('', '', '', after.text).hunks;
  const lines = [...(old?.lines ?? []), ...(now?.lines ?? [])];
  const hunk = { oldStart: 1, oldLines: old?.oldLines ?? 0, newStart: 1, newLines: now?.newLines ?? 0, lines };
  const names = { oldFileName: before.name, newFileName: after.name, oldHeader: before.time, newHeader: after.time };
  return { ...names, hunks: [hunk] };
}

interface DiffStyle {
  readonly style: Style;
  /** Whether to replace control characters, for a terminal. */
  readonly isTerminal: boolean;
}

/** Formats a unified diff, as `patch` reads it; empty if no line changed. */
export function formatColoredDiff({ patch }: LineChanges, { style, isTerminal }: DiffStyle): string {
  if (patch.hunks.length === 0) return '';
  const [from = '', to = '', ...lines] = formatPatch(patch, { ...headerOptions, includeFileHeaders: true }).split('\n');
  const shown = (line: string) => (isTerminal ? line.split('\t').map(toPrintableLine).join('\t') : line);
  const paint: Readonly<Record<string, (line: string) => string>> = {
    '+': (line) => style.color('success', line),
    '-': (line) => style.color('error', line),
    '@': (line) => style.color('accent', line),
  };
  const painted = lines.map((line) => (paint[line.charAt(0)] ?? String)(shown(line)));
  return [style.bold(from), style.bold(to), ...painted].join('\n');
}

const headerOptions = { includeIndex: false, includeUnderline: false };
