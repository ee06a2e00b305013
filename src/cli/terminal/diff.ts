import { formatPatch, type StructuredPatch, structuredPatch } from 'diff';
import { printable, type Style } from './style.ts';

/** One side of a diff. */
interface Side {
  readonly name: string;
  readonly time: string;
  readonly text: string;
}

export interface LineChanges {
  readonly added: number;
  readonly removed: number;
  readonly patch: StructuredPatch;
}

/** In ms. After that, the whole text counts as replaced. */
const timeout = 500;

export function lineChanges(before: Side, after: Side): LineChanges {
  const found = structuredPatch(before.name, after.name, before.text, after.text, before.time, after.time, { timeout });
  const patch = found ?? replacing(before, after);
  let [added, removed] = [0, 0];
  for (const { lines } of patch.hunks) {
    const same = lines.some((line, at) => isEndAlone(lines, line, at)) ? 1 : 0;
    added += lines.filter((line) => line.startsWith('+')).length - same;
    removed += lines.filter((line) => line.startsWith('-')).length - same;
  }
  return { added, removed, patch };
}

/** Whether a last line only gained or lost its line break, which does not count as a change. */
function isEndAlone(lines: readonly string[], line: string, at: number): boolean {
  const other = line.startsWith('-') ? '+' : '-';
  return lines[at + 1]?.startsWith('\\') === true && lines.includes(other + line.slice(1));
}

/** The patch that removes all lines and adds all others. */
function replacing(before: Side, after: Side): StructuredPatch {
  const [old] = structuredPatch('', '', before.text, '').hunks;
  const [now] = structuredPatch('', '', '', after.text).hunks;
  const lines = [...(old?.lines ?? []), ...(now?.lines ?? [])];
  const hunk = { oldStart: 1, oldLines: old?.oldLines ?? 0, newStart: 1, newLines: now?.newLines ?? 0, lines };
  const names = { oldFileName: before.name, newFileName: after.name, oldHeader: before.time, newHeader: after.time };
  return { ...names, hunks: [hunk] };
}

interface Show {
  readonly style: Style;
  /** Whether to replace control characters, for a terminal. */
  readonly isTerminal: boolean;
}

/** Formats a unified diff, as `patch` reads it; empty if no line changed. */
export function diffOf({ patch }: LineChanges, { style, isTerminal }: Show): string {
  if (patch.hunks.length === 0) return '';
  const [from = '', to = '', ...lines] = formatPatch(patch, { ...noHeaders, includeFileHeaders: true }).split('\n');
  const shown = (line: string) => (isTerminal ? line.split('\t').map(printable).join('\t') : line);
  const paint: Readonly<Record<string, (line: string) => string>> = {
    '+': (line) => style.color('success', line),
    '-': (line) => style.color('error', line),
    '@': (line) => style.color('accent', line),
  };
  const painted = lines.map((line) => (paint[line.charAt(0)] ?? String)(shown(line)));
  return [style.bold(from), style.bold(to), ...painted].join('\n');
}

const noHeaders = { includeIndex: false, includeUnderline: false };
