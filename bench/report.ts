/** Shows what a run measured: an aligned table, which is Markdown as well. */
import { decimal, type Figure, median, show } from './figure.ts';
import { failuresOf, isMet, type Measured, rateOf, ratiosOf } from './measure.ts';
import type { Bar } from './scenarios.ts';
import type { Start } from './starts.ts';

export interface Report {
  readonly date: string;
  readonly machine: string;
  readonly fileSystem: string;
  readonly versions: string;
  readonly command: string;
  /** With an empty store. */
  readonly coldStart: Start;
  readonly finalMemory: Figure;
  readonly finalNotes: number;
  /** With `finalNotes` in the store. */
  readonly finalStart: Start;
  readonly fsyncs: Figure;
  readonly measured: readonly Measured[];
}

const most = { startMs: 400, memory: 80 };

type Row = readonly string[];

/** Everything that makes the run fail. A bar that is not met does not. */
export function failuresIn({ measured, fsyncs }: Report): string[] {
  const lost = fsyncs === 0 ? ['Notes were created without a single fsync'] : [];
  return [...measured.flatMap(failuresOf), ...lost];
}

/** What goes to the terminal. */
export const tables = (report: Report): string => `${table(rateRows(report))}\n\n${table(figureRows(report))}\n`;

/** What is kept. */
export function markdown(report: Report): string {
  const { date, machine, fileSystem, versions, command } = report;
  const failures = failuresIn(report).map((failure) => `- **Failed:** ${failure}\n`);
  return `# Results

- Date: ${date}
- Machine: ${machine}; notes on ${fileSystem}
- Versions: ${versions}
- Command: \`${command}\`
${failures.join('')}
${tables(report)}
How to read them: [README.md](README.md).
`;
}

function rateRows({ measured }: Report): Row[] {
  const byName = measured.toSorted((one, other) => one.scenario.name.localeCompare(other.scenario.name));
  const head = ['', 'Load', 'Connections', 'Service/s', 'Raw/s', 'Ratio', 'Rounds', 'p50 ms', 'p99 ms', 'Raw p99'];
  return [[...head, 'Generator', 'Errors', 'Bar', ''], ...byName.map(rateRow)];
}

function rateRow(measured: Measured): Row {
  const { scenario, rounds, counters } = measured;
  const service = rounds.map((round) => round.service);
  const raw = rounds.map((round) => round.raw);
  const ratios = ratiosOf(measured);
  const errors = [...service, ...raw].reduce((sum, { refused, socketErrors }) => sum + refused + socketErrors, 0);
  const met = isMet(measured);
  return [
    scenario.name,
    scenario.title,
    String(scenario.connections),
    rate(median(service.map(rateOf))),
    rate(median(raw.map(rateOf))),
    decimal(median(ratios), 2),
    `${decimal(Math.min(...ratios), 2)} … ${decimal(Math.max(...ratios), 2)}`,
    decimal(median(service.map(({ p50 }) => p50)), 1),
    decimal(median(service.map(({ p99 }) => p99)), 1),
    decimal(median(raw.map(({ p99 }) => p99)), 1),
    `${decimal(100 * median(raw.map(({ effort }) => effort)))} %`,
    String(Math.max(errors, counters.refused)),
    scenario.bar ? barText(scenario.bar) : 'for information',
    met === undefined ? '' : verdict(met),
  ];
}

const rate = (value: number) => decimal(value, value < 1000 ? 1 : 0);

function barText({ perSecond, ratio }: Bar): string {
  const rateBar = perSecond === undefined ? [] : [`≥ ${decimal(perSecond)}/s`];
  const ratioBar = ratio === undefined ? [] : [`≥ ${decimal(ratio, 2)} × raw`];
  return [...rateBar, ...ratioBar].join(' or ');
}

const verdict = (met: boolean) => (met ? 'met' : 'NOT MET');

function figureRows(report: Report): Row[] {
  const { coldStart, finalMemory, finalNotes, finalStart, fsyncs } = report;
  const { ms, memory } = coldStart;
  return [
    ['Figure', 'Value', 'Bar', ''],
    ['Cold start, empty store', show(ms, 'ms'), `< ${most.startMs} ms`, below(ms, most.startMs)],
    [`Start with ${decimal(finalNotes)} notes`, show(finalStart.ms, 'ms'), 'for information', ''],
    ['Resident memory, idle', show(memory, 'MB', 1), `< ${most.memory} MB`, below(memory, most.memory)],
    ['Resident memory after all', show(finalMemory, 'MB', 1), 'for information', ''],
    ...commitRows(report),
    ['fsync and fdatasync during 1 s of creates under strace', show(fsyncs, 'calls'), '> 0', above(fsyncs)],
  ];
}

const below = (figure: Figure, bar: number) => (typeof figure === 'number' ? verdict(figure < bar) : '');

const above = (figure: Figure) => (typeof figure === 'number' ? verdict(figure > 0) : '');

function commitRows({ measured }: Report): Row[] {
  const creates = measured.find(({ scenario }) => scenario.name === 'W3');
  if (creates === undefined) return [];
  const { commits, writes, commitSeconds } = creates.counters;
  return [
    ['Commits during W3, warm-up included', decimal(commits), 'for information', ''],
    ['Notes created by them', decimal(writes), 'for information', ''],
    ['Mean notes per commit', decimal(writes / commits, 1), 'for information', ''],
    ['Mean duration of a commit', `${decimal((commitSeconds / commits) * 1000, 2)} ms`, 'for information', ''],
  ];
}

/** A Markdown table whose columns are aligned as text too; the first row is its head. */
function table(rows: readonly Row[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const lines = rows.map((row) => line(widths.map((width, column) => padded(row[column] ?? '', width))));
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** Numbers to the right, words to the left. */
const padded = (text: string, width: number) =>
  /^[\d.,]+( %)?$/.test(text) ? text.padStart(width) : text.padEnd(width);
