import { formatInteger } from '../../../core/text/format-counts.ts';
import { cutReasonBeforeCounts } from '../../../formats/cut-reason-before-counts.ts';
import { getEndingOrEmpty } from '../../../formats/file-names.ts';
import type { SkippedRecord } from '../../../formats/record.ts';

/** More reasons than these are only counted, unless all are wanted. */
const maxReasons = 20;

/** Counts what an import leaves out on purpose, by reason; files that no format reads by their ending. */
export class LeftOutTally {
  /** Of notes and files. */
  readonly #reasons = new Map<string, number>();
  /** Of parts of notes that are imported. */
  readonly #parts = new Map<string, number>();
  readonly #endings = new Map<string, number>();

  addRecord({ reason, count: number = 1, unread }: SkippedRecord): void {
    for (const path of unread ?? []) increaseCount(this.#endings, getEndingOrEmpty(path) || 'without an ending', 1);
    if (unread === undefined && number === 0) increaseCount(this.#parts, cutReasonBeforeCounts(reason), 1);
    else if (unread === undefined) increaseCount(this.#reasons, cutReasonBeforeCounts(reason), number);
  }

  /** Formats the reasons of what is left out as a note or a file, indented, the most frequent first. */
  formatReasonLines(isVerbose: boolean): readonly string[] {
    const files = formatFileCountsByEnding(this.#endings);
    return [
      ...formatMostFrequentReasons(this.#reasons, isVerbose),
      ...(files === '' ? [] : [`    ${files}: not read`]),
    ];
  }

  formatNotePartLines(isVerbose: boolean): readonly string[] {
    return formatMostFrequentReasons(this.#parts, isVerbose);
  }

  /** Returns what the report as JSON has: the counts by reason, and of unread files by ending. */
  toJSON() {
    return {
      leftOutReasons: Object.fromEntries(this.#reasons),
      leftOutParts: Object.fromEntries(this.#parts),
      unreadFiles: Object.fromEntries(this.#endings),
    };
  }
}

const increaseCount = (counts: Map<string, number>, key: string, number: number) =>
  counts.set(key, (counts.get(key) ?? 0) + number);

const sortCountsByFrequency = (counts: ReadonlyMap<string, number>) =>
  [...counts].sort(([one, many], [other, more]) => more - many || (one < other ? -1 : 1));

function formatMostFrequentReasons(counts: ReadonlyMap<string, number>, isVerbose: boolean): readonly string[] {
  const all = sortCountsByFrequency(counts);
  const shown = isVerbose ? all : all.slice(0, maxReasons);
  const lines = shown.map(([reason, number]) => `    ${formatInteger(number)}: ${reason}`);
  return shown.length < all.length
    ? [...lines, `    … and ${formatInteger(all.length - shown.length)} more reasons. --verbose shows all`]
    : lines;
}

/** "12 files .html, 1 file .plist" */
const formatFileCountsByEnding = (counts: ReadonlyMap<string, number>): string =>
  sortCountsByFrequency(counts)
    .map(([ending, number]) => `${formatInteger(number)} ${number === 1 ? 'file' : 'files'} ${ending}`)
    .join(', ');
