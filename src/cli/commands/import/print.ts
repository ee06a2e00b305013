import type { ImportReport } from '../../../formats/import-report.ts';
import type { ReadRecord } from '../../../formats/record.ts';
import { count, counted } from '../../../shared/text.ts';
import type { Io } from '../../io.ts';
import type { ProgressLine } from '../../terminal/progress.ts';
import { printable } from '../../terminal/style.ts';
import type { ImportFlags } from './options.ts';

type PrintFlags = Pick<ImportFlags, 'dryRun' | 'json' | 'verbose'>;

const maxPrinted = 20;

/** Prints progress and results of an import to stderr. Makes texts from the source safe for a terminal. */
export class ImportPrinter {
  readonly #io: Io;
  readonly #line: ProgressLine;
  readonly #isVerbose: boolean;
  readonly #printed = { bad: 0, withheld: 0, remark: 0 };

  constructor(io: Io, line: ProgressLine, isVerbose: boolean) {
    this.#io = io;
    this.#line = line;
    this.#isVerbose = isVerbose;
  }

  print(sentence: string): void {
    this.#line.clear();
    this.#io.stderr.write(`notes: ${printable(sentence)}\n`);
  }

  printRecord({ kind, place, reason }: Exclude<ReadRecord, { kind: 'note' }>): void {
    const isPrinted = (kind !== 'left out' && ++this.#printed[kind] <= maxPrinted) || this.#isVerbose;
    if (isPrinted) this.print(kind === 'left out' ? `${place} was left out: ${reason}` : `${place}: ${reason}`);
  }

  printRemark(place: string, remark: string): void {
    if (++this.#printed.remark <= maxPrinted || this.#isVerbose) this.print(`${place}: ${remark}`);
  }

  printReport(report: ImportReport, { flags, from }: { flags: PrintFlags; from: string }): void {
    const { stdout, stderr } = this.#io;
    const dryRun = flags.dryRun === true;
    for (const printed of Object.values(this.#printed)) {
      if (printed > maxPrinted && !this.#isVerbose)
        this.print(`… and ${count(printed - maxPrinted)} more. --verbose shows all`);
    }
    const read = `Read ${counted(report.read)} from ${printable(from)}${dryRun ? '. Nothing was changed; this is what would happen' : ''}`;
    const outcomes = outcomesOf(report, flags);
    stderr.write(outcomes.length === 0 ? `${read}\n` : `${[`${read}:`, ...outcomes].join('\n')}\n`);
    if (flags.json) stdout.write(`${JSON.stringify({ dryRun, ...report })}\n`);
  }
}

function outcomesOf(report: ImportReport, flags: PrintFlags): readonly string[] {
  const lines: readonly (readonly [number: number, text: string])[] = [
    [report.added, 'added'],
    [
      report.renumbered,
      `of them under a new id, since another note has theirs: ${listOf(report.renumberedIds, report.renumbered)}`,
    ],
    [report.replaced, `replaced, since the stored note was older: ${listOf(report.replacedIds, report.replaced)}`],
    [report.updated, `updated, since their source has changed: ${listOf(report.updatedIds, report.updated)}`],
    [
      report.diverged,
      `changed both here and at their source: yours stay, and their history has the text of the source: ${listOf(report.divergedIds, report.diverged)}`,
    ],
    [report.unchanged, 'already there'],
    [report.versions, 'added to the history, since the stored note is newer'],
    [report.newer, 'not imported, since the stored note is newer'],
    [
      report.different,
      `not imported, since the stored note has another text but the same updatedAt (raise it in the source to import them): ${listOf(report.differentIds, report.different)}`,
    ],
    [report.bad, 'bad, named above'],
    [report.withheld, 'not imported, since they seem to hold secrets, named above (--allow-secrets imports them)'],
    [report.leftOut, flags.verbose ? 'left out' : 'left out (--verbose names them)'],
  ];
  const shown = lines.filter(([number]) => number > 0);
  return shown.map(([number, text]) => `  ${count(number)} ${text}`);
}

function listOf(ids: readonly number[], all: number): string {
  const shown = ids.slice(0, maxPrinted);
  return `${shown.join(', ')}${all > shown.length ? ` and ${count(all - shown.length)} more` : ''}`;
}
