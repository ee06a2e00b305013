/** The section of the results about an earlier commit and about slow disks. */

import { decimal, median, rate, verdict } from '../output/figure.ts';
import { type Row, table } from '../output/table.ts';
import { failuresIn, rateOf } from '../service/measure.ts';
import { type Circumstances, circumstances } from '../service/report.ts';
import { besideCreates, type ComparedRound, type Comparison, manyCreates, type Series } from './comparison.ts';
import type { Delay, Version } from './contenders.ts';

export interface ComparisonReport extends Circumstances, Comparison {
  readonly rounds: number;
}

/** The first line of the section. */
export const comparisonHeading = '\n## Beside an earlier commit\n';

/** The least rate as a share of that before. */
const minOfBefore = { W1: 0.95, W2: 0.95, W3: 0.9, W4: 0.9, W5: 0.9, W6: 1.1 } as const;

interface SlowDiskBar {
  readonly delay: Delay;
  readonly load: string;
  readonly figure: keyof typeof figures;
  /** Of the same figure without the delay: the least share of a rate, the most of a latency. */
  readonly bar: number;
}

const slowDiskBars: readonly SlowDiskBar[] = [
  { delay: 3, load: 'W6', figure: 'rate', bar: 0.7 },
  { delay: 3, load: besideCreates, figure: 'p99', bar: 2 },
  { delay: 3, load: manyCreates, figure: 'rate', bar: 0.6 },
  { delay: 20, load: besideCreates, figure: 'rate', bar: 0.8 },
];

const figures = {
  rate: {
    of: ({ result }: ComparedRound) => rateOf(result),
    show: (value: number) => `${rate(value)}/s`,
    showBar: (bar: number) => `≥ ${decimal(bar, 2)}`,
    isMet: (ratio: number, bar: number) => ratio >= bar,
  },
  p99: {
    of: ({ result }: ComparedRound) => result.p99,
    show: (value: number) => `${decimal(value, 1)} ms`,
    showBar: (bar: number) => `≤ ${decimal(bar, 2)}`,
    isMet: (ratio: number, bar: number) => ratio <= bar,
  },
} as const;

/** What makes the run fail. A bar that is not met does not. */
export const failuresInComparison = ({ series }: Comparison): string[] =>
  series.flatMap(({ name, version, delay, rounds }) =>
    rounds.flatMap(({ result, creates }) => [
      ...failuresIn(result, `${name}, ${version}, + ${delay} ms`),
      ...(creates ? failuresIn(creates, `the creates beside W1, ${version}, + ${delay} ms`) : []),
    ]),
  );

/** What goes to the terminal. */
export const comparisonTables = (report: ComparisonReport): string =>
  `${commitTable(report)}\n\n${diskTable(report)}\n`;

/** What is kept. */
export function comparisonMarkdown(report: ComparisonReport): string {
  const failures = failuresInComparison(report).map((failure) => `- **Failed:** ${failure}\n`);
  return `${comparisonHeading}
${circumstances(report)}- Now: ${report.names.now}, before: ${report.names.before}; medians of ${report.rounds} rounds
${failures.join('')}
${commitTable(report)}

### On slow disks

${diskTable(report)}
`;
}

function commitTable({ series }: Comparison): string {
  const head = ['', 'Load', 'Now/s', 'Before/s', 'Ratio', 'Rounds', 'Bar', ''];
  const beside = ['p99 ms now', 'before', 'CPU µs per request now', 'before'];
  const rows = Object.entries(minOfBefore).map(([name, bar]) => {
    const [now, before] = [
      seriesOf(series, { name, version: 'now', delay: 0 }),
      seriesOf(series, { name, version: 'before', delay: 0 }),
    ];
    return commitRow(now, before, bar);
  });
  return table([[...head, ...beside], ...rows]);
}

function commitRow(now: Series, before: Series, bar: number): Row {
  const ratios = ratiosOf(now, before, figures.rate.of);
  const both = (of: (round: ComparedRound) => number, show: (value: number) => string) =>
    [now, before].map(({ rounds }) => show(median(rounds.map(of))));
  return [
    now.name,
    now.title,
    ...both(figures.rate.of, rate),
    decimal(median(ratios), 2),
    `${decimal(Math.min(...ratios), 2)} … ${decimal(Math.max(...ratios), 2)}`,
    figures.rate.showBar(bar),
    verdict(figures.rate.isMet(median(ratios), bar)),
    ...both(figures.p99.of, (ms) => decimal(ms, 1)),
    ...both(({ cpuMicroseconds }) => cpuMicroseconds, shownCpu),
  ];
}

const shownCpu = (microseconds: number) => (Number.isNaN(microseconds) ? '–' : decimal(microseconds, 1));

function diskTable({ series, unmeasured }: Comparison): string {
  if (unmeasured !== undefined) return `Not measured: ${unmeasured}.`;
  const head = ['Each sync', 'Load', 'Now, no delay', 'delay', 'Ratio', 'Bar', ''];
  return table([[...head, 'Before, no delay', 'delay', 'Ratio'], ...slowDiskBars.map((bar) => diskRow(series, bar))]);
}

function diskRow(series: readonly Series[], { delay, load, figure, bar }: SlowDiskBar): Row {
  const { of, show, showBar, isMet } = figures[figure];
  const compare = (version: Version) => {
    const plain = seriesOf(series, { name: load, version, delay: 0 });
    const slow = seriesOf(series, { name: load, version, delay });
    const ratio = median(ratiosOf(slow, plain, of));
    const medians = [plain, slow].map(({ rounds }) => show(median(rounds.map(of))));
    return { ratio, cells: [...medians, decimal(ratio, 2)] };
  };
  const [now, before] = [compare('now'), compare('before')];
  return [
    `+ ${delay} ms`,
    `${load}, ${figure}`,
    ...now.cells,
    showBar(bar),
    verdict(isMet(now.ratio, bar)),
    ...before.cells,
  ];
}

function seriesOf(series: readonly Series[], { name, version, delay }: Pick<Series, 'name' | 'version' | 'delay'>) {
  const found = series.find((one) => one.name === name && one.version === version && one.delay === delay);
  if (found === undefined) throw new Error(`${name} was not measured, ${version}, + ${delay} ms`);
  return found;
}

/** The figure of one as a share of the other's, of each round by itself: what slows both down cancels out. */
function ratiosOf(one: Series, other: Series, of: (round: ComparedRound) => number): number[] {
  const others = other.rounds.map(of);
  return one.rounds.map((round, n) => of(round) / (others[n] ?? Number.NaN));
}
