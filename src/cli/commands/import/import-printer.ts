/** What an import prints: its progress, and what became of the notes. */
import { maxPins } from '../../../core/pins.ts';
import { formatInteger, formatNoteCount } from '../../../core/text/format-counts.ts';
import { quoteForShell } from '../../../core/text/quote-for-shell.ts';
import type { ImportReport } from '../../../formats/import-report.ts';
import type { ImportOptions } from '../../../formats/importer.ts';
import type { SkippedRecord } from '../../../formats/record.ts';
import type { StoreFlags } from '../../flag-types.ts';
import type { Io } from '../../io.ts';
import { maxRange, toIdRangeWords } from '../../notes/note-ids.ts';
import { toPrintableLine, toPrintableText } from '../../terminal/printable-text.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';
import { LeftOutTally } from './left-out-tally.ts';
import type { ImportFlags } from './source-flags.ts';

type PrintFlags = Pick<ImportFlags, 'dryRun' | 'json' | 'verbose'>;

const maxPrinted = 20;

const passwordInUrl = /(?<=^\w+:\/\/[^/]*):[^/]*@/;

/** Prints progress and results of an import to stderr. Makes texts from the source safe for a terminal. */
export class ImportPrinter implements Disposable {
  readonly #io: Io;
  readonly #flags: PrintFlags;
  readonly line: ProgressLine;
  readonly #printed = { bad: 0, withheld: 0, remark: 0 };
  readonly #leftOut = new LeftOutTally();

  constructor(io: Io, flags: PrintFlags) {
    this.#io = io;
    this.#flags = flags;
    this.line = new ProgressLine(io.stderr);
  }

  /** Creates what an importer calls. `part` returns the fraction that was read, if known. */
  createImporterCallbacks(part: () => number | undefined): Pick<ImportOptions, 'onSkipped' | 'onRemark' | 'onBatch'> {
    return {
      // Withheld records are left to a guard, which has printed them.
      onSkipped: (record) => record.kind !== 'withheld' && this.reportUnimportedRecord(record),
      onRemark: (location, remark) => this.#countAndPrintUpToLimit('remark', `${location}: ${remark}`),
      onBatch: ({ read }) => this.line.update({ step: 'Importing', notes: read, part: part() }),
    };
  }

  printSentence(sentence: string): void {
    this.line.clear();
    this.#io.stderr.write(`notes: ${toPrintableLine(sentence)}\n`);
  }

  /** Prints a text of several lines. */
  printMultilineNotice(text: string): void {
    this.line.clear();
    this.#io.stderr.write(`notes: ${toPrintableText(text)}\n`);
  }

