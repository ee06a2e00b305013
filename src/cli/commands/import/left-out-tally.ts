import { formatNumber } from '../../../core/text/format-counts.ts';
import { findFileEnding } from '../../../formats/describe-file.ts';
import type { ReadRecord } from '../../../formats/record.ts';
import { toSharedReason } from '../../../formats/shared-reason.ts';

type LeftOut = Extract<ReadRecord, { kind: 'bad' | 'left out' | 'withheld' }>;

/** More reasons than these are only counted, unless all are wanted. */
const maxReasons = 20;

/** Counts what an import leaves out on purpose, by reason; files that no format reads by their ending. */
export class LeftOutTally {
  /** Of notes and files. */
  readonly #reasons = new Map<string, number>();
  /** Of parts of notes that are imported. */
  readonly #parts = new Map<string, number>();
  readonly #endings = new Map<string, number>();

  add({ reason, count: number = 1, unread }: LeftOut): void {
    for (const path of unread ?? []) increaseCount(this.#endings, findFileEnding(path) || 'without an ending', 1);
    if (unread === undefined && number === 0) increaseCount(this.#parts, toSharedReason(reason), 1);
    else if (unread === undefined) increaseCount(this.#reasons, toSharedReason(reason), number);
  }

  /** Formats the reasons of what is left out as a note or a file, indented, the most frequent first. */
  formatReasons(isVerbose: boolean): readonly string[] {
    const files = formatEndings(this.#endings);
    return [...formatCountLines(this.#reasons, isVerbose), ...(files === '' ? [] : [`    ${files}: not read`])];
  }

  formatParts(isVerbose: boolean): readonly string[] {
    return formatCountLines(this.#parts, isVerbose);
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

const sortByFrequency = (counts: ReadonlyMap<string, number>) =>
  [...counts].sort(([one, many], [other, more]) => more - many || (one < other ? -1 : 1));

function formatCountLines(counts: ReadonlyMap<string, number>, isVerbose: boolean): readonly string[] {
  const all = sortByFrequency(counts);
  const shown = isVerbose ? all : all.slice(0, maxReasons);
  const lines = shown.map(([reason, number]) => `    ${formatNumber(number)}: ${reason}`);
  return shown.length < all.length
    ? [...lines, `    … and ${formatNumber(all.length - shown.length)} more reasons. --verbose shows all`]
    : lines;
}

/** "12 files .html, 1 file .plist" */
const formatEndings = (counts: ReadonlyMap<string, number>): string =>
  sortByFrequency(counts)
    .map(([ending, number]) => `${formatNumber(number)} ${number === 1 ? 'file' : 'files'} ${ending}`)
    .join(', ');