  reportUnimportedRecord(record: SkippedRecord): void {
    const { kind, location, reason } = record;
    if (kind === 'left out') this.#leftOut.addRecord(record);
    if (kind !== 'left out') this.#countAndPrintUpToLimit(kind, `${location}: ${reason}`);
    else if (this.#flags.verbose) this.printSentence(`${location} was left out: ${reason}`);
  }

  /** Prints the first sentences of a kind, or all if verbose. */
  #countAndPrintUpToLimit(kind: 'bad' | 'withheld' | 'remark', sentence: string): void {
    if (++this.#printed[kind] <= maxPrinted || this.#flags.verbose) this.printSentence(sentence);
  }

  printReport(report: ImportReport, from: string): void {
    const { stdout, stderr } = this.#io;
    const { verbose, json, dryRun = false } = this.#flags;
    this.line.clear();
    for (const printed of Object.values(this.#printed)) {
      if (printed > maxPrinted && !verbose)
        this.printSentence(`… and ${formatInteger(printed - maxPrinted)} more. --verbose shows all`);
    }
    const tried = dryRun ? '. Nothing was changed; this is what would happen' : '';
    const read = `Read ${formatRecordCountOfReport(report)} from ${toPrintableLine(from)}${tried}`;
    const outcomes = [...formatOutcomeLines(report, verbose), ...this.#formatLeftOutLines(report.leftOut)];
    stderr.write(outcomes.length === 0 ? `${read}\n` : `${[`${read}:`, ...outcomes].join('\n')}\n`);
    if (json) stdout.write(`${JSON.stringify({ dryRun, ...report, ...this.#leftOut.toJSON() })}\n`);
  }

  /** Formats what was left out. The reasons are always shown: it might be all that the user came for. */
  #formatLeftOutLines(number: number): readonly string[] {
    const isVerbose = this.#flags.verbose === true;
    const hint = isVerbose ? '' : ' (--verbose names them)';
    const reasons = this.#leftOut.formatReasonLines(isVerbose).map(toPrintableLine);
    const parts = this.#leftOut.formatNotePartLines(isVerbose).map(toPrintableLine);
    return [
      ...(number > 0 ? [`  ${formatInteger(number)} left out${hint}${reasons.length > 0 ? ':' : ''}`, ...reasons] : []),
      ...(parts.length > 0 ? [`  Parts of notes were left out${hint}:`, ...parts] : []),
    ];
  }

  /** Prints the commands that archive exactly these notes. */
  printCommandsToArchiveAdded(ids: readonly number[], { url, db }: StoreFlags): void {
    const sorted = ids.toSorted((one, other) => one - other);
    const place = [url === undefined ? [] : ['--url', url], db === undefined ? [] : ['--db', db]].flat();
    for (let at = 0; at < sorted.length; at += maxRange) {
      const words = [
        'notes archive',
        ...place.map((word) => quoteForShell(word.replace(passwordInUrl, ':***@'))),
        ...toIdRangeWords(sorted.slice(at, at + maxRange)),
      ];
      this.#io.stderr.write(`${at === 0 ? 'To archive what was added:\n' : ''}  ${toPrintableLine(words.join(' '))}\n`);
    }
  }

  [Symbol.dispose](): void {
    this.line.clear();
  }
}

/** Formats the number of notes that were read, with those that cannot be stored: the sum of what follows. */
function formatRecordCountOfReport({ read, bad, withheld, leftOut }: ImportReport): string {
  const all = read + bad + withheld + leftOut;
  if (all === read) return formatNoteCount(read);
  return all === 1 ? '1 record' : `${formatInteger(all)} records`;
}

function formatOutcomeLines(report: ImportReport, isVerbose: boolean | undefined): readonly string[] {
  const formatNaming = (number: number) =>
    number > maxPrinted && !isVerbose ? `the first ${maxPrinted} named above` : 'named above';
  const lines: readonly (readonly [number: number, text: string])[] = [
    [report.added, 'added'],
    [
      report.renumbered,
      'of them under a new id, since another note has theirs' +
        formatIdListSuffixOrEmpty(report.renumberedIds, report.renumbered),
    ],
    [
      report.updated,
      `updated, since the stored note was older${formatIdListSuffixOrEmpty(report.updatedIds, report.updated)}`,
    ],
    [report.retitled, `renamed, ${retitledText}`],
    [report.unchanged, 'already there'],
    [report.versions, 'added to the history only, since the stored note is newer'],
    [report.pinned, 'pinned, after those that were pinned before'],
    [report.notPinned, `not pinned, since at most ${maxPins} notes can be`],
    [report.left, `not imported, ${formatNaming(report.left)}`],
    [report.bad, `bad, ${formatNaming(report.bad)}`],
    [
      report.withheld,
      `not imported, since they seem to hold secrets, ${formatNaming(report.withheld)} (--allow-secrets imports them)`,
    ],
  ];
  const shown = lines.filter(([number]) => number > 0);
  return shown.map(([number, text]) => `  ${formatInteger(number)} ${text}`);
}

const retitledText = 'since a heading in the first line of a Markdown file is its title now, else its name';

/** Names ids after a colon; nothing if none is known: in a dry run new notes have none. */
function formatIdListSuffixOrEmpty(ids: readonly number[], all: number): string {
  const shown = ids.slice(0, maxPrinted);
  if (shown.length === 0) return '';
  return `: ${shown.join(', ')}${all > shown.length ? ` and ${formatInteger(all - shown.length)} more` : ''}`;
}
